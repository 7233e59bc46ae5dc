import assert from 'node:assert/strict';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import type { CardTopUp } from '../../../src/payments/top-ups/top-up-schema.ts';
import { callBack } from '../../harness/card-shop.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import type { FakePage } from '../../harness/provider.ts';
import type { Answer } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';
import { provider, service } from './cards.ts';

/** People of an account whose balance is topped up by card. */
export type Till = { owner: PortalClient; accountId: Uuid };

/** Opens an account without a balance, with its owner signed in. */
export async function openTill(): Promise<Till> {
  const { accountId } = await service.openCustomer({ balancePence: 0 });
  return { owner: await openRole(service, 'owner', accountId), accountId };
}

/** Begins a top-up; the answer as it comes. */
export function begin(client: PortalClient, amount: unknown, key: string | undefined = newId()) {
  const headers = { 'idempotency-key': key };
  return client.request<CardTopUp>('POST', '/top-ups', { body: { amount_gbp: amount }, headers });
}

/** Asks how a top-up stands. */
export const look = (client: PortalClient, { id }: CardTopUp): Promise<Answer<CardTopUp>> =>
  client.request<CardTopUp>('POST', `/top-ups/${id}/look`);

/** Begins a top-up; with the page that it is paid on. */
export async function begun({ owner }: Till, amount = 50): Promise<{ topUp: CardTopUp; page: FakePage }> {
  const answer = await begin(owner, amount);
  assert.equal(answer.status, 201, answer.text);
  const page = provider.pages.at(-1);
  assert.ok(page);
  return { topUp: answer.body, page };
}

/** The provider says that a page is complete. */
export const completed = (page: FakePage): Promise<void> =>
  callBack({ service, provider }, 'checkout.session.completed', { id: page.id });

/** The balance, in pence. */
export async function balanceOf({ accountId }: Pick<Till, 'accountId'>): Promise<number> {
  const text = 'select balance_pence from account_balance where account_id = $1';
  const [row] = await rows<{ balance_pence: number }>(service, text, [accountId]);
  return row?.balance_pence ?? -1;
}

/** All postings of the account, oldest first. */
export async function postingsOf({ accountId }: Till): Promise<string[]> {
  const text = `select kind || ': ' || debit_account || ' > ' || credit_account || ' ' || amount_pence as line
    from posting where account_id = $1 order by id`;
  return (await rows<{ line: string }>(service, text, [accountId])).map(({ line }) => line);
}

/** The tasks of the account, oldest first. */
export async function tasksOf({ accountId }: Till): Promise<readonly Pick<Task, 'kind' | 'note'>[]> {
  return rows(service, 'select kind, note from ops_task where account_id = $1 order by id', [accountId]);
}

/** What a top-up of 50.00 posts. */
export const CREDITED = ['top_up: card_clearing > customer_balance 5000'];
