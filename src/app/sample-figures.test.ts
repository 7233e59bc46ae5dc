import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { register } from 'prom-client';
import { eventually } from '../../test/harness/context.ts';
import { openSecondConnection } from '../../test/harness/second-connection.ts';
import { startTestService, type TestService } from '../../test/harness/service.ts';
import { basket } from '../../test/harness/shop.ts';
import { NORMALISE_JOB } from '../artwork/sql.ts';
import type { Database } from '../lib/db.ts';
import { silentLog } from '../lib/log.ts';
import { readOldestWrite } from '../lib/metrics/database-sql.ts';
import { sampleFigures, startSampling } from './sample-figures.ts';

const KINDS = [NORMALISE_JOB];

let service: TestService;
before(async () => {
  // Only the API: nothing works off what is to be counted.
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

/** The values of a metric as it is shown, by its labels. */
async function shown(name: string): Promise<Record<string, number>> {
  const pattern = new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm');
  const text = await register.getSingleMetricAsString(name);
  return Object.fromEntries([...text.matchAll(pattern)].map(([, labels = '', value]) => [labels, Number(value)]));
}

const sql = (text: string) => service.ctx.database.all<never>({ name: '', text }, []);

test('an API node samples by itself, though it works nothing off', async () => {
  await eventually('the first sample', async () => ((await shown('platen_sampled_timestamp_seconds'))[''] ?? 0) > 0);
});

test('what waits is counted by kind, with the age of the oldest that is due', async () => {
  const hook = await service.customer.request('POST', '/webhooks', { url: service.stranger.url('/hook') });
  assert.equal(hook.status, 201);
  const placed = await service.customer.request('POST', '/orders', basket(service));
  assert.equal(placed.status, 201);
  const [counted] = await service.ctx.database.all<{ jobs: number }>(
    { name: '', text: 'select count(*) as jobs from job' },
    [],
  );
  const jobs = counted?.jobs ?? 0;
  assert.ok(jobs > 0, 'the order has print files to make');
  await sql("update job set run_at = run_at - interval '1 hour'");
  await sql("update webhook_delivery set due_at = due_at - interval '2 hours'");
  await sampleFigures(service.ctx, KINDS);
  const waiting = Object.entries(await shown('platen_queue_jobs')).filter(([, count]) => count > 0);
  assert.deepEqual(waiting, [[`kind="${NORMALISE_JOB}"`, jobs]]);
  const age = (await shown('platen_queue_oldest_due_seconds'))[`kind="${NORMALISE_JOB}"`] ?? 0;
  assert.ok(age >= 3_600 && age < 3_900, String(age));
  assert.deepEqual(await shown('platen_webhook_deliveries_waiting'), { 'lane="open"': 1, 'lane="receiver"': 0 });
  const late = (await shown('platen_webhook_oldest_due_seconds'))[''] ?? 0;
  assert.ok(late >= 7_200 && late < 7_500, String(late));
  assert.deepEqual(await shown('platen_print_files_given_up'), { '': 0 });
});

test('a delivery in a lane counts for its receiver, and makes nothing late', async () => {
  await sql('update webhook_delivery set lined_up = true');
  await sampleFigures(service.ctx, KINDS);
  assert.deepEqual(await shown('platen_webhook_deliveries_waiting'), { 'lane="open"': 0, 'lane="receiver"': 1 });
  assert.deepEqual(await shown('platen_webhook_oldest_due_seconds'), { '': 0 });
});

test('stock of which more is promised than there is, and what promotion waits for', async () => {
  await sql('update stock set allocated = on_hand + 1 where sku in (select sku from stock order by sku limit 2)');
  await sql(
    `insert into promotion_shortage (order_id, sku, account_id, created_at)
     select o.id, s.sku, o.account_id, o.created_at from orders o, (select sku from stock order by sku limit 3) as s`,
  );
  await sampleFigures(service.ctx, KINDS);
  assert.deepEqual(await shown('platen_stock_short_skus'), { 'reason="promised"': 2, 'reason="wanted"': 3 });
  await sql('update stock set allocated = 0');
  await sql('delete from promotion_shortage');
});

test('spoiled pieces for which no blank is left are counted; they were promised to nobody before, so no count lost them', async () => {
  await sql(`
    insert into allocation (account_id, order_id, line_id, sku, allocated, for_spoiled, short, short_since)
    select account_id, order_id, id, sku, 3, 3, 3, clock_timestamp() from order_line order by id limit 1;
    update stock s set on_hand = 0, allocated = 3 from allocation a where a.sku = s.sku`);
  await sampleFigures(service.ctx, KINDS);
  assert.deepEqual(await shown('platen_production_short_pieces'), { '': 3 });
  assert.deepEqual(await shown('platen_stock_short_skus'), { 'reason="promised"': 0, 'reason="wanted"': 0 });
  await sql('update allocation set released = 2');
  await sampleFigures(service.ctx, KINDS);
  assert.deepEqual(await shown('platen_production_short_pieces'), { '': 1 });
  await sql('delete from allocation; update stock set allocated = 0');
});

test('how far the daily close is behind, and nothing under way at the payment provider', async () => {
  await sql("update seller_day set closed_until = clock_timestamp() - interval '30 hours'");
  await sampleFigures(service.ctx, KINDS);
  const lag = (await shown('platen_ledger_close_lag_seconds'))[''] ?? 0;
  // The service's clock follows the database's by measuring, so it may be some milliseconds behind.
  assert.ok(lag > 107_990 && lag < 108_300, String(lag));
  assert.deepEqual(await shown('platen_payment_attempts_under_way'), { 'state="open"': 0, 'state="unknown"': 0 });
  assert.deepEqual(await shown('platen_payment_oldest_under_way_seconds'), { '': 0 });
});

test('the oldest transaction that has written is seen, one that has only read is not', async () => {
  // Other databases of the server may have older ones.
  const second = await openSecondConnection(service.database);
  try {
    await second.query('begin');
    const [row] = await second.query('select now() as began_at');
    const beganAt = row?.began_at as Date;
    const oldest = async () => (await readOldestWrite(service.ctx.database))?.getTime();
    assert.notEqual(await oldest(), beganAt.getTime());
    await second.query('update stock set updated_at = updated_at');
    assert.ok(((await oldest()) ?? Number.POSITIVE_INFINITY) <= beganAt.getTime());
    await sampleFigures(service.ctx, KINDS);
    assert.ok(((await shown('platen_database_oldest_write_seconds'))[''] ?? 0) > 0);
    await second.query('rollback');
    assert.notEqual(await oldest(), beganAt.getTime());
  } finally {
    await second.close();
  }
});

test('live and dead rows of the tables that change most, and free space', async () => {
  await sampleFigures(service.ctx, KINDS);
  const rows = await shown('platen_database_rows');
  assert.ok('table="orders",state="dead"' in rows && 'table="job",state="live"' in rows, JSON.stringify(rows));
  const free = await shown('platen_disk_free_bytes');
  const size = await shown('platen_disk_size_bytes');
  assert.deepEqual(Object.keys(free), ['store="blobs"', 'store="data"']);
  for (const [store, bytes] of Object.entries(free)) assert.ok(bytes > 0 && bytes <= (size[store] ?? 0), store);
});

test('while the database cannot be sampled nothing is shown, the time stands still, and a line says why', async () => {
  await sampleFigures(service.ctx, KINDS);
  const at = await shown('platen_sampled_timestamp_seconds');
  const away = async (): Promise<never> => {
    throw new Error('no connection');
  };
  const database: Database = { ...service.ctx.database, all: away, one: away };
  const lines: string[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object, message: string) => void lines.push(JSON.stringify({ fields, message })),
  };
  await assert.rejects(sampleFigures({ ...service.ctx, database }, KINDS), /no connection/);
  for (const name of ['platen_queue_jobs', 'platen_webhook_oldest_due_seconds', 'platen_database_rows']) {
    assert.deepEqual(await shown(name), {}, name);
  }
  assert.deepEqual(await shown('platen_sampled_timestamp_seconds'), at);
  const worker = startSampling({ ...service.ctx, database, log }, { jobKinds: KINDS, firstMs: 0 });
  await eventually('the line', () => lines.length > 0);
  await worker.stop(1_000);
  assert.match(lines[0] ?? '', /figures for the metrics could not be sampled/);
  assert.match(lines[0] ?? '', /no connection/);
  await sampleFigures(service.ctx, KINDS);
  assert.notDeepEqual(await shown('platen_queue_jobs'), {});
});
