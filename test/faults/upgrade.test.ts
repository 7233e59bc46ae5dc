import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_ROUTES } from '../../src/app/service.ts';
import { isMigrated } from '../../src/lib/migrations/migrate.ts';
import { eventually } from '../harness/context.ts';
import { runPlaten } from '../harness/process.ts';
import { type OperatorClient, startTestService, type TestService } from '../harness/service.ts';
import { body, decorated, newReference, openShop, type Shop, servePicture } from '../harness/shop.ts';
import { assertSound, booksOf, rows } from '../harness/written.ts';

let service: TestService;
let operator: OperatorClient;
let shop: Shop;
let picture: string;

before(async () => {
  service = await startTestService();
  operator = await service.openOperator();
  shop = await openShop(service, 2_000);
  picture = await servePicture(service, '/upgrade.png', { widthPx: 600, heightPx: 600, colour: '#204060' });
  service.stranger.serve('/hook', { status: 204 });
  const subscribed = await shop.customer.request('POST', '/webhooks', { url: service.stranger.url('/hook') });
  assert.equal(subscribed.status, 201, subscribed.text);
});
after(() => service.stop());

type Seen = { readonly what: string; readonly status: number };

/** What a shop does in a day, once through: both APIs, reading and changing, a refund, and the workers behind them. */
async function day(seen: Seen[]): Promise<void> {
  const note = async (what: string, asking: Promise<{ status: number; body?: unknown }>) => {
    const answer = await asking;
    seen.push({ what, status: answer.status });
    return answer;
  };
  const { customer } = shop;
  await note('estimate', customer.request('POST', '/orders/estimate', body(shop)));
  const plain = await shop.order({ external_reference: newReference() });
  seen.push({ what: 'order', status: plain.status });
  const printed = await shop.order({ items: [decorated(shop, picture)], external_reference: newReference() });
  seen.push({ what: 'decorated order', status: printed.status });
  for (const { method, path } of API_ROUTES) {
    if (method !== 'GET' || !path.startsWith('/orders')) continue;
    await note(path, customer.request('GET', path.replace(/:\w+/, plain.body.id)));
  }
  for (const path of ['/products', '/webhooks', '/events', '/stock', '/catalog/products', '/account/balance']) {
    await note(path, customer.request('GET', path));
  }
  await note('operator’s list', operator.request('GET', '/orders?limit=5'));
  await note('operator’s order', operator.request('GET', `/orders/${plain.body.id}`));
  const key = { 'idempotency-key': newReference().replace(' ', '-') };
  await note('promote', operator.request('POST', `/orders/${plain.body.id}/promote`, undefined, key));
  await note('cancel', customer.request('POST', `/orders/${plain.body.id}/cancel`));
}

/** Goes through days in two lanes until it is told to end. */
function trade(): { readonly seen: Seen[]; readonly end: () => Promise<void> } {
  const seen: Seen[] = [];
  const over = new AbortController();
  const lanes = Array.from({ length: 2 }, async () => {
    while (!over.signal.aborted) await day(seen);
  });
  return {
    seen,
    end: async () => {
      over.abort();
      await Promise.all(lanes);
    },
  };
}

const failures = (seen: readonly Seen[]): Seen[] => seen.filter(({ status }) => status >= 500);

test('N208 migrate on three nodes at once under the traffic of a shop: nothing fails, nothing changes', async () => {
  const env = {
    DATABASE_URL: service.database.url,
    SECRET_KEY: 'a secret key of the tests, long enough',
    DATA_DIR: service.ctx.config.dataDir,
  };
  const trading = trade();
  const results = await Promise.all(Array.from({ length: 3 }, () => runPlaten(['migrate', '--json'], env)));
  await trading.end();
  for (const { status, stdout, stderr } of results) {
    assert.equal(status, 0, stderr);
    assert.deepEqual((JSON.parse(stdout) as { applied: string[] }).applied, []);
  }
  assert.ok(trading.seen.length > 15, `${trading.seen.length} requests`);
  assert.deepEqual(failures(trading.seen), []);
  await assertSound(service);
});

test('N208 the next version adds to every table while this one serves: no request fails, no plan of a statement breaks, nothing is lost', async (t) => {
  const tables = await rows<{ name: string; place: number }>(
    service,
    "select tablename::text as name, row_number() over (order by tablename) as place from pg_tables where schemaname = 'public'",
  );
  assert.ok(tables.length > 30);
  const seen: Seen[] = [];
  // Every connection has prepared its statements before anything changes.
  await Promise.all(Array.from({ length: 8 }, () => day(seen)));
  const trading = trade();
  for (const { name, place } of tables) {
    // As a migration does it: one transaction, with its number recorded at the end.
    await service.ctx.database.transaction(async (tx) => {
      const texts = [
        `alter table "${name}" add column of_the_future text`,
        `alter table "${name}" add column required_of_the_future integer not null default 7`,
        `create index "${name}_of_the_future" on "${name}" (of_the_future)`,
        `insert into schema_migration (version, name, checksum, applied_at)
         values (${9_000 + place}, 'of the future', '', clock_timestamp())`,
      ];
      for (const text of texts) await tx.all({ name: '', text }, []);
    });
  }
  await day(seen);
  await trading.end();
  await Promise.all(Array.from({ length: 8 }, () => day(seen)));
  t.diagnostic(`${trading.seen.length} requests during ${tables.length} migrations`);
  assert.deepEqual(failures([...seen, ...trading.seen]), []);
  assert.ok(await isMigrated(service.ctx.database), 'a database that is ahead is served as it is');
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200);

  const books = await booksOf(service, shop.customer);
  assert.equal(books.orders, books.charges);
  await eventually(
    'its workers go on: every print file is made',
    async () => (await rows(service, "select 1 from print_file where state <> 'ready'")).length === 0,
  );
  await eventually(
    'and every event is delivered',
    async () => (await rows(service, "select 1 from webhook_delivery where state <> 'succeeded'")).length === 0,
  );
  await assertSound(service);
});
