import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { silentLog } from '../../src/lib/log.ts';
import { startProvider } from '../harness/provider.ts';
import { startTestService } from '../harness/service.ts';
import { findUnkept } from './clients-oracle.ts';
import { assertAllTold, settleDown, subscribe } from './clients-rest.ts';
import { breatheOut, makeGate, orFails, startClients } from './clients-run.ts';
import { summary } from './clients-summary.ts';
import { CLIENTS, openWorld, type World } from './clients-world.ts';
import { assertInvariants } from './invariants.ts';

const isNightly = process.env.PLATEN_NIGHTLY === '1';
/** What each of the clients does. */
const ACTIONS = Number(process.env.PLATEN_CLIENTS_ACTIONS ?? (isNightly ? 5_000 : 60));
const SEEDS = Number(process.env.PLATEN_CLIENTS_SEEDS ?? (isNightly ? 3 : 1));
const FIRST_SEED = Number(process.env.PLATEN_CLIENTS_SEED ?? randomInt(2 ** 31));
/** Between two rounds everybody rests, and the books are looked at. */
const ROUND_ACTIONS = isNightly ? 500 : 20;
/** By so much the clock goes on in each pause: after two of them the window of an order has closed. */
const PAUSE_MS = 40 * 60_000;

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed += 1) {
  const again = `PLATEN_CLIENTS_SEED=${seed} PLATEN_CLIENTS_SEEDS=1 PLATEN_CLIENTS_ACTIONS=${ACTIONS} node --test test/model/clients.test.ts`;

  test(`${CLIENTS} customers and operators at once on the same orders, stock and money: every answer is one that some order of events explains, and all that was told is so: seed ${seed}, ${ACTIONS} actions each`, async (t) => {
    t.diagnostic(`the same again: ${again}`);
    const provider = await startProvider();
    const busy: string[] = [];
    const warn = (fields: { code?: unknown; failure?: unknown }): void => {
      if (fields.code === 'unavailable') busy.push(JSON.stringify(fields.failure));
    };
    const log = { ...silentLog, warn };
    const service = await startTestService({ env: { ...provider.env, AUTO_PROMOTE: 'on' }, log });
    t.after(async () => {
      provider.letGo();
      await service.stop();
      await provider.close();
    });
    const { ctx, url, demo } = service;
    const world = await openWorld({ ctx, provider, url: () => url, demo });
    await subscribe(world, service.stranger);
    await run(world, seed, () => service.shiftMs(PAUSE_MS));
    await assertAllTold(world, service.stranger);
    for (const why of busy) t.diagnostic(`too busy: ${why}`);
    t.diagnostic(summary(world));
  });
}

/** Lets the clients act in rounds, and holds their journal against the database in each pause. */
async function run(world: World, seed: number, pause: () => void): Promise<void> {
  const gate = makeGate();
  const stopHanging = breatheOut(world);
  const clients = startClients(world, seed, gate);
  try {
    for (let round = 0; round * ROUND_ACTIONS < ACTIONS; round += 1) {
      gate.open(ROUND_ACTIONS);
      await orFails(clients, gate.untilAllWait());
      await settleDown(world);
      assert.deepEqual(await findUnkept(world), []);
      await assertInvariants(world.ctx);
      pause();
    }
  } finally {
    stopHanging();
    gate.end();
  }
  await clients;
  const lost = world.journal.filter((entry) => entry.lost > entry.busy).map(({ kind, key }) => `${kind} ${key}`);
  assert.deepEqual(lost, [], 'every request was answered');
}
