import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { importCatalogue } from '../../../src/pricing/import-catalogue.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { runPlaten } from '../../harness/process.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

let database: TestDatabase;
let service: TestService;
const dataDir = mkdtempSync(join(tmpdir(), 'platen-stored-book-'));
before(async () => {
  database = await createTestDatabase();
  service = await startTestService({ database, role: 'api' });
});
after(async () => {
  await service.stop();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

type CatalogueFile = { price_book: { valid_from: string } };
const demo = (): CatalogueFile =>
  JSON.parse(readFileSync(new URL('../../../data/demo/catalogue.json', import.meta.url), 'utf8')) as CatalogueFile;
beforeEach(() => importCatalogue(service.ctx, demo()));

/** Leaves the latest price book as an earlier version would have stored it, which did not tell this territory apart. */
async function forget(territory: string, member: 'vat_rates' | 'duty_rules'): Promise<void> {
  const kept =
    member === 'vat_rates'
      ? `select jsonb_agg(jsonb_set(rate, '{territories}', (rate->'territories') - $1)) from jsonb_array_elements(document->'vat_rates') rate`
      : `select jsonb_agg(rule) from jsonb_array_elements(document->'duty_rules') rule where rule->>'territory' <> $1`;
  await rows(
    service,
    `update price_book set document = jsonb_set(document, '{${member}}', (${kept}))
     where version = (select max(version) from price_book)`,
    [territory],
  );
}

const start = (role: string) =>
  runPlaten(['serve', '--role', role], {
    DATABASE_URL: database.url,
    BLOB_STORE: database.blobStore,
    SECRET_KEY: 'a secret key of the tests, long enough',
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'silent',
  });

for (const [territory, member] of [
  ['im', 'vat_rates'],
  ['eu_outlying', 'duty_rules'],
] as const) {
  test(`a stored price book without ${member} for ${territory} is refused at the start by one line that names the territory`, async () => {
    await forget(territory, member);
    const { status, stdout, stderr } = await start('api');
    const { valid_from: from } = demo().price_book;
    assert.deepEqual([status, stdout], [1, '']);
    assert.equal(
      stderr,
      `platen: The price book that is valid from ${from} lacks VAT rates or a duty rule for ${territory}: add them to its file and run platen catalogue import FILE\n`,
    );
  });
}

test('once a whole price book for the same time is imported, what was stored before is history and the service starts', async () => {
  await forget('im', 'vat_rates');
  await assert.rejects(startTestService({ database, role: 'api' }), /lacks VAT rates or a duty rule for im:/);
  await importCatalogue(service.ctx, demo());
  const again = await startTestService({ database, role: 'api' });
  assert.equal((await fetch(`${again.url}/readyz`)).status, 200);
  await again.stop();
});

test('a price book that is still to come is held to the same; a worker prices nothing and starts all the same', async () => {
  const later = { ...demo().price_book, valid_from: '2099-01-01T00:00:00.000Z' };
  await importCatalogue(service.ctx, { ...demo(), price_book: later });
  await forget('rest', 'vat_rates');
  await assert.rejects(
    startTestService({ database, role: 'api' }),
    /valid from 2099-01-01T00:00:00.000Z lacks .* rest:/,
  );
  const worker = await startTestService({ database, role: 'worker' });
  await worker.stop();
});
