import type { Body, Call, CallOptions, Reply } from './call.ts';

type Order = Reply<'placeOrder'>;

/** What is so of a placed order whatever became of its payment. */
type Placed = {
  readonly id: string;
  readonly reference: string;
  /** The idempotency key: the caller's own, or the one the client made. Placing again with it makes no second order. */
  readonly externalReference: string;
  /**
   * True when the service had this order already, and nothing was charged now: the reference given was used by an
   * earlier call, or by an attempt of this one whose answer was lost.
   */
  readonly replayed: boolean;
};

/**
 * An order that exists, by what became of its payment. A 201 is not a payment, so the order is called `order` only
 * where it has been paid for; look at `kind` first.
 */
export type Placement = Placed &
  (
    | { /** Paid for: it goes to production. */ readonly kind: 'paid'; readonly order: Order }
    | {
        /**
         * The charge of a card or direct debit is under way; `order.created` or `order.payment_failed` tells the end.
         */
        readonly kind: 'processing';
        readonly waitingOrder: Order;
      }
    | {
        /** The charge failed: the order stands still until the account has been topped up. */
        readonly kind: 'awaiting_payment';
        readonly waitingOrder: Order;
      }
    | {
        /** Only of an earlier order with this reference: it has been cancelled since. */
        readonly kind: 'cancelled';
        readonly cancelledOrder: Order;
      }
    | {
        /** A payment status that this version of the client does not know. Do not take it for paid. */
        readonly kind: 'unknown';
        readonly waitingOrder: Order;
      }
  );

/**
 * Places an order under an idempotency key, the caller's `external_reference` or a new one, so that it can be sent
 * again without a second order or charge. Throws as every call does; the error carries the key.
 */
export async function placeOrder(call: Call, body: Body<'placeOrder'>, options: CallOptions): Promise<Placement> {
  const externalReference = body.external_reference ?? `sdk_${crypto.randomUUID()}`;
  const { value: order, headers } = await call(
    'placeOrder',
    { body: { ...body, external_reference: externalReference } },
    { ...options, externalReference },
  );
  // Nobody else knows a key that was made here: what the service had already, an attempt of this call had brought it.
  const replayed = body.external_reference !== undefined && headers.get('idempotent-replayed') === 'true';
  return { id: order.id, reference: order.reference, externalReference, replayed, ...outcomeOf(order) };
}

type WithoutPlaced<Kind> = Kind extends unknown ? Omit<Kind, keyof Placed> : never;

function outcomeOf(order: Order): WithoutPlaced<Placement> {
  if (order.status === 'cancelled') return { kind: 'cancelled', cancelledOrder: order };
  switch (order.payment_status) {
    case 'paid':
    // Money given back on an order that goes on: it has been paid for.
    case 'refunded':
    case 'part_refunded':
      return { kind: 'paid', order };
    case 'processing':
      return { kind: 'processing', waitingOrder: order };
    case 'failed':
      return { kind: 'awaiting_payment', waitingOrder: order };
    default:
      return { kind: 'unknown', waitingOrder: order };
  }
}
