import assert from 'node:assert/strict';
import { issueDueDocuments } from '../../src/invoices/issue-due.ts';
import { sweepAttempts } from '../../src/payments/sweep.ts';
import type { Action } from './acting.ts';
import { CANCELLING } from './cancelling.ts';
import { drive, feeling, GOOD_FORTUNE } from './charging.ts';
import { checkerOf } from './check.ts';
import { assertInvariants } from './invariants.ts';
import { MAKING } from './making.ts';
import { PAUSING } from './pausing.ts';
import { PAYING } from './paying.ts';
import { PLACING } from './placing.ts';
import { type Random, randomOf } from './random.ts';
import { RUNNING_SHORT } from './running-short.ts';
import { openWorld, type World } from './world.ts';

// A history: steps that a seed draws, each done at the doors of the service and in the model, and compared.
//
// After each step: the answer; every order that the step named, its lines, money, events, moves, attempts, parcels
// and tasks; all balances and shelves; how many orders, events and moves there are; and that a refused step has
// written nothing. The whole database, by its own invariants and by those of `platen verify`, and what the provider
// has charged: every fifty steps at first, later every five hundred, and at the end.

const WHOLE_EVERY = 50;
const WHOLE_EVERY_LATER = 500;
const LATER_FROM = 1_000;
const TOLD_MAX = 15;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Time goes by: a little, past the window of cancellation, past the provider's day, past what a top-up settles. */
const wait: Action = {
  name: 'wait',
  weight: 3,
  plan: ({ model }, random) => {
    const ms = random.pick([5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS + 1, 5 * HOUR_MS, 20 * HOUR_MS, 73 * HOUR_MS]);
    return {
      told: `${ms} ms`,
      run: async () => {
        model.now += ms;
        return '';
      },
    };
  },
};

const ACTIONS: readonly Action[] = [
  ...PLACING,
  ...PAYING,
  ...CANCELLING,
  ...MAKING,
  ...PAUSING,
  ...RUNNING_SHORT,
  wait,
];

/** What was done in a history, a line for each step, and how it was answered. */
export type Told = readonly string[];

/**
 * Lives the history of a seed. Throws, at the first step that is not as the model has it, with the seed, the last
 * steps and how to live it again.
 */
export async function live(seed: number, steps: number): Promise<Told> {
  const random = randomOf(seed);
  const world = await openWorld(random);
  const told: string[] = [];
  try {
    const { check } = checkerOf(world);
    await check();
    for (let step = 1; step <= steps; step += 1) {
      await oneStep(world, random, told, check);
      if (step % (step < LATER_FROM ? WHOLE_EVERY : WHOLE_EVERY_LATER) === 0) await checkWhole(world);
    }
    await endWell(world, check);
    return told;
  } catch (error) {
    throw new Error(explained(seed, told, world.warnings, error), { cause: error });
  } finally {
    await world.close();
  }
}

async function oneStep(world: World, random: Random, told: string[], check: () => Promise<void>): Promise<void> {
  const { model } = world;
  model.now += random.between(1, 4_000);
  world.warnings.length = 0;
  const action = random.weighted(ACTIONS);
  const plan = action.plan(world, random);
  if (plan === undefined) {
    told.push(`${action.name}: nothing to do it with`);
    return;
  }
  told.push(`${action.name} ${plan.told}`);
  const answer = await plan.run();
  told[told.length - 1] += ` → ${answer}`;
  await check();
}

/** What must hold of the whole: the database by itself, and the provider as the model has it. */
async function checkWhole(world: World): Promise<void> {
  await assertInvariants(world.ctx);
  const known = new Map(
    world.model.orders.flatMap(({ attempts }) => attempts.map((attempt) => [attempt.id as string, attempt] as const)),
  );
  for (const { attempt, amount, status, charges } of world.provider.intents) {
    const made = known.get(attempt);
    assert.deepEqual([STATUS_OF.get(status), amount], [made?.intent?.status, made?.pence], `the charge of ${attempt}`);
    assert.ok(charges <= 1, `attempt ${attempt} was charged ${charges} times`);
  }
  const begun = [...known.values()].filter(({ intent }) => intent !== undefined).length;
  assert.equal(world.provider.intents.length, begun, 'one charge at the provider for each attempt');
}

/** The provider's words in those of the model. */
const STATUS_OF: ReadonlyMap<string, string> = new Map([
  ['requires_confirmation', 'unconfirmed'],
  ['succeeded', 'accepted'],
  ['processing', 'accepted'],
  ['requires_payment_method', 'declined'],
  ['canceled', 'cancelled'],
]);

/** When all is over, every charge has its end and every paper is written, and nothing is wrong with the whole. */
async function endWell(world: World, check: () => Promise<void>): Promise<void> {
  const { model, ctx } = world;
  model.now += DAY_MS;
  for (const order of model.orders) {
    if (order.attempt !== undefined) drive(model, order, order.attempt, { aim: 'charge', fortune: GOOD_FORTUNE });
  }
  await feeling(world, GOOD_FORTUNE, async () => {
    while ((await sweepAttempts(ctx)) > 0);
  });
  await check();
  while ((await issueDueDocuments(ctx)) > 0) model.now += MINUTE_MS;
  await checkWhole(world);
}

function explained(seed: number, told: Told, warnings: readonly string[], error: unknown): string {
  const first = Math.max(0, told.length - TOLD_MAX);
  return [
    `seed ${seed}, step ${told.length}: ${error instanceof Error ? error.message : String(error)}`,
    'The last steps:',
    ...told.slice(first).map((line, index) => `  ${first + index + 1}. ${line}`),
    ...warnings.map((warning) => `  the service warned: ${warning}`),
    `To live it again: PLATEN_MODEL_SEED=${seed} PLATEN_MODEL_STEPS=${told.length} node --test test/model/history.test.ts`,
  ].join('\n');
}
