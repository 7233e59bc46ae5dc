import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { ErasureReceipt } from '../../../src/privacy/ops-schema.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { type Environment, platenJson, runManyCommands, runPlaten } from '../../harness/process.ts';
import { openSecondConnection } from '../../harness/second-connection.ts';

let folder: string;
let database: TestDatabase;
let env: Environment;
let account: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-privacy-'));
  database = await createTestDatabase();
  env = {
    DATABASE_URL: database.url,
    SECRET_KEY: 'one key for all commands of this test',
    DATA_DIR: join(folder, 'data'),
  };
  account = (await platenJson<{ id: string }>(['account', 'create', '--name', 'Left out'], env)).id;
});
after(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

test('privacy: an option that is left out erases no account: the whole account must be said', async () => {
  const wrong = [
    [],
    ['--whole-account', '--order', 'PF-7KQ2M9XA'],
    ['--whole-account', '--recipient', 'Ada Byron, LS1 4DY'],
    ['--order', 'PF-7KQ2M9XA', '--recipient', 'Ada Byron, LS1 4DY'],
  ].map((options) => ['erase', '--account', account, ...options]);
  for (const result of await runManyCommands(wrong, env)) {
    assert.equal(result.status, 2, result.stderr);
    assert.match(result.stderr, /^platen: give one of --order, --recipient and --whole-account\n$/);
  }
  const second = await openSecondConnection(database);
  try {
    assert.deepEqual(await second.query('select state from erasure'), []);
    assert.deepEqual(await second.query('select name, suspended_at from account'), [
      { name: 'Left out', suspended_at: null },
    ]);
  } finally {
    await second.close();
  }
});

test('privacy: who asks about a person hears when no order names them, and what a name alone lacks', async () => {
  const nobody = await runPlaten(['export-person', '--account', account, '--recipient', 'Ada Byron, LS1 4DY'], env);
  assert.equal(nobody.status, 0);
  assert.deepEqual((JSON.parse(nobody.stdout) as { orders: unknown[] }).orders, []);
  assert.match(nobody.stderr, /^No order names this recipient: check how the name and the postcode are written\.\n$/);
  const alone = await runPlaten(['export-person', '--account', account, '--recipient', 'Ada Byron'], env);
  assert.equal(alone.status, 1);
  assert.match(alone.stderr, /is required: a name alone may be that of several people\. .*"NAME, POSTCODE"/);
});

test('privacy: a whole account is erased when that is said, and the receipt says what stays', async () => {
  const shown = await runPlaten(['erase', '--account', account, '--whole-account'], env);
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /\nIt stays:\n {2}Invoices and credit notes/);
  const receipt = await platenJson<ErasureReceipt>(['erase', '--account', account, '--whole-account'], env);
  assert.deepEqual([receipt.scope, receipt.state], ['account', 'done']);
});
