import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { scratchParent } from '../../harness/scratch.ts';
import { DOCUMENTS, filled, firstLineOf, NOT_RUN, read, snippetsOf } from './documents.ts';

/** The tests that run the examples of a document. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'test/contract/snippets/readme.test.ts',
  'docs/runbook.md': 'test/contract/snippets/runbook.test.ts',
  'docs/walk-through-artwork.md': 'test/contract/snippets/walk-throughs.test.ts',
  'docs/walk-through-oauth.md': 'test/contract/snippets/walk-throughs.test.ts',
  'docs/walk-through-shop.md': 'test/contract/snippets/walk-throughs.test.ts',
  'docs/walk-through-webhook.md': 'test/contract/snippets/walk-throughs.test.ts',
  'packages/embedded-postgres/README.md': 'test/contract/snippets/documents.test.ts',
  'sdk/README.md': 'test/sdk/package.test.ts',
};

describe('the examples of the documents', () => {
  test('every one is run by a test, or listed with the reason why not', () => {
    assert.ok(DOCUMENTS.length > 25, 'the documents were read');
    const others = DOCUMENTS.filter((file) => snippetsOf(file).length > 0 && RUN_BY[file] === undefined);
    assert.deepEqual(others, []);
    for (const [file, by] of Object.entries(RUN_BY)) assert.ok(snippetsOf(file).length > 0 && existsSync(by), file);
  });

  test('the list names examples that are there', () => {
    const gone = NOT_RUN.filter(([file, first]) => !read(file).some(({ code }) => firstLineOf(code) === first));
    assert.deepEqual(gone, []);
  });
});

test('the example of the embedded PostgreSQL starts a server and stops it', async () => {
  const [example, ...more] = snippetsOf('packages/embedded-postgres/README.md');
  assert.ok(example !== undefined && more.length === 0);
  const folder = await mkdtemp(join(scratchParent(), 'platen-example-'));
  const silent = 'const log = { debug() {}, info() {}, warn() {}, error() {} };';
  const report = 'console.log(server.connection.user);';
  const code = filled(example, {
    "'.data'": JSON.stringify(join(folder, 'data')),
    'await server.stop()': `${report} await server.stop()`,
  });
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', `${silent}\n${code}`],
      {
        timeout: 120_000,
      },
    );
    assert.equal(stdout, 'platen\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
