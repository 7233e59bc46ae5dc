import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bundle } from '../harness/bundles.ts';

/** Stands in the text of this file, and is no import. */
const QUOTED = "import a from './of-a-quoted-text.ts';";

describe('test files that are put together', () => {
  it('are read by what they import, not by what their text quotes of other files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-bundles-'));
    const quoting = 'test/house/bundles.test.ts';
    assert.deepEqual(
      bundle([quoting], folder, () => false),
      [quoting],
    );
    assert.match(QUOTED, /of-a-quoted-text/);
  });

  it('are one process, the one that moves its clock by a helper last', () => {
    const folder = mkdtempSync(join(tmpdir(), 'platen-bundles-'));
    const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.test.ts`));
    const [first = '', moves = '', last = ''] = files;
    for (const file of [first, last]) writeFileSync(file, '');
    writeFileSync(moves, ['const shift', 'Ms = 1;'].join(''));
    const [together = ''] = bundle(files, join(folder, 'bundles'), () => false);
    const order = [...readFileSync(together, 'utf8').matchAll(/describe\("([^"]+)"/g)].map(([, file]) => file);
    assert.deepEqual(order, [first, last, moves]);
  });

  it('name a statement as no other does that has another text: they may share a process', () => {
    const texts = new Map<string, Set<string>>();
    for (const file of globSync(['src/**/*.ts', 'test/**/*.ts', 'packages/**/*.ts', 'bench/**/*.ts'])) {
      const found = readFileSync(file, 'utf8').matchAll(/\bstatement(?:<.*>)?\(\s*'([a-z_]+)',\s*(.*['"`])/g);
      for (const [, name = '', text = ''] of found) texts.set(name, (texts.get(name) ?? new Set()).add(text));
    }
    assert.ok(texts.size > 100, 'the statements of the service are found');
    const twice = [...texts].filter(([, ofName]) => ofName.size > 1).map(([name]) => name);
    assert.deepEqual(twice, []);
  });
});
