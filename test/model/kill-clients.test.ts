import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppContext, openContext } from '../../src/app/context.ts';
import { seedDemo } from '../../src/bin/seed-demo.ts';
import { readConfig } from '../../src/lib/config.ts';
import { statement } from '../../src/lib/db.ts';
import { silentLog } from '../../src/lib/log.ts';
import { createAuthority } from '../harness/authority.ts';
import { eventually } from '../harness/context.ts';
import { createTestDatabase } from '../harness/database.ts';
import { freePort, startServiceProcess } from '../harness/process.ts';
import { startProvider } from '../harness/provider.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { startStranger } from '../harness/stranger.ts';
import { numbersOf } from './clients-intentions.ts';
import { findUnkept } from './clients-oracle.ts';
import { assertAllTold, settleDown, subscribe } from './clients-rest.ts';
import { breatheOut, makeGate, orFails, startClients } from './clients-run.ts';
import { summary } from './clients-summary.ts';
import { CLIENTS, openWorld, type World } from './clients-world.ts';
import { assertInvariants } from './invariants.ts';

/** How often the service is killed while its clients act. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? (process.env.PLATEN_NIGHTLY === '1' ? 200 : 2));
const SEED = Number(process.env.PLATEN_CLIENTS_SEED ?? randomInt(2 ** 31));
/** It is killed at some moment between these, seen from when the clients begin. */
const EARLIEST_MS = 30;
const LATEST_MS = 1_500;

const again = `PLATEN_CLIENTS_SEED=${SEED} PLATEN_TEST_KILLS=${KILLS} node --test test/model/kill-clients.test.ts`;

test(`F101 killed ${KILLS} times under ${CLIENTS} customers and operators: what was told is so, what was not answered was done once or not at all, and its repeat does it once`, async (t) => {
  t.diagnostic(`the same clients again: ${again}`);
  const folder = await mkdtemp(join(tmpdir(), 'platen-kill-clients-'));
  const ends: (() => unknown)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  const database = await createTestDatabase();
  ends.push(database.drop);
  const provider = await startProvider();
  ends.push(provider.close);
  const authority = createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  ends.push(stranger.close);
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    BLOB_STORE: `file:${join(folder, 'blobs')}`,
    SECRET_KEY: 'one key for the service and the test',
    PORT: String(await freePort()),
    // Short, so that windows close and orders are promoted by themselves while the clients act.
    CANCELLATION_WINDOW_SECONDS: '20',
    AUTO_PROMOTE: 'on',
    WEBHOOK_FLUSH_SECONDS: '0',
    WEBHOOK_TIMEOUT_MS: '2000',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    RATE_LIMIT_TOKEN_PER_MINUTE: '0',
    RATE_LIMIT_IP_PER_MINUTE: '0',
    LOG_LEVEL: 'error',
    ...provider.env,
  };
  const config = readConfig(env);
  // What administrators do by commands the test does in its own process, on the same database.
  const { ctx, close } = await openContext({
    config,
    address: { connectionString: `${database.url}&application_name=${OURS}` },
    secretKey: env.SECRET_KEY,
    log: silentLog,
  });
  ends.push(close);
  const second = await openSecondConnection(database);
  ends.push(second.close);
  const demo = await seedDemo(ctx);
  let service = await startServiceProcess(env);
  ends.push(async () => {
    for (const line of service.logged().split('\n')) if (line !== '') t.diagnostic(line);
    if (service.isRunning()) await service.kill();
  });
  const world = await openWorld({ ctx, provider, url: () => service.url, demo });
  await subscribe(world, stranger);

  const gate = makeGate();
  const clients = startClients(world, SEED, gate);
  ends.push(breatheOut(world), gate.end);
  const draw = numbersOf(SEED);
  const met = { unanswered: 0, standing: 0 };
  const logged: string[] = [];
  for (let kill = 1; kill <= KILLS; kill += 1) {
    gate.open(Number.POSITIVE_INFINITY);
    await orFails(clients, sleep(EARLIEST_MS + draw() * (LATEST_MS - EARLIEST_MS)));
    gate.close();
    gate.down();
    await Promise.all([service.kill(), killTopUps(second)]);
    logged.push(service.logged());
    await gate.untilStill();
    await endLeases(ctx);
    const left = await unanswered(world);
    met.unanswered += left.unanswered;
    met.standing += left.standing;
    assert.deepEqual(await findUnkept(world), [], `after kill ${kill}, before anything is repeated`);
    service = await startServiceProcess(env);
    gate.up();
    await orFails(clients, gate.untilAllWait());
    await settleDown(world);
    assert.deepEqual(await findUnkept(world), [], `after kill ${kill}, once all is repeated`);
    await assertInvariants(ctx);
  }
  gate.end();
  await clients;
  await assertAllTold(world, stranger);
  assert.equal(await service.stop(), 0);
  assert.deepEqual(
    [...logged, service.logged()].filter((lines) => lines !== ''),
    [],
    'nothing went wrong inside',
  );
  assert.ok(met.unanswered > 0, 'a kill met a request under way');
  t.diagnostic(
    `${met.unanswered} requests were not answered, and ${met.standing} of them had been done; ${summary(world)}`,
  );
});

/** What the connections of the test itself are called. */
const OURS = 'clients';

/** Top-ups are made by commands, which die with their connections. */
async function killTopUps(second: SecondConnection): Promise<void> {
  const which = "datname = current_database() and state <> 'idle' and application_name = $1";
  await second.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${which}`, [OURS]);
}

const BUSY = statement<{ count: number }>(
  'clients_busy',
  `select count(*)::integer as count from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
);
const END_LEASES = [
  'update job set run_at = created_at where lease_token is not null',
  'update webhook_delivery set due_at = created_at where lease_token is not null',
  "update payment_attempt set look_at = created_at where state in ('open', 'unknown')",
].map((text, index) => statement<never>(`clients_end_lease_${index}`, text));

/**
 * Waits until the server has ended what the process that is gone had begun, and ends its leases, so that nobody waits
 * for them.
 */
async function endLeases({ database }: AppContext): Promise<void> {
  await eventually('its statements have ended', async () => (await database.one(BUSY, []))?.count === 0);
  for (const end of END_LEASES) await database.all(end, []);
}

const STANDING = statement<{ count: number }>(
  'clients_standing',
  `select ((select count(*) from operator_action where idempotency_key = any($1))
     + (select count(*) from order_reference where external_reference = any($1)))::integer as count`,
);

/**
 * Requests that no answer has come to, and how many of those by operators and of placings had been done all the same.
 */
async function unanswered({ ctx, journal }: World): Promise<{ unanswered: number; standing: number }> {
  const left = journal.filter(({ replies }) => replies.length === 0).map(({ key }) => key);
  const row = await ctx.database.one(STANDING, [left]);
  return { unanswered: left.length, standing: row?.count ?? 0 };
}
