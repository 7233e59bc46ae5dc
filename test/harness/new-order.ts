import assert from 'node:assert/strict';
import { placeOrder } from '../../src/checkout/place-order.ts';
import type { NewOrder } from '../../src/checkout/place-sql.ts';
import type { Placing } from '../../src/checkout/place-together.ts';
import { SCOPES, type Scope } from '../../src/lib/caller.ts';
import { newId } from '../../src/lib/ids.ts';
import type { PlaceOrderBody } from '../../src/orders/schema.ts';
import type { Customer, TestService } from './service.ts';

/** The order that a request would write, quoted and drafted; it is not written. */
export async function newOrderOf(
  { ctx }: Pick<TestService, 'ctx'>,
  { accountId }: Pick<Customer, 'accountId'>,
  body: PlaceOrderBody,
): Promise<NewOrder> {
  let caught: NewOrder | undefined;
  const placing: Placing = async (_own, order) => {
    caught = order;
    throw new Error('seen');
  };
  const caller = { accountId, limitedAs: newId(), scopes: new Set<Scope>(SCOPES) };
  const request = { body, unknownFields: [], source: 'api' as const, signal: AbortSignal.timeout(10_000) };
  await assert.rejects(placeOrder({ ...ctx, placing }, caller, request), /seen/);
  assert.ok(caught !== undefined);
  return caught;
}
