import { after, afterEach, before } from 'node:test';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { pence } from '../../src/lib/money.ts';
import { settleWaitingOrders } from '../../src/payments/settle-waiting.ts';
import { openSecondConnection, type SecondConnection } from './second-connection.ts';
import { startTestService, type TestService } from './service.ts';
import type { Shop } from './shop.ts';
import { assertSound } from './written.ts';

/** The service of a file whose tests bring about an exact order of events. */
export let service: TestService;

/** A connection of the test's own to the service's database: it holds the locks that the others must wait for. */
export let second: SecondConnection;

/** Opens both before the first test of a file and closes them after the last; each test leaves the books sound. */
export function openRace(): void {
  before(async () => {
    service = await startTestService();
    second = await openSecondConnection(service.database);
  });
  afterEach(() => assertSound(service));
  after(async () => {
    await second.close();
    await service.stop();
  });
}

/** Adds money to a shop's account and settles what waits for it: how many orders that paid. */
export async function topUp({ customer }: Shop, amountPence: number, reference = ''): Promise<number> {
  const { accountId } = customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference });
  return settleWaitingOrders(service.ctx, accountId);
}
