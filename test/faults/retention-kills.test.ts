import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dryRun } from '../../src/privacy/retention/dry-run.ts';
import { openWalks } from '../../src/privacy/retention/progress-sql.ts';
import { runBatch } from '../../src/privacy/retention/sweep.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';
import { dyingAt } from '../harness/dying.ts';
import { openFloor, placeOrder } from '../harness/floor.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { assertSound, rows } from '../harness/written.ts';

// The sweep loses its connection at each of its statements in turn, as a process that is killed there would.

const DAY_MS = 86_400_000;
const OLD = 5;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const TABLES = ['event', 'webhook_delivery', 'print_file', 'design', 'ops_task', 'operator_action', 'posting'];

/** How many rows there are of each table that the sweep deletes of, and of one that it never does. */
async function counts(): Promise<Record<string, number>> {
  const each = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`);
  const mocks = `(select count(*) from order_line where mock_hash is not null) as mocks`;
  const jobs = `(select count(*) from job where kind = 'test') as job`;
  const [found] = await rows<Record<string, number>>(service, `select ${each.join(', ')}, ${mocks}, ${jobs}`);
  return found ?? {};
}

/** Fills the shop with what is old by the time that this returns, and with what is not. */
async function age(): Promise<void> {
  const floor = await openFloor(service);
  for (let made = 0; made < OLD; made += 1) {
    const order = await placeOrder(service);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'test' });
  }
  const now = service.ctx.clock.now();
  await rows(
    service,
    `insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
     select account_id, uuid_v7(created_at), gen_random_uuid(), 1, id, event, 'succeeded', created_at, created_at from event`,
  );
  const one = `generate_series(1, ${OLD}) as n`;
  await rows(
    service,
    `insert into print_file (key, account_id, recipe, state, created_at)
     select sha256(n::text::bytea), (select id from account limit 1), '{}', 'failed', $1 from ${one}`,
    [now],
  );
  await rows(
    service,
    `insert into job (id, kind, key, payload, run_at, failed_at, created_at)
     select gen_random_uuid(), 'test', n::text, '{}', $1, $1, $1 from ${one}`,
    [now],
  );
  await rows(
    service,
    `insert into ops_task (id, account_id, kind, note, opened_at, closed_at)
     select gen_random_uuid(), (select id from account limit 1), 'test', 'old', $1, $1 from ${one}`,
    [now],
  );
  service.shiftMs(800 * DAY_MS);
  await placeOrder(service);
  // What waits in memory would come after the dry run has counted.
  await service.ctx.requestLog.flush(service.ctx.database);
}

test('a sweep that dies at each of its statements deletes in the end what one that lives does, once, and nothing else', async () => {
  await age();
  const before = await counts();
  const would = await dryRun(service.ctx, 1_000);
  const countOf = (kind: string): number => would.find((row) => row.kind === kind)?.count ?? 0;
  assert.ok(
    ['events', 'deliveries', 'print_files', 'failed_jobs', 'closed_tasks'].every((kind) => countOf(kind) >= OLD),
  );

  const walks = WALKS.map((walk) => ({ ...walk, batch: 2 }));
  await openWalks(
    service.ctx.database,
    walks.map(({ name }) => name),
    service.ctx.clock.now(),
  );
  let deaths = 0;
  for (const walk of walks) {
    for (let isEnd = false, statement = 1; !isEnd; ) {
      const dying = dyingAt(service.ctx.database, statement);
      const outcome = await runBatch({ ...service.ctx, database: dying.database }, walk, true).catch(() => undefined);
      if (dying.hasDied()) {
        assert.equal(outcome, undefined, 'nothing was acknowledged');
        deaths += 1;
        statement += 1;
        continue;
      }
      assert.ok(outcome?.kind === 'done', walk.name);
      statement = 1;
      isEnd = outcome.isEnd;
    }
  }
  assert.ok(deaths > 3 * walks.length, `${deaths} deaths`);

  const after = await counts();
  assert.deepEqual(
    Object.fromEntries(Object.entries(before).map(([table, count]) => [table, count - (after[table] ?? 0)])),
    {
      event: countOf('events'),
      webhook_delivery: countOf('deliveries'),
      print_file: countOf('print_files'),
      design: countOf('designs'),
      job: countOf('failed_jobs'),
      ops_task: countOf('closed_tasks'),
      operator_action: countOf('audit_log'),
      posting: 0,
      mocks: countOf('line_mocks'),
    },
  );
  const counted = await rows<{ dropped: number }>(
    service,
    'select sum(dropped)::bigint as dropped from retention_walk',
  );
  assert.equal(
    counted[0]?.dropped,
    would.reduce((sum, { count }) => sum + count, 0),
    'each counted once',
  );
  assert.ok((await dryRun(service.ctx, 1_000)).every(({ count }) => count === 0));
  await assertSound(service);
});

test('two nodes at one walk delete each row once', async () => {
  await age();
  const due = (await dryRun(service.ctx, 1_000)).reduce((sum, { count }) => sum + count, 0);
  const [was] = await rows<{ dropped: number }>(service, 'select sum(dropped)::bigint as dropped from retention_walk');
  const one = async (): Promise<number> => {
    let dropped = 0;
    for (const walk of WALKS.map((each) => ({ ...each, batch: 2 }))) {
      for (;;) {
        const outcome = await runBatch(service.ctx, walk, true);
        if (outcome.kind === 'busy') continue;
        if (outcome.kind === 'done') dropped += outcome.dropped;
        if (outcome.kind === 'nothing to do' || outcome.isEnd) break;
      }
    }
    return dropped;
  };
  const [first, second] = await Promise.all([one(), one()]);
  assert.equal(first + second, due);
  const [is] = await rows<{ dropped: number }>(service, 'select sum(dropped)::bigint as dropped from retention_walk');
  assert.equal((is?.dropped ?? 0) - (was?.dropped ?? 0), due);
  await assertSound(service);
});
