import type { PaymentMethodKind } from '../billing/postings.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { setPaymentMethod } from '../payments/method.ts';
import { retryWaitingOrders } from '../payments/retry-payment.ts';
import { COMMAND_LINE, type Output, withContext } from './commands.ts';
import { printResult } from './report.ts';

/** `platen account payment-method` */
export async function choosePaymentMethod(
  options: Output & { account: Uuid; kind: PaymentMethodKind; reference: string },
): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { account: accountId, kind, reference } = options;
    const check = await setPaymentMethod(ctx, { accountId, kind, reference });
    const settled = await retryWaitingOrders(ctx, accountId, COMMAND_LINE);
    const id = publicId('acct', accountId);
    const result = { account_id: id, kind, reference, checked: check === 'checked', settled_orders: settled };
    printResult(options, result, [
      `${id} is charged by ${kind} once its balance is used up. Orders settled: ${settled}.`,
      ...(ctx.payments === undefined
        ? ['Nothing is charged as long as STRIPE_SECRET_KEY is not set.']
        : check === 'unchecked'
          ? ['The payment provider gave no answer, so the reference was not checked.']
          : []),
    ]);
  });
}
