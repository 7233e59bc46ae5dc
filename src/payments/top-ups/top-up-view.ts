import { isoTime } from '../../lib/clock.ts';
import { pence, toPounds } from '../../lib/money.ts';
import type { SeenTopUp } from './look-at-top-up.ts';
import type { CardTopUp } from './top-up-schema.ts';

/** A top-up as people of the account see it. */
export function cardTopUpView({ topUp, payUrl }: SeenTopUp): CardTopUp {
  return {
    id: topUp.reference,
    amount: toPounds(pence(topUp.amount_pence)),
    currency: 'GBP',
    state: topUp.state,
    pay_url: payUrl,
    created_at: isoTime(topUp.created_at),
    ends_at: isoTime(topUp.ends_at),
    settled_at: topUp.settled_at && isoTime(topUp.settled_at),
    is_automatic: topUp.method_reference !== null,
  };
}
