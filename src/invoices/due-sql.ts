import type { BillingRow } from '../accounts/billing-identity/sql.ts';
import type { VatBreakdownRow } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import { firstIdAt, type Uuid } from '../lib/ids.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import { CHARGED_SETUPS } from '../orders/order-columns.ts';

// What invoices are made of, and which orders still lack theirs. The sweep reads the orders of all accounts.

/** The customer of an order as it is now: its account, with its billing identity if that is known. */
export type BuyerRow = {
  name: string;
  /** `""` where there is none. */
  vat_number: string;
  billing: BillingRow | null;
};

/** SQL of the `BuyerRow` of an order `o`. */
export const BUYER = `(
     select json_build_object('name', a.name, 'vat_number', a.vat_number, 'billing', to_json(b))
     from account a left join account_billing b on b.account_id = a.id where a.id = o.account_id
   )`;

export type InvoiceSourceRow = {
  id: Uuid;
  account_id: Uuid;
  reference: string;
  external_reference: string | null;
  paid_at: Date;
  shipping_address: Pick<StoredAddress, 'country_code' | 'postcode'>;
  shipping: { service: string };
  setups: { design_hash: string; method: string; amount_pence: number }[];
  vat_breakdown: VatBreakdownRow[];
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
  total_pence: number;
  balance_paid_pence: number;
  /** The kinds of payment methods that were charged for it. */
  methods: ('card' | 'direct_debit')[];
  buyer: BuyerRow;
  lines: {
    name: string;
    sku: string;
    quantity: number;
    unit_price_pence: number;
    line_price_pence: number;
    vat_class: string;
    /** The designs (hex) printed on it; filled only where setups are charged at several rates of VAT. */
    designs: { design_hash: string; method: string }[];
  }[];
};

// A replacement is not charged, so there is nothing to invoice.
const SOURCES = statement<InvoiceSourceRow>(
  'orders_invoice_sources',
  `select o.id, o.account_id, o.reference, o.external_reference, o.paid_at, o.shipping_address, o.shipping, ${CHARGED_SETUPS} as setups,
     o.vat_breakdown, o.subtotal_pence, o.setup_pence, o.shipping_pence, o.vat_pence, o.duty_pence, o.total_pence,
     o.balance_paid_pence,
     case when o.method_paid_pence = 0 then '{}' else (
       select coalesce(array_agg(distinct p.method), '{}') from payment p
       where p.account_id = o.account_id and p.order_id = o.id and p.paid_at <= o.paid_at
     ) end as methods,
     (
       select json_agg(json_build_object('name', l.name, 'sku', l.sku, 'quantity', l.quantity,
         'unit_price_pence', l.unit_price_pence, 'line_price_pence', l.line_price_pence, 'vat_class', l.vat_class,
         'designs', case when jsonb_array_length(o.setups) = 0 or jsonb_array_length(o.vat_breakdown) = 1 then '[]' else (
           select coalesce(json_agg(json_build_object('design_hash', encode(coalesce(j.sold_design_hash, j.design_hash), 'hex'), 'method', j.method)), '[]')
           from print_job j where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id and j.design_hash is not null
         ) end) order by l.ordinal)
       from order_line l where l.account_id = o.account_id and l.order_id = o.id
     ) as lines,
     ${BUYER} as buyer
   from orders o
   where o.id = any($1::uuid[]) and o.paid_at is not null and o.source <> 'replacement'
     and not exists (select from invoice i where i.account_id = o.account_id and i.order_id = o.id)
   order by o.paid_at, o.id`,
);

/** Reads those of some orders that are paid and have no invoice yet, with all that an invoice shows. */
export async function readInvoiceSources(db: Db, orderIds: readonly Uuid[]): Promise<InvoiceSourceRow[]> {
  return db.all(SOURCES, [orderIds]);
}

export type InvoicingRow = { placed_through: Uuid; paid_through: Date };

const INVOICING = statement<InvoicingRow>('orders_invoicing', 'select placed_through, paid_through from invoicing');

/** Reads how far invoices have been issued. */
export async function readInvoicing(db: Db): Promise<InvoicingRow> {
  const row = await db.one(INVOICING, []);
  if (row === undefined) throw new Error('the row of invoicing is missing');
  return row;
}

const DUE_BY_ID = statement<{ id: Uuid }>(
  'orders_due_for_invoice_by_id',
  `select id from orders o
   where id > $1 and id < $2 and paid_at is not null and source <> 'replacement'
     and not exists (select from invoice i where i.account_id = o.account_id and i.order_id = o.id)
   order by id limit $3`,
);

/**
 * Lists paid orders without an invoice that were placed after one and before a time, oldest first.
 * A range of the primary key.
 */
export async function findDueById(db: Db, range: { after: Uuid; before: Date; limit: number }): Promise<Uuid[]> {
  return (await db.all(DUE_BY_ID, [range.after, firstIdAt(range.before), range.limit])).map(({ id }) => id);
}

const DUE_BY_PAYMENT = statement<{ id: Uuid; paid_at: Date }>(
  'orders_due_for_invoice_by_payment',
  `select id, paid_at from orders o
   where paid_at > placed_at and paid_at >= $1 and source <> 'replacement'
     and not exists (select from invoice i where i.account_id = o.account_id and i.order_id = o.id)
   order by paid_at, id limit $2`,
);

/**
 * Lists orders without an invoice that were paid after placing and since a time.
 * A range of their index.
 */
export async function findDueByPayment(
  db: Db,
  range: { since: Date; limit: number },
): Promise<{ id: Uuid; paid_at: Date }[]> {
  return db.all(DUE_BY_PAYMENT, [range.since, range.limit]);
}

const ADVANCE = statement<never>(
  'orders_advance_invoicing',
  `update invoicing set placed_through = greatest(placed_through, $1::uuid), paid_through = greatest(paid_through, $2::timestamptz)
   where placed_through < $1::uuid or paid_through < $2::timestamptz`,
);

/** Records how far invoices have been issued. Of two sweeps the further one wins. */
export async function advanceInvoicing(db: Db, through: InvoicingRow): Promise<void> {
  await db.all(ADVANCE, [through.placed_through, through.paid_through]);
}
