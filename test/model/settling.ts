import {
  type Model,
  type ModelAccount,
  type ModelAttempt,
  type ModelOrder,
  markPaid,
  move,
  paidOf,
  type Taken,
  take,
  waitingOf,
} from './model.ts';

// How an order that waits is paid, and what comes off its price first (domain, "Setup": the right to a setup comes with
// the first order that is paid; one that waits meanwhile settles for less, never for more).

/** Pays a waiting order at its present price, as far as it goes, and says what came of it. */
export function payWaiting(model: Model, order: ModelOrder, mayCharge: boolean): Taken {
  shareSetup(model, order, 0);
  const taken = take(order, model.now, mayCharge);
  if (taken === 'covered') move(model, order, 'settle', 'placed', 'order.created');
  if (taken === 'attempted') move(model, order, 'retry_payment', 'awaiting_payment');
  return taken;
}

/** Whether anything would pay it, the setup taken off first. An operator's retry changes nothing otherwise. */
export function isPayable(order: ModelOrder): boolean {
  const { account } = order;
  const due = order.totalPence - offOf(order) - paidOf(order);
  return account.balancePence + Math.max(0, -due) >= due || (account.hasMethod && due >= 30);
}

/** Settles an account's waiting orders by its balance, the oldest first; says how many it paid. */
export function settleAll(model: Model, account: ModelAccount): number {
  let settled = 0;
  for (;;) {
    shareAll(model, account);
    let bought = false;
    let after = -1;
    for (;;) {
      const covered = waitingOf(model, account).filter(
        (order) => order.index > after && order.totalPence - paidOf(order) <= account.balancePence,
      );
      for (const order of covered) {
        if (payWaiting(model, order, false) !== 'covered') continue;
        settled += 1;
        bought ||= order.lines.some(({ isEmbroidered }) => isEmbroidered);
      }
      const last = covered.at(-1);
      if (last === undefined) break;
      after = last.index;
    }
    if (!bought) return settled;
  }
}

/** Takes the setup off every order that waits, once another has paid it. */
export function shareAll(model: Model, account: ModelAccount): void {
  for (const order of waitingOf(model, account)) shareSetup(model, order, 0);
}

/**
 * Takes the setup off an order that is about to be paid, once another has paid it. What the balance has paid too much
 * goes back to it. Returns what the payment that is coming has too much beyond that.
 */
export function shareSetup(model: Model, order: ModelOrder, incoming: number): number {
  const off = offOf(order);
  if (off === 0) return 0;
  const [balance] = order.payments;
  if (balance === undefined) throw new Error('every order has the balance among its payments');
  const surplus = Math.max(0, paidOf(order) + incoming - (order.totalPence - off));
  const back = Math.min(surplus, balance.pence);
  balance.pence -= back;
  order.account.balancePence += back;
  order.totalPence -= off;
  order.vatPence -= off - order.setupPence;
  order.netPence -= order.setupPence;
  order.setupPence = 0;
  move(model, order, 'share_setup', order.state);
  return surplus - back;
}

/** The setup and the VAT on it, if another order has paid it; else nothing. */
function offOf(order: ModelOrder): number {
  const { setupPence: setup, vatPence: vat } = order;
  if (setup === 0 || order.account.relying.size === 0) return 0;
  if (!order.isTaxed) return setup;
  // What is taxed of goods, setup and shipping, whose share is rounded to the penny.
  const goods = order.lines.reduce((sum, line) => sum + line.unitPence * line.quantity, 0);
  const free = order.lines.reduce((sum, line) => sum + (line.isZeroRated ? line.unitPence * line.quantity : 0), 0);
  const shipping = order.netPence - goods - setup;
  const share = Math.floor((2 * shipping * (goods - free + setup) + goods + setup) / (2 * (goods + setup)));
  const taxed = goods - free + setup + share;
  return setup + vat - Math.floor((2 * vat * (taxed - setup) + taxed) / (2 * taxed));
}

/** Books how an attempt ended. Money for an order that does not want it any more is owed to the customer. */
export function endAttempt(model: Model, order: ModelOrder, attempt: ModelAttempt, end: 'paid' | 'failed'): void {
  const isCurrent = order.attempt === attempt;
  if (end === 'failed') {
    attempt.state = 'failed';
    if (!isCurrent) return;
    order.attempt = undefined;
    move(model, order, 'payment_failed', 'awaiting_payment', 'order.payment_failed');
    return;
  }
  attempt.state = 'succeeded';
  const due = order.totalPence - paidOf(order);
  const isFree = isCurrent || order.attempt === undefined;
  const isWanted = order.state === 'awaiting_payment' && due === attempt.pence && isFree;
  const tooMuch = isWanted ? shareSetup(model, order, attempt.pence) : 0;
  order.payments.push({
    attempt,
    pence: attempt.pence,
    back: tooMuch,
    owed: tooMuch,
    setOff: 0,
    isUnwanted: !isWanted,
  });
  if (isWanted) {
    order.unwantedPence += tooMuch;
    order.owedPence += tooMuch;
    if (tooMuch > 0) order.tasks.push('unwanted_payment');
    order.attempt = undefined;
    markPaid(order);
    move(model, order, 'settle', 'placed', 'order.created');
    return;
  }
  const payment = order.payments.at(-1);
  if (payment !== undefined) Object.assign(payment, { back: attempt.pence, owed: attempt.pence });
  order.unwantedPence += attempt.pence;
  order.owedPence += attempt.pence;
  order.tasks.push('unwanted_payment');
  move(model, order, 'unwanted_payment', order.state);
}
