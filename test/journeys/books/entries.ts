import assert from 'node:assert/strict';
import type { Books, LedgerStatement } from '../../../src/billing/books-schema.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { Transaction } from '../../../src/billing/schema.ts';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { newId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { type FakeProvider, startProvider } from '../../harness/provider.ts';
import {
  type Customer,
  type ErrorReply,
  type OperatorClient,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

export let service: TestService;
export let provider: FakeProvider;
export let finance: OperatorClient;
/** A second person. */
export let second: OperatorClient;

/** Opens what these journeys share; for `before`. */
export async function openEntries(env: Record<string, string> = {}): Promise<void> {
  provider = await startProvider();
  service = await startTestService({ role: 'api', env: { ...provider.env, ...env } });
  [finance, second] = [await service.openOperator('finance'), await service.openOperator('admin')];
}

/** Closes it again, with sound books; for `after`. */
export async function closeEntries(): Promise<void> {
  await assertSound(service);
  await service.stop();
  await provider.close();
}

export type Answer = BookEntry & Omit<ErrorReply, 'status'>;

/** A POST of the finance, or of another operator. */
export const post = <Body = Answer>(path: string, body?: object, by = finance, key: string = newId()) =>
  by.request<Body>('POST', path, body, { 'idempotency-key': key });

/** As `post`, which must succeed. */
export async function made(path: string, body?: object, by = finance): Promise<BookEntry> {
  const answer = await post(path, body, by);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

/** The problems of a refusal, or its status and code. */
export async function refused(path: string, body: object | undefined, by = finance): Promise<readonly unknown[]> {
  const before = await written();
  const answer = await post<ErrorReply>(path, body, by);
  assert.ok(answer.status >= 400, answer.text);
  assert.deepEqual(await written(), before, 'a refusal wrote something');
  return answer.status === 422 ? problemsOf(answer) : [answer.status, answer.body.code];
}

/** How much there is of what an entry writes. */
async function written(): Promise<unknown> {
  return (
    await rows(
      service,
      `select (select count(*) from posting) as postings, (select count(*) from book_entry) as entries,
         (select count(*) from operator_action) as actions, (select sum(balance_pence) from account_balance) as balances`,
    )
  )[0];
}

export const cents = (amount: number): number => Math.round(amount * 100);

/** The balances of the books in pence, debits less credits, by account. */
export async function balances(): Promise<Record<string, number>> {
  const { body } = await finance.request<Books>('GET', '/books');
  return Object.fromEntries(body.accounts.map(({ account, balance }) => [account, cents(balance)]));
}

/** How the balances of the books differ after some work. */
export async function moved(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await balances();
  await work();
  const now = await balances();
  return Object.fromEntries(
    Object.keys(now).flatMap((name) => {
      const difference = (now[name] ?? 0) - (before[name] ?? 0);
      return difference === 0 ? [] : [[name, difference]];
    }),
  );
}

export type Credited = {
  readonly customer: Customer;
  readonly id: string;
  readonly accountId: Uuid;
  readonly posting: string;
};

/** A customer with a top-up by bank, and the posting of it. */
export async function credited(amountPence: number, reference: string = newId()): Promise<Credited> {
  const customer = await service.openCustomer();
  const { accountId } = customer;
  if (amountPence > 0) await creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference });
  const [row] = await rows<{ id: Uuid }>(
    service,
    "select id from posting where account_id = $1 and kind = 'top_up' order by entry desc limit 1",
    [accountId],
  );
  return {
    customer,
    id: publicId('acct', accountId),
    accountId,
    posting: row === undefined ? '' : publicId('pst', row.id),
  };
}

/** The statement of a customer as the customer reads it, latest first: type, amount, balance, words. */
export async function statementOf({ customer }: Pick<Credited, 'customer'>): Promise<readonly unknown[]> {
  const { body } = await customer.request<Page<Transaction>>('GET', '/account/transactions');
  return body.data.map(({ type, amount, balance_after: after, description }) => [type, amount, after, description]);
}

/** The statement of a ledger account, oldest first. */
export async function ledgerOf(account: string): Promise<LedgerStatement> {
  return (await finance.request<LedgerStatement>('GET', `/books/${account}?limit=100`)).body;
}

/** A line of a bank statement. */
export const bankCharge = (changes: object = {}): object => ({
  kind: 'bank_charge',
  amount_gbp: 7.5,
  reference: newId(),
  reason: 'Account fee.',
  ...changes,
});

/** An adjustment that needs a second person. */
export const adjustment = (changes: object = {}): object => ({
  kind: 'adjustment',
  debit: 'suspense',
  credit: 'bank',
  amount_gbp: 900,
  reference: newId(),
  reason: 'Not explained yet.',
  ...changes,
});
