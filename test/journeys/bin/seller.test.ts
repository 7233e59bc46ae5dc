import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEMO_SELLER, demoSellerFor } from '../../../src/bin/demo-seller.ts';
import { readConfig } from '../../../src/lib/config.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { runPlaten, startServiceProcess } from '../../harness/process.ts';

let database: TestDatabase;
const dataDir = mkdtempSync(join(tmpdir(), 'platen-seller-'));
before(async () => {
  database = await createTestDatabase();
});
after(async () => {
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const environment = (seller: Record<string, string>): Record<string, string> => ({
  DATABASE_URL: database.url,
  SECRET_KEY: 'a secret key of the tests, long enough',
  DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
  ...seller,
});

describe('platen serve ends with one line', () => {
  for (const [why, seller, line] of [
    ['a registered seller has no number', { SELLER_VAT_REGISTERED: 'yes' }, /SELLER_VAT_NUMBER is missing/],
    ['the number is wrong', { SELLER_VAT_NUMBER: 'GB123456789' }, /SELLER_VAT_NUMBER must be .* check digits/],
    [
      'the day of registration has come and there is no number',
      { SELLER_NAME: 'Mill Lane', SELLER_ADDRESS: 'Leeds', SELLER_VAT_REGISTERED: '2026-01-01', LOG_LEVEL: 'error' },
      /SELLER_VAT_NUMBER is missing: SELLER_VAT_REGISTERED=2026-01-01 has come/,
    ],
  ] as const) {
    test(`when ${why}`, async () => {
      const { status, stdout, stderr } = await runPlaten(['serve'], environment(seller));
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, /^platen: [^\n]+\n$/);
      assert.match(stderr, line);
    });
  }
});

describe('platen serve says in one line what is missing of the seller', () => {
  for (const [what, seller, said] of [
    ['everything', {}, /invoices lack SELLER_NAME, SELLER_ADDRESS, SELLER_VAT_NUMBER, /],
    ['nothing', { ...DEMO_SELLER, SELLER_VAT_REGISTERED: 'yes' }, undefined],
  ] as const) {
    test(what, async () => {
      const service = await startServiceProcess(environment(seller));
      const lines = service
        .logged()
        .split('\n')
        .filter((line) => line.includes('SELLER_'));
      assert.equal(await service.stop(), 0);
      assert.equal(lines.length, said === undefined ? 0 : 1, lines.join('\n'));
      if (said !== undefined) assert.match(lines[0] ?? '', said);
    });
  }
});

describe('npm start sells as the demo shop', () => {
  for (const [what, env, number] of [
    ['with a valid VAT number when nothing is set', {}, 'GB999999973'],
    ['without one when it is not registered for VAT', { SELLER_VAT_REGISTERED: 'no' }, ''],
    ['not at all when a name is set', { SELLER_NAME: 'Mill Lane' }, undefined],
    ['not at all when a number is set', { SELLER_VAT_NUMBER: 'GB999999918' }, undefined],
  ] as const) {
    test(what, () => {
      const added = demoSellerFor(env);
      if (number === undefined) assert.deepEqual(added, {});
      else assert.equal(readConfig({ ...env, ...added }).seller.vatNumber, number);
    });
  }
});
