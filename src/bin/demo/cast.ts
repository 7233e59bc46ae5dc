import type { Caller } from '../../lib/caller.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Operator } from '../../lib/operator.ts';

/** Who acts in the month: the customer, and two operators of the shop. */
export type Cast = { readonly customer: Caller; readonly press: Operator; readonly office: Operator };

/** An order of the month as it was placed, and what was made to replace it. */
export type PlacedOrder = {
  readonly id: Uuid;
  readonly reference: string;
  readonly number: string;
  replacement: string | undefined;
};
