import assert from 'node:assert/strict';
import type { Books } from '../../../src/billing/books-schema.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { callBack, openCardShop, placeCharged, seenBy, type Till } from '../../harness/card-shop.ts';
import { disputeOf, type FakeIntent, startProvider } from '../../harness/provider.ts';
import { type ErrorReply, type OperatorClient, startTestService } from '../../harness/service.ts';
import type { Shop } from '../../harness/shop.ts';

// What tests of disputes share: a shop that is paid by card, what the provider reports, and how the books change.

export let till: Till;
export let finance: OperatorClient;

/** Starts a service with a provider; without workers, so that the tests run the sweep themselves. */
export async function openTill(): Promise<void> {
  const provider = await startProvider();
  const service = await startTestService({ role: 'api', env: provider.env });
  till = { service, provider };
  finance = await service.openOperator('finance');
}

export async function closeTill(): Promise<void> {
  await till.service.stop();
  await till.provider.close();
}

export const cents = (amount: number): number => Math.round(amount * 100);

/** A callback of a dispute, answered with 200. */
export const told = (event: string, intent: FakeIntent, changes: object = {}): Promise<void> =>
  callBack(till, `charge.dispute.${event}`, disputeOf(intent, changes));

export const act = (order: CreatedOrder, path: string, body?: object) =>
  finance.request<OpsOrder & Pick<ErrorReply, 'code'>>('POST', `/orders/${order.id}/${path}`, body);

type Moved = Readonly<Record<string, number>>;

async function books(): Promise<Moved> {
  const { accounts } = (await finance.request<Books>('GET', '/books')).body;
  return Object.fromEntries(accounts.map(({ account, balance }) => [account, cents(balance)]));
}

/** By how many pence the books change while something is done. */
export async function moved(work: () => Promise<unknown>): Promise<Moved> {
  const before = await books();
  await work();
  const now = await books();
  return Object.fromEntries(
    Object.keys({ ...before, ...now }).flatMap((account) => {
      const difference = (now[account] ?? 0) - (before[account] ?? 0);
      return difference === 0 ? [] : [[account, difference]];
    }),
  );
}

export async function tasksOf(order: CreatedOrder): Promise<[kind: string, note: string][]> {
  return (await seenBy(finance, order)).tasks.map(({ kind, note }) => [kind, note]);
}

export const kindsOf = async (order: CreatedOrder): Promise<string[]> => (await tasksOf(order)).map(([kind]) => kind);

export async function attemptOf(order: CreatedOrder): Promise<OpsOrder['payment_attempts'][number]> {
  const [attempt] = (await seenBy(finance, order)).payment_attempts;
  assert.ok(attempt, 'nothing was tried');
  return attempt;
}

/** An order that a card has paid. */
export async function paid(): Promise<{ shop: Shop; order: CreatedOrder; intent: FakeIntent; total: number }> {
  const shop = await openCardShop(till);
  return { shop, ...(await placeCharged(till, shop)), total: shop.totalPence };
}
