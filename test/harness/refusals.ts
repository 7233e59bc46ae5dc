import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlaceOrderItem } from '../../src/orders/schema.ts';
import type { Customer, TestService } from './service.ts';
import { HOME, problemsOf, teeItem, withoutRequestId } from './shop.ts';

/** A request to place an order that must be refused: 422 `validation_failed` unless told otherwise. */
export type Refusal = {
  readonly what: string;
  readonly body: () => unknown;
  readonly status?: number;
  readonly code?: string;
  /** `path code` of each problem, all of them, in order. */
  readonly problems?: readonly string[];
};

/** A test for each row: placing refuses it as the row says, and the estimate with the same bytes but the request id. */
export function testRefusals(refusals: readonly Refusal[], caller: () => Customer): void {
  for (const { what, body, status = 422, code = 'validation_failed', problems = [] } of refusals) {
    test(`${what} is refused as ${status} ${code}, by placing and estimate alike`, async () => {
      const placed = await caller().request('POST', '/orders', body());
      assert.deepEqual([placed.status, placed.body.code, placed.body.status], [status, code, status], placed.text);
      assert.deepEqual(problemsOf(placed), problems);
      assert.doesNotMatch(placed.text, /node_modules|select |insert |\bat file:/);
      const estimated = await caller().request('POST', '/orders/estimate', body());
      assert.equal(withoutRequestId(estimated), withoutRequestId(placed));
    });
  }
}

/** An order whose first item is the demo's tee with these changes, before more items. */
export function orderOf(service: TestService, changes: object, ...more: PlaceOrderItem[]): object {
  return { items: [{ ...teeItem(service), ...changes }, ...more], shipping_address: HOME };
}

/** An object without some of its members. */
export function without(body: object, ...names: string[]): object {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
