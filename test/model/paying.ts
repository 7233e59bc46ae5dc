import assert from 'node:assert/strict';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { issueDueDocuments } from '../../src/invoices/issue-due.ts';
import { ApiError } from '../../src/lib/errors.ts';
import { publicId } from '../../src/lib/ids.ts';
import { pence, toPounds } from '../../src/lib/money.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import { retryWaitingOrders } from '../../src/payments/retry-payment.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { sweepAttempts, sweepFailed } from '../../src/payments/sweep.ts';
import { disputeOf, type FakeIntent } from '../harness/provider.ts';
import {
  type Action,
  answered,
  CONFLICT,
  DONE,
  drawAgain,
  type Foretold,
  INVALID,
  nameOf,
  operate,
  pickOrder,
  UNKNOWN,
} from './acting.ts';
import { DRIVEN_FOR_MS, drive, feeling, fortuneOf, GOOD_FORTUNE, toldFortune, tryBalance } from './charging.ts';
import {
  type Model,
  type ModelAccount,
  type ModelAttempt,
  type ModelOrder,
  markPaid,
  move,
  paidOf,
  returnPayment,
  settledUntil,
  waitingOf,
} from './model.ts';
import { credit, leftToCredit } from './money-back.ts';
import type { Random } from './random.ts';
import { endAttempt, isPayable, payWaiting, settleAll, shareSetup } from './settling.ts';
import type { World } from './world.ts';

// What happens to the money of orders that stand: top-ups, charges and their late ends, settlements, goodwills.

const topUp: Action = {
  name: 'top up',
  weight: 5,
  plan: (world, random) => {
    const { account, id } = random.pick(world.shoppers);
    const known = [...account.topUps.keys()];
    const isRepeat = known.length > 0 && random.chance(0.25);
    const reference = isRepeat ? random.pick(known) : `bank ${account.topUps.size + 1}`;
    const edge = random.chance(0.25) ? edgeOf(world.model, account, random) : undefined;
    const before = account.topUps.get(reference);
    const drawn = edge?.pence ?? random.between(1, random.pick([500, 5_000, 60_000]));
    const amount = before !== undefined && random.chance(0.5) ? before : drawn;
    return {
      told: `${account.name} ${amount} as ${reference}${edge === undefined ? '' : `, ${edge.at - world.model.now} ms later`}`,
      run: async () => {
        const { ctx, model } = world;
        if (edge !== undefined) model.now = edge.at;
        const input = { accountId: id, amountPence: pence(amount), reference };
        if (before !== undefined && before !== amount) {
          const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'conflict';
          await assert.rejects(creditAccount(ctx, input), isRefusal);
          return 'refused';
        }
        assert.equal((await creditAccount(ctx, input)).posted, before === undefined);
        if (before === undefined) account.balancePence += amount;
        account.topUps.set(reference, amount);
        const settled = settleAll(model, account);
        assert.equal(await settleWaitingOrders(ctx, id), settled);
        return before === undefined ? `posted, ${settled} settled` : `posted before, ${settled} settled`;
      },
    };
  },
};

/** The last millisecond at which a top-up settles an order, or the one after it, and what the order lacks. */
function edgeOf(model: Model, account: ModelAccount, random: Random): { at: number; pence: number } | undefined {
  const waiting = waitingOf(model, account);
  if (waiting.length === 0) return undefined;
  const order = random.pick(waiting);
  return { at: settledUntil(order) + random.pick([0, 1]), pence: order.totalPence - paidOf(order) };
}

/** A new card: the waiting orders are charged by it, until one is not paid. */
const changeMethod: Action = {
  name: 'payment method',
  weight: 2,
  plan: (world, random) => {
    const { account, id } = random.pick(world.shoppers.filter(({ account: { name } }) => name !== 'penniless'));
    if (!account.hasMethod && !random.chance(0.1)) return undefined;
    const fortune = fortuneOf(random);
    const reference = `pm_${random.between(100, 999)}`;
    return {
      told: `${account.name} ${reference} [${toldFortune(fortune)}]`,
      run: async () => {
        const { ctx, model } = world;
        assert.equal(await setPaymentMethod(ctx, { accountId: id, kind: 'card', reference }), 'checked');
        account.hasMethod = true;
        const foretold = chargeWaiting(model, waitingOf(model, account), fortune);
        assert.equal(await feeling(world, fortune, () => retryWaitingOrders(ctx, id)), foretold);
        return `${foretold} paid`;
      },
    };
  },
};

