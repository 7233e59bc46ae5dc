import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../lib/errors.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OrderState } from '../orders/status.ts';
import { refuseUnless } from './refuse-state.ts';

const inState = (state: OrderState) => ({ state }) as LockedOrder;

const REFUSED: readonly (readonly [state: OrderState, says: RegExp])[] = [
  ['awaiting_payment', /not paid/],
  ['on_hold', /on hold/],
  ['released', /promoted already/],
  ['in_production', /production has started/],
  ['dispatched', /dispatched/],
  ['delivered', /delivered/],
  ['cancelled', /cancelled/],
];
for (const [state, says] of REFUSED) {
  test(`an order in ${state} is not promoted, and the refusal says how it stands`, () => {
    assert.throws(
      () => refuseUnless(inState(state), ['placed'], 'promoted'),
      (error) => {
        assert.ok(error instanceof ApiError && error.code === 'conflict');
        assert.match(error.message, /^This order cannot be promoted: /);
        assert.match(error.message, says);
        return true;
      },
    );
  });
}

test('an order in one of the states goes on; a list without it refuses', () => {
  refuseUnless(inState('placed'), ['placed'], 'promoted');
  refuseUnless(inState('in_production'), ['released', 'in_production'], 'sent');
  assert.throws(() => refuseUnless(inState('placed'), ['released', 'in_production'], 'sent'), /not been promoted/);
  assert.throws(() => refuseUnless(inState('placed'), [], 'sent'));
});
