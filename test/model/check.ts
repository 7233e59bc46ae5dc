import assert from 'node:assert/strict';
import { type Statement, statement } from '../../src/lib/db.ts';
import { parseId, publicId, type Uuid } from '../../src/lib/ids.ts';
import { judgeOrder, type OrderFacts, readOrderFacts } from './invariants.ts';
import type { Model, ModelOrder } from './model.ts';
import { checkTold } from './told.ts';
import type { World } from './world.ts';

// After each step: what the step may have changed is in the database as it is in the model, and nothing else was
// written.

type Whole = {
  readonly written: Readonly<Record<string, number>>;
  readonly balances: Readonly<Record<string, number>>;
  readonly shelves: Readonly<Record<string, readonly [onHand: number, allocated: number]>>;
};

/** What every order has a row of, and what only those have that something was done to. */
const COUNTED = [
  'orders',
  'event',
  'order_history',
  'posting',
  'refund',
  'order_credit',
  'allocation',
  'payment_attempt',
] as const;

const WHOLE: Statement<Whole> = statement(
  'model_whole',
  `select json_build_object(${COUNTED.map((table) => `'${table}', (select count(*) from ${table})`).join(', ')}) as written,
     (select json_object_agg(account_id, balance_pence) from account_balance where account_id = any($1::uuid[])) as balances,
     (select json_object_agg(sku, json_build_array(on_hand, allocated)) from stock where sku = any($2::text[])) as shelves`,
);

/** Checks after each step of a history. */
export type Checker = { readonly check: () => Promise<void> };

export function checkerOf(world: World): Checker {
  const { ctx, model, shoppers } = world;
  let before: Whole['written'] | undefined;
  const seen = new Map<ModelOrder, number>();
  return {
    check: async () => {
      const touched = [...model.touched];
      const ids = touched.map((order) => uuidOf(order));
      const [facts, whole] = await Promise.all([
        touched.length === 0 ? [] : readOrderFacts(ctx.database, ids),
        ctx.database.one(WHOLE, [shoppers.map(({ id }) => id), [...model.shelves.keys()]]),
      ]);
      assert.ok(whole);
      for (const order of touched)
        compare(
          order,
          facts.find(({ id }) => id === uuidOf(order)),
        );
      assert.deepEqual(facts.flatMap(judgeOrder), []);
      await checkTold(world, new Map(touched.map((order) => [uuidOf(order), order])), seen);
      assert.deepEqual(
        whole.balances,
        Object.fromEntries(shoppers.map(({ id, account }) => [id, account.balancePence])),
      );
      assert.deepEqual(
        whole.shelves,
        Object.fromEntries([...model.shelves].map(([sku, { onHand, allocated }]) => [sku, [onHand, allocated]])),
      );
      assert.deepEqual(
        [whole.written.orders, whole.written.event, whole.written.order_history],
        [model.orders.length, sum(model, ({ events }) => events.length), sum(model, ({ history }) => history.length)],
        'orders, events and moves',
      );
      if (touched.length === 0 && before !== undefined) {
        const { posting, ...others } = whole.written;
        const { posting: postedBefore, ...othersBefore } = before;
        assert.deepEqual(others, othersBefore, 'a step that changes no order writes nothing of one');
        assert.ok((posting ?? 0) - (postedBefore ?? 0) <= 1, 'one top-up is one posting');
      }
      before = whole.written;
      model.touched.clear();
    },
  };
}

function sum(model: Model, of: (order: ModelOrder) => number): number {
  return model.orders.reduce((total, order) => total + of(order), 0);
}

function uuidOf({ id }: ModelOrder): Uuid {
  const uuid = parseId('ord', id);
  assert.ok(uuid);
  return uuid;
}

/** Holds what the database says of an order to the model, and learns the names of its attempts and parcels. */
function compare(order: ModelOrder, facts: OrderFacts | undefined): void {
  assert.ok(facts, `order ${order.index} is there`);
  for (const [index, { id }] of facts.attempts.entries()) {
    const attempt = order.attempts[index];
    if (attempt !== undefined) attempt.id = id;
  }
  assert.deepEqual(seen(facts), expected(order), `order ${order.index}, ${order.reference}`);
}

/** What the model and the database must agree on of an order. */
function seen(facts: OrderFacts): object {
  return {
    state: facts.state,
    heldFrom: facts.held_from,
    isPaid: facts.is_paid,
    total: facts.total_pence,
    fromBalance: facts.balance_paid_pence,
    byMethod: facts.method_paid_pence,
    unwanted: facts.unwanted_pence,
    refunded: facts.refunded_pence,
    owed: facts.refund_owed_pence,
    credited: facts.credited_pence,
    isCharging: facts.attempt_id !== null,
    attempts: facts.attempts.map(({ state, pence, is_returned: isReturned }) => [
      state === 'open' || state === 'unknown' ? 'under way' : state,
      pence,
      isReturned,
    ]),
    events: facts.events.map(({ event }) => event),
    history: facts.history.map(({ action, to }) => [action, to]),
    shipments: facts.shipments.map((id) => publicId('shp', id)),
    tasks: facts.tasks,
    lines: facts.lines.map((line) => [
      line.sku,
      line.quantity,
      line.cancelled,
      line.shipped,
      line.spoiled,
      line.started,
      line.paused,
      line.done,
      line.allocation?.allocated ?? 0,
      line.allocation?.consumed ?? 0,
      line.allocation?.released ?? 0,
      line.allocation?.short ?? 0,
    ]),
  };
}

function expected(order: ModelOrder): object {
  const [balance, ...methods] = order.payments;
  return {
    state: order.state,
    heldFrom: order.heldFrom ?? null,
    isPaid: order.isPaid,
    total: order.totalPence,
    fromBalance: balance?.pence ?? 0,
    byMethod: methods.reduce((total, { pence }) => total + pence, 0) - order.unwantedPence,
    unwanted: order.unwantedPence,
    refunded: order.refundedPence,
    owed: order.owedPence,
    credited: order.creditedPence,
    isCharging: order.attempt !== undefined,
    attempts: order.attempts.map(({ state, pence, isReturned }) => [state, pence, isReturned]),
    events: order.events,
    history: order.history,
    shipments: order.shipments.map(({ id }) => id),
    tasks: order.tasks,
    lines: order.lines.map((line) => [
      line.sku,
      line.quantity,
      line.cancelled,
      line.shipped,
      line.spoiled,
      line.isStarted,
      line.pausedAt !== undefined,
      line.done,
      line.allocated,
      line.consumed,
      line.released,
      line.short,
    ]),
  };
}
