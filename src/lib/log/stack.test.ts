import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { stackOf } from './stack.ts';

const folder = mkdtempSync(join(tmpdir(), 'platen-stack-'));
const built = join(folder, 'built/service');
mkdirSync(built, { recursive: true });

/** An error whose stack names a place in a file of the folder. */
function errorAt(file: string, place: string): Error {
  const error = new Error('broken');
  error.stack = `Error: broken\n    at place (${pathToFileURL(join(built, file)).href}:${place})\n    at node:internal/x:1:2`;
  return error;
}

test('a place in a file that was put together is shown as its place in the source', () => {
  // The second line, from its third column on, is the fifth line of the source from its first column on.
  const map = { version: 3, sources: ['../../src/a.ts'], names: [], mappings: ';EAIA' };
  writeFileSync(join(built, 'serve-a_B-1.js.map'), JSON.stringify(map));
  const source = pathToFileURL(join(folder, 'src/a.ts')).href;
  assert.equal(
    stackOf(errorAt('serve-a_B-1.js', '2:3')),
    `Error: broken\n    at place (${source}:5:1)\n    at node:internal/x:1:2`,
  );
});

test('without a map, or with a broken one, the stack stays as it is', () => {
  writeFileSync(join(built, 'broken.js.map'), 'no JSON');
  for (const file of ['none.js', 'broken.js']) {
    const error = errorAt(file, '2:3');
    assert.equal(stackOf(error), error.stack, file);
  }
});

test('the stack of other code is what it was', () => {
  const error = new Error('broken');
  assert.equal(stackOf(error), error.stack);
});
