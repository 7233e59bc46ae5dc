import assert from 'node:assert/strict';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import type { Customer, TestService } from '../../harness/service.ts';
import { startTestService } from '../../harness/service.ts';

/** The service, once it is open. */
export let service: TestService;

/** Places an order. */
export async function place(body: object, by: Customer = service.customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Opens what these journeys share; for `before`. */
export async function openMoney(): Promise<void> {
  service = await startTestService({
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB123456782',
    },
  });
}

/** Closes it again; for `after`. */
export async function closeMoney(): Promise<void> {
  const { checks } = await verify(service.ctx);
  await service.stop();
  assert.deepEqual(
    checks.flatMap(({ violations }) => violations),
    [],
  );
}
