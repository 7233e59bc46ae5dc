import assert from 'node:assert/strict';
import type { Books } from '../../../src/billing/books-schema.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator of the finance. */
export let finance: OperatorClient;

/** Pounds as pence. */
export const cents = (amount: number): number => Math.round(amount * 100);

/** A GET of the finance, which must succeed. */
export async function get<Body>(path: string, by = finance): Promise<Body> {
  const answer = await by.request<Body>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** The books at a time. */
export const books = (at?: Date): Promise<Books> => get(at === undefined ? '/books' : `/books?at=${at.toISOString()}`);

/** The balances of the books in pence, by account; those of 0 left out. */
export async function balances(at?: Date): Promise<Record<string, number>> {
  const { accounts } = await books(at);
  return Object.fromEntries(
    accounts.flatMap(({ account, balance }) => (balance === 0 ? [] : [[account, cents(balance)]])),
  );
}

/** Places an order. */
export async function place(changes: object = {}): Promise<CreatedOrder> {
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service, changes));
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A time that lies between what was done before and what is done after. */
export function pause(ms = 1_000): Date {
  service.shiftMs(ms);
  const at = service.ctx.clock.now();
  service.shiftMs(1_000);
  return at;
}

/** Adds money to the account. */
export const topUp = (amount: number, reference: string): Promise<unknown> =>
  creditAccount(service.ctx, {
    accountId: service.customer.accountId,
    amountPence: pence(amount),
    reference,
  });

/** Opens what these journeys share; for `before`. */
export async function openBooks(): Promise<void> {
  // Without workers: the tests close the days themselves.
  service = await startTestService({ role: 'api' });
  finance = await service.openOperator('finance');
}

/** Closes it again; for `after`. */
export async function closeBooks(): Promise<void> {
  await service.stop();
}