function chargeWaiting(model: Model, orders: readonly ModelOrder[], fortune: ReturnType<typeof fortuneOf>): number {
  let paid = 0;
  let left = fortune;
  for (const order of orders) {
    const taken = payWaiting(model, order, true);
    if (taken === 'covered') paid += 1;
    if (taken !== 'attempted' || order.attempt === undefined) continue;
    if (drive(model, order, order.attempt, { aim: 'charge', fortune: left }) !== 'paid') return paid;
    // What would have befallen a call of the first still may befall the next.
    if (left.trouble !== undefined && HAPPENED.has(left.trouble.call)) left = { ...left, trouble: undefined };
    paid += 1;
  }
  return paid;
}

/** The calls that a charge which was paid has made. */
const HAPPENED: ReadonlySet<string> = new Set(['create', 'confirm']);

const settle: Action = {
  name: 'settle',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ state }) => state === 'awaiting_payment');
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/settle`, drawAgain(random)];
    return {
      told: `order ${order.index}`,
      run: async () => {
        const isWaiting = order.state === 'awaiting_payment' && order.attempt === undefined;
        world.model.touched.add(order);
        if (isWaiting) {
          shareSetup(world.model, order, 0);
          const [balance] = order.payments;
          if (balance !== undefined) balance.pence += order.totalPence - paidOf(order);
          markPaid(order);
          move(world.model, order, 'settle', 'placed', 'order.created');
        }
        return answered(
          await operate(world, { path }, isWaiting ? DONE : CONFLICT, again),
          isWaiting ? DONE : CONFLICT,
        );
      },
    };
  },
};

const retry: Action = {
  name: 'retry payment',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(
      world.model,
      random,
      ({ state, account }) => state === 'awaiting_payment' && account.hasMethod,
    );
    if (order === undefined) return undefined;
    const [path, again, fortune] = [
      `/orders/${nameOf(order, random)}/retry-payment`,
      drawAgain(random),
      fortuneOf(random),
    ];
    return {
      told: `order ${order.index} [${toldFortune(fortune)}]`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const isWaiting = order.state === 'awaiting_payment' && order.attempt === undefined;
        const taken = isWaiting && isPayable(order) ? payWaiting(model, order, true) : 'nothing';
        if (taken === 'attempted' && order.attempt !== undefined) {
          drive(model, order, order.attempt, { aim: 'charge', fortune });
        }
        const foretold = taken === 'nothing' ? CONFLICT : DONE;
        return answered(await feeling(world, fortune, () => operate(world, { path }, foretold, again)), foretold);
      },
    };
  },
};

const MINUTE_MS = 60_000;
/** The sweep leaves no attempt alone for longer, and takes so many at a time. */
const SWEEP_AFTER_MS = 16 * MINUTE_MS;
const SWEEP_AT_ONCE = 20;

const sweep: Action = {
  name: 'sweep',
  weight: 4,
  plan: (world, random) => {
    const due = world.model.orders.filter(({ attempt }) => attempt !== undefined);
    const drawn = fortuneOf(random);
    // Several are asked for at once: then nobody knows which of them the trouble befalls.
    const fortune = due.length > 1 ? { ...drawn, trouble: undefined } : drawn;
    // At the twentieth hour of one of them, or a millisecond before.
    const late = due.length > 0 && random.chance(0.3) ? random.pick([0, 1]) : undefined;
    return {
      told: `${due.length} under way${late === undefined ? '' : ', late'} [${toldFortune(fortune)}]`,
      run: async () => {
        const { ctx, model } = world;
        model.now += SWEEP_AFTER_MS;
        const [first] = due;
        if (late !== undefined && first?.attempt !== undefined) {
          model.now = Math.max(model.now, first.attempt.createdAt + DRIVEN_FOR_MS - late);
        }
        let foretold = 0;
        for (const order of due) {
          const { attempt } = order;
          if (attempt === undefined) continue;
          if (drive(model, order, attempt, { aim: 'charge', fortune }) !== 'unresolved') foretold += 1;
        }
        let ended = 0;
        await feeling(world, fortune, async () => {
          for (let round = 0; round <= due.length / SWEEP_AT_ONCE; round += 1) ended += await sweepAttempts(ctx);
        });
        assert.equal(ended, foretold);
        assert.equal(await sweepFailed(ctx), 0, 'the balance was tried at once');
        return `${ended} ended`;
      },
    };
  },
};

const TYPES = [
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'charge.dispute.funds_withdrawn',
  'charge.updated',
] as const;

/** A callback is a hint: late, early, doubled or wrong, the provider is read, and what that says counts once. */
const callback: Action = {
  name: 'callback',
  weight: 5,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ attempts }) => attempts.some(({ intent }) => intent !== undefined));
    const attempts = order?.attempts.filter(({ intent }) => intent !== undefined) ?? [];
    if (order === undefined || attempts.length === 0) return undefined;
    const attempt = random.pick(attempts);
    const type = random.pick(TYPES);
    const turns = random.chance(0.35);
    const times = random.pick([1, 1, 2]);
    const isForged = random.chance(0.05);
    return {
      told: `${type} for order ${order.index}, attempt ${order.attempts.indexOf(attempt)} (${attempt.state}, ${attempt.intent?.status})${turns ? ' after it turned' : ''}, ${times} times${isForged ? ', forged' : ''}`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const intent = intentOf(world, attempt);
        if (turns && !isForged) turn(world, attempt, intent);
        const object = type === 'charge.dispute.funds_withdrawn' ? disputeOf(intent) : { id: intent.id };
        if (isForged) {
          assert.equal(await world.callBack(type, object, 'whsec_of_somebody_else'), 400);
          return '400';
        }
        for (let time = 0; time < times; time += 1) {
          hear(model, order, attempt, type);
          assert.equal(await world.callBack(type, object), 200);
        }
        return `${attempt.state}${attempt.isReturned ? ', returned' : ''}`;
      },
    };
  },
};

function intentOf(world: World, attempt: ModelAttempt): FakeIntent {
  const intent = world.provider.intents.find(({ attempt: name }) => name === attempt.id);
  assert.ok(intent, `the provider has an intent of attempt ${attempt.id}`);
  return intent;
}

/** A declined payment is made after all, or an accepted one fails. */
function turn(world: World, attempt: ModelAttempt, intent: FakeIntent): void {
  if (attempt.intent === undefined || attempt.isReturned) return;
  if (attempt.intent.status === 'declined') {
    attempt.intent.status = 'accepted';
    world.provider.turn(intent, 'succeeded');
  } else if (attempt.intent.status === 'accepted') {
    attempt.intent.status = 'declined';
    world.provider.turn(intent, 'requires_payment_method');
  }
}

function hear(model: Model, order: ModelOrder, attempt: ModelAttempt, type: (typeof TYPES)[number]): void {
  const isDispute = type === 'charge.dispute.funds_withdrawn';
  // One that we have no name of yet is nobody's, and other types are passed over.
  if (attempt.intent?.isHeard !== true || type === 'charge.updated') return;
  if (attempt.state === 'under way' && !isDispute) {
    drive(model, order, attempt, { aim: 'read', fortune: GOOD_FORTUNE });
    return;
  }
  const { status } = attempt.intent;
  const [isTaken, isLost] = [status === 'accepted', status === 'declined' || status === 'cancelled'];
  if (isDispute) {
    // What is disputed was paid, whatever had been thought of it.
    if (attempt.state !== 'succeeded' && isTaken) endAttempt(model, order, attempt, 'paid');
    if (attempt.state === 'succeeded' && !attempt.isReturned) returnPayment(model, order, attempt);
  } else if (attempt.state === 'failed' && isTaken) endAttempt(model, order, attempt, 'paid');
  else if (attempt.state === 'succeeded' && isLost && !attempt.isReturned) returnPayment(model, order, attempt);
}

/** An operator's word counts only for a charge whose end the provider does not tell (operating, "resolve"). */
const resolveByHand: Action = {
  name: 'end a charge by hand',
  weight: 2,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ attempt }) => attempt !== undefined);
    const attempt = order?.attempt ?? order?.attempts.at(-1);
    if (order === undefined || attempt?.id === undefined) return undefined;
    const fortune = fortuneOf(random);
    const outcome = random.pick(['succeeded', 'failed'] as const);
    const path = `/orders/${nameOf(order, random)}/payment-attempts/${publicId('pay', attempt.id)}/resolve`;
    return {
      told: `order ${order.index} as ${outcome} [${toldFortune(fortune)}]`,
      run: async () => {
        const { model } = world;
        model.touched.add(order);
        const foretold = endedByHand(model, order, attempt, { outcome, fortune });
        const body = { outcome, reason: 'the provider says so' };
        return answered(await feeling(world, fortune, () => operate(world, { path, body }, foretold, 'no')), foretold);
      },
    };
  },
};

function endedByHand(
  model: Model,
  order: ModelOrder,
  attempt: ModelAttempt,
  { outcome, fortune }: { outcome: 'succeeded' | 'failed'; fortune: ReturnType<typeof fortuneOf> },
): Foretold {
  if (attempt.state !== 'under way') return CONFLICT;
  if (drive(model, order, attempt, { aim: 'read', fortune }) !== 'unresolved') return CONFLICT;
  // What was never begun with the provider has taken no money.
  if (outcome === 'succeeded' && attempt.intent?.isHeard !== true) return CONFLICT;
  endAttempt(model, order, attempt, outcome === 'failed' ? 'failed' : 'paid');
  if (outcome === 'failed') tryBalance(model, order);
  return DONE;
}

const goodwill: Action = {
  name: 'goodwill',
  weight: 3,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, (known) => known.isPaid && leftToCredit(known) > 0);
    if (order === undefined) return undefined;
    const [path, again] = [`/orders/${nameOf(order, random)}/refunds`, drawAgain(random)];
    const left = leftToCredit(order);
    const pounds = random.chance(0.1)
      ? 0.001
      : toPounds(pence(Math.max(1, drawAmount(left, random.between(0, 9), random.between(1, 300)))));
    return {
      told: `${pounds} of order ${order.index}, ${left} left`,
      run: async () => {
        world.model.touched.add(order);
        const amount = Math.round(pounds * 100);
        const isWhole = Number.isInteger(Math.round(pounds * 1_000) / 10);
        const foretold = !isWhole ? INVALID : !order.isPaid ? CONFLICT : amount > left ? INVALID : DONE;
        if (foretold === DONE) {
          order.hasGoodwill = true;
          credit(order, amount);
          move(world.model, order, 'refund', order.state);
        }
        const body = { amount_gbp: pounds, reason: 'late' };
        return answered(await operate(world, { path, body }, foretold, again), foretold);
      },
    };
  },
};

/** Mostly a little, sometimes all of it or a penny more. */
function drawAmount(left: number, draw: number, little: number): number {
  return draw === 0 ? left + 1 : draw === 1 ? left : little;
}

const payOut: Action = {
  name: 'refund paid',
  weight: 4,
  plan: (world, random) => {
    const order = pickOrder(world.model, random, ({ owedPence, payments }) => owedPence > 0 || payments.length > 1);
    if (order === undefined) return undefined;
    const payments = order.payments.filter(({ attempt }) => attempt !== undefined);
    const payment = payments.length === 0 ? undefined : random.pick(payments);
    const again = drawAgain(random);
    const name = nameOf(order, random);
    return {
      told: `payment ${payment === undefined ? 'that is not there' : order.payments.indexOf(payment)} of order ${order.index}`,
      run: async () => {
        world.model.touched.add(order);
        const id = payment?.attempt?.id === undefined ? NOBODY : publicId('pay', payment.attempt.id);
        const foretold = payment === undefined ? UNKNOWN : payment.back === 0 ? CONFLICT : DONE;
        if (payment !== undefined && payment.owed > 0) {
          order.refundedPence += payment.owed;
          order.owedPence -= payment.owed;
          payment.owed = 0;
          move(world.model, order, 'refund_paid', order.state);
        }
        const path = `/orders/${name}/refunds/${id}/paid`;
        return answered(await operate(world, { path }, foretold, again), foretold);
      },
    };
  },
};

const NOBODY = 'pay_01jc0000000000000000000000';

/** The sweep that writes invoices and credit notes changes nothing of any order. */
const invoice: Action = {
  name: 'issue invoices',
  weight: 1,
  plan: (world) => ({
    told: '',
    run: async () => {
      world.model.now += 2 * MINUTE_MS;
      return `${await issueDueDocuments(world.ctx)} orders`;
    },
  }),
};

export const PAYING: readonly Action[] = [
  topUp,
  changeMethod,
  settle,
  retry,
  sweep,
  callback,
  resolveByHand,
  goodwill,
  payOut,
  invoice,
];
