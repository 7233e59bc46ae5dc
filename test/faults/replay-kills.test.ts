import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createDemoDatabase, type DemoDatabase, SECRET_KEY } from '../harness/database.ts';
import type { Environment } from '../harness/environment.ts';
import { settingsOfProcess } from '../harness/environment.ts';
import { type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';

/** What a receiver has missed; the nightly run replays a hundred thousand. */
const MISSED = process.env.PLATEN_NIGHTLY === '1' ? 100_000 : 60;
const KILLS = process.env.PLATEN_NIGHTLY === '1' ? 10 : 2;
const UNDER_WAY_MAX = 3;
/** For the best of five counts. */
const PLAN_MS_MAX = 200;

let folder: string;
let database: DemoDatabase;
let second: SecondConnection;
let env: Environment;
let api: ServiceProcess;
let worker: ServiceProcess | undefined;

/** The numbers of the events that have arrived, in their order. */
const arrived: number[] = [];
const authority = createAuthority();
const certificate = authority.issue({ hostnames: ['127.0.0.1'], ips: ['127.0.0.1'] });
const receiver = createServer(certificate, (request, response) => void takeIn(request, response));

async function takeIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  arrived.push((JSON.parse(await text(request)) as { sequence: number }).sequence);
  response.writeHead(204).end();
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-replay-'));
  database = await createDemoDatabase(join(folder, 'data'));
  second = await openSecondConnection(database);
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  const settings = settingsOfProcess({
    databaseUrl: database.url,
    secretKey: SECRET_KEY,
    dataDir: join(folder, 'data'),
    receiverPort: port,
    caFile: await authority.writeCa(folder),
  });
  // An end is asked for many times a second.
  env = { ...settings, RATE_LIMIT_TOKEN_PER_MINUTE: '0', RATE_LIMIT_IP_PER_MINUTE: '0' };
  api = await startServiceProcess(env, ['--role', 'api']);
  await second.query(`
    insert into event (id, account_id, sequence, event, data, created_at)
    select uuid_v7(clock_timestamp() - interval '2 hours' + n * interval '10 milliseconds'), a.account_id, n, 'order.on_hold',
      json_build_object('reference', 'PF-2345ABCD', 'status', 'pending', 'reason', 'held'),
      clock_timestamp() - interval '2 hours' + n * interval '10 milliseconds'
    from generate_series(1, ${MISSED}) as n,
      (select id as account_id from account where id in (select account_id from access_token) order by id limit 1) as a
  `);
  await second.query('analyze event');
});
after(async () => {
  if (worker?.isRunning()) await worker.kill();
  if (api?.isRunning()) await api.stop();
  receiver.closeAllConnections();
  receiver.close();
  await second?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function ask<Body>(method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(`${api.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${database.demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answered = await answer.text();
  assert.ok(answer.ok, answered);
  return JSON.parse(answered) as Body;
}

async function subscribe(): Promise<string> {
  const { port } = receiver.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}/hook`;
  return (await ask<{ id: string }>('POST', '/webhooks', { url, events: ['order.on_hold'] })).id;
}

const spanOfAll = () => ({ since: new Date(Date.now() - 3 * 3_600_000).toISOString() });

/** A lease of a dead worker runs half a minute; the tests do not wait for it. */
const endLeases = () =>
  second.query(
    "update webhook_delivery set due_at = now() where state in ('pending', 'retrying') or lease_token is not null",
  );

type Started = { events: number; replay: Replay };
type Replay = { id: string; status: string; events: number; sent: number; succeeded: number; failed: number };

test(`a replay of ${MISSED} events loses and doubles nothing over ${KILLS} kills, a pause and a resume`, async (t) => {
  const id = await subscribe();
  const span = spanOfAll();
  const planMs: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const startedMs = performance.now();
    const plan = await ask<Started>('POST', `/webhooks/${id}/replay`, { ...span, dry_run: true });
    planMs.push(performance.now() - startedMs);
    assert.equal(plan.events, MISSED);
  }
  assert.ok(Math.min(...planMs) < PLAN_MS_MAX, `the plan took ${planMs.map(Math.round).join(', ')} ms`);

  const { replay } = await ask<Started>('POST', `/webhooks/${id}/replay`, span);
  const path = `/webhooks/${id}/replays/${replay.id}`;
  const startedMs = performance.now();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    worker = await startServiceProcess(env, ['--role', 'worker']);
    const from = arrived.length;
    await eventually('some arrive', () => arrived.length >= from + Math.min(20, MISSED / 10));
    if (kill === 2) {
      assert.equal((await ask<Replay>('PATCH', path, { status: 'paused' })).status, 'paused');
      assert.equal((await ask<Replay>('PATCH', path, { status: 'running' })).status, 'running');
    }
    await worker.kill();
    await endLeases();
  }
  worker = await startServiceProcess(env, ['--role', 'worker']);
  const done = await eventually(
    'its end',
    async () => {
      const seen = await ask<Replay>('GET', path);
      return seen.status === 'completed' && seen;
    },
    60_000 + MISSED * 60,
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  t.diagnostic(
    `counted in ${planMs.map(Math.round).join(', ')} ms; ${Math.round(MISSED / seconds)} a second, the kills included`,
  );
  assert.deepEqual([done.events, done.sent, done.succeeded, done.failed], [MISSED, MISSED, MISSED, 0]);
  const [made] = await second.query(
    "select count(*)::integer as all, count(distinct event_id)::integer as events from webhook_delivery where kind = 'replay'",
  );
  assert.deepEqual(made, { all: MISSED, events: MISSED }, 'one delivery for each event');
  assert.equal(new Set(arrived).size, MISSED, 'each has arrived');
  // What a killed worker had sent and not recorded comes again under its own ids.
  assert.ok(arrived.length <= MISSED + KILLS * UNDER_WAY_MAX, `${arrived.length} arrived`);
  const late = arrived.map((number, place) => place - (number - 1));
  assert.ok(Math.max(...late.map(Math.abs)) <= (KILLS + 1) * UNDER_WAY_MAX, 'oldest first');
});

test(`of ${KILLS} replays that are cancelled while their worker dies nothing more is sent, and all that was made is counted`, async () => {
  if (worker?.isRunning()) await worker.kill();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const id = await subscribe();
    const { replay } = await ask<Started>('POST', `/webhooks/${id}/replay`, spanOfAll());
    const path = `/webhooks/${id}/replays/${replay.id}`;
    const from = arrived.length;
    worker = await startServiceProcess(env, ['--role', 'worker']);
    await eventually('some arrive', () => arrived.length >= from + Math.min(20, MISSED / 10));
    // The worker dies before the cancel, beside it, or after it.
    const cancel = () => ask<Replay>('PATCH', path, { status: 'cancelled' });
    if (kill % 3 === 0) await worker.kill();
    const [cancelled] = await Promise.all([cancel(), kill % 3 === 1 ? worker.kill() : undefined]);
    if (kill % 3 === 2) await worker.kill();
    assert.equal(cancelled.status, 'cancelled');
    await endLeases();

    worker = await startServiceProcess(env, ['--role', 'worker']);
    const done = await eventually('all that was made is counted', async () => {
      const seen = await ask<Replay>('GET', path);
      return seen.sent === seen.succeeded + seen.failed && seen;
    });
    assert.deepEqual([done.status, done.sent], ['cancelled', cancelled.sent], 'no delivery is made after the cancel');
    const [left] = await second.query(
      `select count(*) filter (where state in ('pending', 'retrying'))::integer as open, count(*)::integer as made,
         count(distinct event_id)::integer as events
       from webhook_delivery d where kind = 'replay' and subscription_id = (
         select subscription_id from webhook_replay order by id desc limit 1)`,
    );
    assert.deepEqual(left, { open: 0, made: done.sent, events: done.sent });
    assert.ok(arrived.length - from <= done.sent + UNDER_WAY_MAX, `${arrived.length - from} arrived of ${done.sent}`);
    await worker.kill();
  }
});
