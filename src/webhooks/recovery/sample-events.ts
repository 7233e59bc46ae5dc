import type { EventData } from '../events.ts';

/** Example data of each event, for documents and test events; a test checks it against the schemas. */
export const EVENT_EXAMPLES: { readonly [Name in keyof EventData]: EventData[Name] } = {
  'order.created': {
    order_id: 'ord_01k9zq5v8xfz3r6t2m4n7p0qsw',
    reference: 'PF-7KQ2M9XA',
    external_reference: 'shop-1042',
    status: 'confirmed',
    total: 35.34,
    currency: 'GBP',
    item_count: 1,
  },
  'order.payment_failed': {
    order_id: 'ord_01k9zq5v8xfz3r6t2m4n7p0qsw',
    reference: 'PF-7KQ2M9XA',
    amount_gbp: 35.34,
    paid_gbp: 0,
    remaining_gbp: 35.34,
    failed_method: 'balance',
    reason: 'The account balance does not cover the order, and the account has no other payment method.',
  },
  'order.in_production': {
    order_id: 'ord_01k9zq5v8xfz3r6t2m4n7p0qsw',
    reference: 'PF-7KQ2M9XA',
    status: 'in_production',
  },
  'order.shipment_created': {
    reference: 'PF-7KQ2M9XA',
    status: 'in_production',
    shipment: {
      tracking_number: 'AB123456789GB',
      carrier: 'Royal Mail',
      tracking_url: 'https://www.royalmail.com/track-your-item#/tracking-results/AB123456789GB',
      items: [{ variant_sku: 'TEE-CLASSIC-BLK-M', name: 'Club tee', quantity: 2 }],
    },
  },
  'order.dispatched': {
    reference: 'PF-7KQ2M9XA',
    status: 'dispatched',
    carrier: 'Royal Mail',
    tracking_numbers: ['AB123456789GB'],
  },
  'order.cancelled': {
    order_id: 'ord_01k9zq5v8xfz3r6t2m4n7p0qsw',
    reference: 'PF-7KQ2M9XA',
    status: 'cancelled',
    refunded_gbp: 35.34,
    cancelled_by: 'api',
  },
  'order.on_hold': { reference: 'PF-7KQ2M9XA', status: 'pending', reason: 'The artwork runs over the seam.' },
};
