import assert from 'node:assert/strict';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy } from '../../harness/card-shop.ts';
import { disputeOf, type FakeIntent, movedBy } from '../../harness/provider.ts';
import type { Shop } from '../../harness/shop.ts';
import { finance, ledgerOf, made, post, provider, service } from './entries.ts';

// What tests of corrected collections share: an order whose payment came back, and what is done with it.

export const CORRECTIONS = '/books/corrections';

export type Returned = {
  readonly shop: Shop;
  readonly order: CreatedOrder;
  readonly intent: FakeIntent;
  readonly account: string;
  readonly payment: string;
  /** In pence. */
  readonly total: number;
};

/** A callback of a dispute. */
export const told = (event: string, { intent }: Pick<Returned, 'intent'>, changes: object = {}): Promise<void> =>
  callBack({ service, provider }, `charge.dispute.${event}`, disputeOf(intent, changes));

export const win = (of: Pick<Returned, 'intent'>): Promise<void> => told('closed', of, { status: 'won' });

/** A dispute takes so much. */
export const take = (of: Pick<Returned, 'intent'>, id: string, pence: number): Promise<void> =>
  told('funds_withdrawn', of, { id, amount: pence, ...movedBy(-pence) });

/** A dispute that took so much gives so much back. */
export const giveBack = (of: Pick<Returned, 'intent'>, id: string, taken: number, back: number): Promise<void> =>
  told('funds_reinstated', of, {
    id,
    amount: taken,
    status: taken === back ? 'won' : 'lost',
    ...movedBy(-taken, back),
  });

/** An order that a card or a direct debit has paid. */
export async function paid(kind: 'card' | 'direct_debit' = 'card'): Promise<Returned> {
  const till = { service, provider };
  provider.decide(kind === 'card' ? 'accept' : 'process');
  const shop = await openCardShop(till, 0, kind);
  const { order, intent } = await placeCharged(till, shop);
  const account = publicId('acct', shop.customer.accountId);
  return { shop, order, intent, account, payment: (await attemptOf(order)).id, total: shop.totalPence };
}

/** An order whose payment by card is disputed. */
export async function disputed(): Promise<Returned> {
  const of = await paid();
  await told('funds_withdrawn', of);
  return of;
}

/** An order whose disputed payment was collected by bank. */
export async function collected(): Promise<Returned> {
  const of = await disputed();
  await collect(of);
  return of;
}

/** Records that what is owed of a payment came by bank. */
export async function collect(of: Pick<Returned, 'order' | 'payment'>): Promise<void> {
  const answer = await tryCollect(of);
  assert.equal(answer.status, 200, answer.text);
}

export const tryCollect = ({ order, payment }: Pick<Returned, 'order' | 'payment'>) =>
  post<OpsOrder & { detail: string; code: string }>(`/orders/${order.id}/payments/${payment}/recovered`);

/** A correction of the posting by which an order was collected, the latest by default. */
export async function correctionOf({ order, account }: Returned, changes: object = {}, place = -1): Promise<object> {
  const { data } = await ledgerOf('receivables');
  const posting = data
    .filter(({ order_id: id, kind, side }) => id === order.id && kind === 'charge_recovered' && side === 'credit')
    .at(place);
  assert.ok(posting, 'nothing was collected');
  return { posting_id: posting.id, account_id: account, reason: 'It was for another customer.', ...changes };
}

/** Corrects the latest collection of an order. */
export const correct = async (of: Returned, changes: object = {}): Promise<BookEntry> =>
  made(CORRECTIONS, await correctionOf(of, changes));

/** Takes an entry back. */
export const takeBack = (entry: Pick<BookEntry, 'id'>): Promise<BookEntry> =>
  made(CORRECTIONS, { entry_id: entry.id, reason: 'It was right after all.' });

export async function attemptOf(order: CreatedOrder): Promise<OpsOrder['payment_attempts'][number]> {
  const [attempt] = (await seenBy(finance, order)).payment_attempts;
  assert.ok(attempt);
  return attempt;
}

/** Whether a payment is open: it came back, and is not collected or given back. */
export async function isOpen(order: CreatedOrder): Promise<boolean> {
  const { returned_at: returnedAt, recovered_at: recoveredAt } = await attemptOf(order);
  return returnedAt !== null && recoveredAt === null;
}

/** What operators are asked to collect of an order, in pence, by its tasks. */
export async function asked(order: CreatedOrder): Promise<number[]> {
  const tasks = (await seenBy(finance, order)).tasks.filter(({ kind }) => kind === 'payment_returned');
  return tasks.map(({ note }) => Math.round(Number(note.match(/Collect £([\d.]+)/)?.[1] ?? 0) * 100));
}
