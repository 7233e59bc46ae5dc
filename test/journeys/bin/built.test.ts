import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programOf } from '../../../src/bin/bundle/program.ts';

const run = promisify(execFile);

/** What a program says to these arguments. */
async function said(program: URL, args: readonly string[]): Promise<string> {
  return (await run(process.execPath, [fileURLToPath(program), ...args])).stdout;
}

const built = new URL(programOf('platen'));
const isBuilt = built.pathname.endsWith('.js');

// Other tests start what an install has put together where it is up to date, as on a fresh checkout.
test('what an install has put together says what its sources say', {
  skip: isBuilt ? false : 'sources have changed since the install: `npm run prepare` puts them together',
}, async () => {
  const source = new URL('../../../src/bin/platen.ts', import.meta.url);
  for (const args of [['--help'], ['--version'], ['serve', '--help'], ['books', '--help']]) {
    assert.equal(await said(built, args), await said(source, args), args.join(' '));
  }
});
