import { setPaymentMethod } from '../../../src/payments/method.ts';
import { sweepAttempts } from '../../../src/payments/sweep.ts';
import { type FakeProvider, startProvider } from '../../harness/provider.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { newReference, openShop, type Shop } from '../../harness/shop.ts';

/** The payment provider, on this machine. */
export let provider: FakeProvider;

/** The service, once it is open. */
export let service: TestService;

/** A sweep finds every attempt that is as old as this. */
export const SWEEP_AFTER_MS = 31_000;

/** A shop whose balance has so many pence, and a card or direct debit beside it. */
export async function openCardShop(balance: number, kind: 'card' | 'direct_debit' = 'card'): Promise<Shop> {
  const poor = await openShop(service, 0, balance);
  const totalPence = poor.totalPence === 0 ? (await openShop(service, 0)).totalPence : poor.totalPence;
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  if (kind === 'direct_debit') provider.methods.set(reference, { type: 'bacs_debit', customer: 'cus_2' });
  await setPaymentMethod(service.ctx, { accountId: poor.customer.accountId, kind, reference });
  return { ...poor, totalPence };
}

/** Does the work of a sweep. */
export async function sweep(): Promise<number> {
  service.shiftMs(SWEEP_AFTER_MS);
  return sweepAttempts(service.ctx);
}

/** Opens what these journeys share; for `before`. */
export async function openCards(): Promise<void> {
  provider = await startProvider();
  // Without workers: the tests run the sweep themselves.
  service = await startTestService({ role: 'api', env: provider.env });
}

/** Closes it again; for `after`. */
export async function closeCards(): Promise<void> {
  await service.stop();
  await provider.close();
}
