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
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createDemoDatabase, type DemoDatabase, SECRET_KEY } from '../harness/database.ts';
import type { Environment } from '../harness/environment.ts';
import { settingsOfProcess } from '../harness/environment.ts';
import { type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';

/** What an outage of the workers has left; the nightly run leaves a hundred thousand. */
const LEFT = process.env.PLATEN_NIGHTLY === '1' ? 100_000 : 1_000;
/** As many as an account may have. */
const SUBSCRIPTIONS = 20;
/**
 * How many younger deliveries of its own subscription may overtake one, and how many of all: attempts that run at the
 * same moment arrive in any order, and a subscription has its turn after the others.
 */
const OVERTAKEN_MAX = 16;
const OVERTAKEN_OF_ALL_MAX = Math.max(400, LEFT / 100);
/** In its first minute the heap grows to its size; a long run shows that it stays there. */
const GROWTH_MAX_MIB = LEFT > 5_000 ? 64 : 192;

let folder: string;
let database: DemoDatabase;
let second: SecondConnection;
let env: Environment;
let demo: DemoReport;
let worker: ServiceProcess | undefined;

/** What has arrived, in its order: the number of the event, and of the subscription. */
const arrived: { event: number; subscription: string }[] = [];
const authority = createAuthority();
const certificate = authority.issue({ hostnames: ['127.0.0.1'], ips: ['127.0.0.1'] });
const receiver = createServer(certificate, (request, response) => void takeIn(request, response));

async function takeIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { data } = JSON.parse(await text(request)) as { data: { number: number } };
  arrived.push({ event: data.number, subscription: String(request.headers['svc-webhook-id']) });
  response.writeHead(204).end();
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-outbox-'));
  database = await createDemoDatabase(join(folder, 'data'));
  ({ demo } = database);
  second = await openSecondConnection(database);
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = receiver.address() as AddressInfo;
  env = settingsOfProcess({
    databaseUrl: database.url,
    secretKey: SECRET_KEY,
    dataDir: join(folder, 'data'),
    receiverPort: port,
    caFile: await authority.writeCa(folder),
  });
  const api = await startServiceProcess(env, ['--role', 'api']);
  for (let made = 0; made < SUBSCRIPTIONS; made += 1) {
    const answer = await fetch(`${api.url}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `https://127.0.0.1:${port}/hook` }),
    });
    assert.equal(answer.status, 201, await answer.text());
  }
  await api.stop();
});
after(async () => {
  if (worker?.isRunning()) await worker.kill();
  receiver.closeAllConnections();
  receiver.close();
  await second?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Leaves events that came due one after the other over the last hours, for one subscription after the other. */
async function leaveOutbox(): Promise<void> {
  await second.query(`
    with subscriber as (
      select id, account_id, row_number() over (order by id) - 1 as place from webhook_subscription
    ),
    happened as (
      insert into event (id, account_id, sequence, event, data, created_at)
      select gen_random_uuid(), s.account_id, n, 'order.on_hold',
             json_build_object('reference', 'PF-2345ABCD', 'status', 'pending', 'reason', 'held', 'number', n),
             clock_timestamp() - interval '10 hours' + n * interval '100 milliseconds'
      from generate_series(0, ${LEFT - 1}) as n join subscriber s on s.place = n % ${SUBSCRIPTIONS}
      returning id, account_id, event, created_at, sequence
    )
    insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, state, due_at, created_at)
    select gen_random_uuid(), h.account_id, s.id, 1, h.id, h.event, 'pending', h.created_at, h.created_at
    from happened h join subscriber s on s.place = h.sequence % ${SUBSCRIPTIONS}
  `);
  await second.query('analyze webhook_delivery; analyze event');
}

/** By how many places something came later than it would have in the order of age, at most. */
function overtaken(numbers: readonly number[]): number {
  const inOrder = numbers.toSorted((a, b) => a - b);
  const placeOf = new Map(inOrder.map((number, place) => [number, place]));
  return Math.max(...numbers.map((number, place) => place - (placeOf.get(number) ?? 0)));
}

async function residentMib(process: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${process.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]) / 1_048_576;
}

test(`N214 an outbox of ${LEFT} after an outage is drained in the order of age, each once, with flat memory`, async (t) => {
  await leaveOutbox();
  worker = await startServiceProcess(env, ['--role', 'worker']);
  const running = worker;
  const startedMs = performance.now();
  const samples: { share: number; mib: number }[] = [];
  await eventually(
    'all of it is delivered',
    async () => {
      samples.push({ share: arrived.length / LEFT, mib: await residentMib(running) });
      await new Promise((resolve) => setTimeout(resolve, LEFT / 100));
      return arrived.length >= LEFT;
    },
    LEFT * 20 + 60_000,
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  await eventually('and recorded', async () => {
    const [row] = await second.query(
      "select count(*)::integer as left from webhook_delivery where state <> 'succeeded'",
    );
    return row?.left === 0;
  });

  assert.equal(arrived.length, LEFT);
  assert.equal(new Set(arrived.map(({ event }) => event)).size, LEFT, 'each once');
  const bySubscription = Map.groupBy(arrived, ({ subscription }) => subscription);
  assert.equal(bySubscription.size, SUBSCRIPTIONS);
  const ofOne = Math.max(...[...bySubscription.values()].map((own) => overtaken(own.map(({ event }) => event))));
  const ofAll = overtaken(arrived.map(({ event }) => event));
  // Warm: its code is compiled, its pools are full.
  const warm = samples.filter(({ share }) => share >= 0.2);
  const growthMib = Math.max(...warm.map(({ mib }) => mib)) - (warm[0]?.mib ?? Number.NaN);
  t.diagnostic(
    `${Math.round(LEFT / seconds)} a second; overtaken by ${ofOne} of its own subscription, ${ofAll} of all; ` +
      `${Math.round(warm[0]?.mib ?? 0)} MiB, at most ${Math.round(growthMib)} more`,
  );
  assert.ok(ofOne <= OVERTAKEN_MAX, `${ofOne} younger ones of the same subscription were first`);
  assert.ok(ofAll <= OVERTAKEN_OF_ALL_MAX, `${ofAll} younger ones were first`);
  assert.ok(growthMib < GROWTH_MAX_MIB, `${growthMib} MiB more than after the first fifth`);
});
