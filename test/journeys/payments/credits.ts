import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { AccountCredit } from '../../../src/payments/ops-schema.ts';
import {
  type Answer,
  type ErrorReply,
  type OperatorClient,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import type { Shop } from '../../harness/shop.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator of the finance. */
export let finance: OperatorClient;

/** The public id of a shop's account. */
export const accountOf = (shop: Shop): string => publicId('acct', shop.customer.accountId);

/** Adds money to an account as an operator. */
export const credit = (
  account: string,
  body: object,
  { by = finance, key = newId() } = {},
): Promise<Answer<AccountCredit & Pick<ErrorReply, 'code' | 'errors'>>> =>
  by.request('POST', `/accounts/${account}/credits`, body, { 'idempotency-key': key });

/** What the command of a shell does. */
export const creditByCommand = (shop: Shop, amount: number, reference: string) =>
  creditAccount(service.ctx, { accountId: shop.customer.accountId, amountPence: pence(amount), reference });

/** Opens what these journeys share; for `before`. */
export async function openCredits(): Promise<void> {
  service = await startTestService({ role: 'api', env: { TOP_UP_MAX_GBP: '10000' } });
  finance = await service.openOperator('finance');
}

/** Closes it again; for `after`. */
export async function closeCredits(): Promise<void> {
  await service.stop();
}
