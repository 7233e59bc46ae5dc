import { PROMISED, SHORT } from '../catalogue/short/columns.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Warning } from '../lib/schemas.ts';
import type { CustomsDeclaration } from '../orders/customs.ts';
import type { StoredAddress, StoredBrand } from '../orders/order-columns.ts';
import { CHARGED_SETUPS } from '../orders/order-columns.ts';
import type { OrderState } from '../orders/status.ts';

// Shipping ------------------------------------------------------------------------------------------------------------

export type ShippingLineRow = {
  id: Uuid;
  sku: string;
  name: string;
  quantity: number;
  quantity_cancelled: number;
  quantity_shipped: number;
  started: boolean;
  /** Pieces promised to the line and not started, and how many of them it is short of. */
  promised: number;
  short: number;
  /** Why it is paused. */
  paused: string | null;
  line_price_pence: number;
  valued_unit_pence: number;
  declared_unit_pence: number | null;
  jobs: { design_hash: string | null; method: string; done: number }[];
};

export type ShippingRow = {
  shipping_address: StoredAddress;
  shipping: { service: string; tracked: boolean };
  warnings: { code: string }[];
  account_name: string;
  eori_number: string;
  ioss_number: string;
  setups: { design_hash: string; method: string; amount_pence: number }[];
  lines: ShippingLineRow[];
};

// A piece of a replacement was not charged. Its value is what the piece that it replaces was charged at.
const SHIPPING = statement<ShippingRow>(
  'shipments_of_order',
  `with recursive worth as (
     select l.id as line_id, l.unit_price_pence, o.replaces, l.replaces_line, 0 as depth
     from order_line l join orders o on o.account_id = l.account_id and o.id = l.order_id
     where l.order_id = $1 and l.account_id = $2
     union all
     select w.line_id, l.unit_price_pence, o.replaces, l.replaces_line, w.depth + 1
     from worth w
       join order_line l on l.order_id = w.replaces and l.id = w.replaces_line and l.account_id = $2
       join orders o on o.account_id = l.account_id and o.id = l.order_id
     where w.unit_price_pence = 0 and w.depth < 100
   ),
   valued as materialized (
     select line_id, max(unit_price_pence) as unit_price_pence from worth group by line_id
   )
   select o.shipping_address, o.shipping, o.warnings, ${CHARGED_SETUPS} as setups, o.eori_number, o.ioss_number,
     (select a.name from account a where a.id = o.account_id) as account_name, (
     select json_agg(json_build_object('id', l.id, 'sku', l.sku, 'name', l.name, 'quantity', l.quantity,
       'quantity_cancelled', l.quantity_cancelled, 'quantity_shipped', l.quantity_shipped,
       'started', l.started_at is not null, 'promised', coalesce(a.promised, 0), 'short', coalesce(a.short, 0), 'paused', (
         select p.reason from line_pause p
         where p.account_id = l.account_id and p.order_id = l.order_id and p.line_id = l.id
       ), 'line_price_pence', l.line_price_pence,
       'valued_unit_pence', v.unit_price_pence, 'declared_unit_pence', l.declared_unit_pence,
       'jobs', coalesce((
         select json_agg(json_build_object('design_hash', encode(coalesce(j.sold_design_hash, j.design_hash), 'hex'), 'method', j.method,
           'done', j.quantity_done) order by j.ordinal)
         from print_job j where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
       ), '[]')) order by l.ordinal)
     from order_line l join valued v on v.line_id = l.id left join lateral (
       select ${PROMISED} as promised, ${SHORT} as short from allocation
       where account_id = l.account_id and order_id = l.order_id and line_id = l.id
     ) as a on true
     where l.account_id = o.account_id and l.order_id = o.id
   ) as lines
   from orders o where o.id = $1 and o.account_id = $2`,
);

/**
 * Reads what a parcel of an order is made up from, in the order of its lines.
 * The order's row is locked.
 */
export async function readForShipping(tx: Db, accountId: Uuid, orderId: Uuid): Promise<ShippingRow> {
  const row = await tx.one(SHIPPING, [orderId, accountId]);
  if (row === undefined) throw new Error('an order that is locked is gone');
  return row;
}

const SHIP = statement<never>(
  'shipments_ship',
  `with new_shipment as (
     insert into shipment (order_id, id, account_id, carrier, tracking_number, tracking_url, customs, shipped_at, updated_at,
       shipping_address)
     select o.id, $3, o.account_id, $4, $5, $6, $7, $8, $8, o.shipping_address from orders o where o.id = $1 and o.account_id = $2
   ),
   item as materialized (
     select line_id, quantity from json_to_recordset($9::json) as i(line_id uuid, quantity integer)
   ),
   new_item as (
     insert into shipment_item (order_id, shipment_id, line_id, account_id, quantity)
     select $1, $3, line_id, $2, quantity from item
   )
   update order_line l set quantity_shipped = l.quantity_shipped + item.quantity
   from item where l.order_id = $1 and l.account_id = $2 and l.id = item.line_id`,
);

export type NewShipment = {
  orderId: Uuid;
  accountId: Uuid;
  id: Uuid;
  carrier: string;
  trackingNumber: string;
  trackingUrl: string | null;
  customs: CustomsDeclaration | null;
  items: readonly { lineId: Uuid; quantity: number }[];
  now: Date;
};

/** Records a parcel of a locked order with its address, and its pieces as shipped. */
export async function insertShipment(tx: Db, shipment: NewShipment): Promise<void> {
  await tx.all(SHIP, [
    shipment.orderId,
    shipment.accountId,
    shipment.id,
    shipment.carrier,
    shipment.trackingNumber,
    shipment.trackingUrl,
    shipment.customs === null ? null : JSON.stringify(shipment.customs),
    shipment.now,
    JSON.stringify(shipment.items.map(({ lineId, quantity }) => ({ line_id: lineId, quantity }))),
  ]);
}

export type TrackingRow = { carrier: string; tracking_number: string; tracking_url: string | null };

type SentRow = TrackingRow & { shipping: { service: string; tracked: boolean }; is_declared: boolean };

const TRACKING = statement<SentRow>(
  'shipments_tracking',
  `select s.carrier, s.tracking_number, s.tracking_url, o.shipping, s.customs is not null as is_declared
   from shipment s join orders o on o.id = s.order_id and o.account_id = s.account_id
   where s.order_id = $1 and s.account_id = $2 and s.id = $3`,
);

/** Reads the tracking of a parcel of a locked order, and the service that the order was placed with. */
export async function findTracking(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; id: Uuid },
): Promise<SentRow | undefined> {
  return tx.one(TRACKING, [of.orderId, of.accountId, of.id]);
}

const CORRECT = statement<never>(
  'shipments_correct',
  `update shipment set carrier = $4, tracking_number = $5, tracking_url = $6, updated_at = $7
   where order_id = $1 and account_id = $2 and id = $3`,
);

/** Replaces the tracking of a parcel of a locked order. */
export async function updateTracking(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; id: Uuid },
  tracking: TrackingRow,
  now: Date,
): Promise<void> {
  const { carrier, tracking_number: number, tracking_url: url } = tracking;
  await tx.all(CORRECT, [of.orderId, of.accountId, of.id, carrier, number, url, now]);
}

// The address ---------------------------------------------------------------------------------------------------------

export type AddressRow = { shipping_address: StoredAddress; warnings: Warning[] };

const ADDRESS = statement<AddressRow>(
  'shipments_address',
  'select shipping_address, warnings from orders where id = $1 and account_id = $2',
);

/** Reads the address of a locked order, and what the order warns of. */
export async function readAddress(tx: Db, accountId: Uuid, orderId: Uuid): Promise<AddressRow> {
  const row = await tx.one(ADDRESS, [orderId, accountId]);
  if (row === undefined) throw new Error('an order that is locked is gone');
  return row;
}

const CHANGE_ADDRESS = statement<never>(
  'shipments_change_address',
  'update orders set shipping_address = $3, warnings = $4 where id = $1 and account_id = $2',
);

/** Changes the address of a locked order, for what has not shipped, and its warnings. */
export async function updateAddress(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; address: StoredAddress; warnings: readonly Warning[] },
): Promise<void> {
  await tx.all(CHANGE_ADDRESS, [of.orderId, of.accountId, JSON.stringify(of.address), JSON.stringify(of.warnings)]);
}

// Documents -----------------------------------------------------------------------------------------------------------

export type PaperJobRow = {
  print_area: string;
  method: string;
  station: string | null;
  station_title: string | null;
  quantity_done: number;
  quantity_spoiled: number;
  /** Of the print file, in hex as all hashes. */
  file_key: string;
  state: 'pending' | 'ready' | 'failed' | 'expired';
  output_hash: string | null;
  preview_hash: string | null;
  /** Null when the print file has ended. */
  template: { widthPx: number; heightPx: number; dpi: number } | null;
};

export type PaperLineRow = {
  id: Uuid;
  sku: string;
  name: string;
  colour: string;
  size: string;
  quantity: number;
  quantity_cancelled: number;
  quantity_shipped: number;
  quantity_short: number;
  /** Spoiled pieces whose blanks have come in. */
  quantity_to_start: number;
  pause: { code: string; reason: string } | null;
  jobs: PaperJobRow[];
};

export type PaperShipmentRow = {
  id: Uuid;
  carrier: string;
  tracking_number: string;
  /** ISO. */
  shipped_at: string;
  /** The address that it was sent to. */
  shipping_address: StoredAddress;
  items: { line_id: Uuid; quantity: number }[];
  customs: CustomsDeclaration | null;
};

export type PaperOrderRow = {
  account_id: Uuid;
  reference: string;
  external_reference: string | null;
  /** The order whose pieces are made again. */
  replaces: { reference: string; external_reference: string | null } | null;
  type: 'sample' | 'bulk';
  state: OrderState;
  notes: string;
  hold: { code: string; reason: string } | null;
  placed_at: Date;
  updated_at: Date;
  shipping_address: StoredAddress;
  shipping: { service: string };
  brand: StoredBrand | null;
  lines: PaperLineRow[];
  shipments: PaperShipmentRow[];
};

// Papers show the number that the buyer knows: of an order of a connected shop that is the shop's own.
const shownNumber = (order: string): string =>
  `case when ${order}.source = 'channel' then coalesce(${order}.metadata ->> 'shop_number', ${order}.external_reference)
     else ${order}.external_reference end`;

const PAPER_ORDER = statement<PaperOrderRow>(
  'shipments_paper_order',
  `select o.account_id, o.reference, ${shownNumber('o')} as external_reference, o.type, o.state, o.notes, o.hold, o.placed_at,
     o.updated_at, o.shipping_address, o.shipping, o.brand,
     (
       select json_build_object('reference', r.reference, 'external_reference', ${shownNumber('r')})
       from orders r where r.id = o.replaces and r.account_id = o.account_id
     ) as replaces,
     (
       select json_agg(json_build_object('id', l.id, 'sku', l.sku, 'name', l.name, 'colour', l.colour, 'size', l.size,
         'quantity', l.quantity, 'quantity_cancelled', l.quantity_cancelled, 'quantity_shipped', l.quantity_shipped,
         'quantity_short', coalesce(a.short, 0), 'quantity_to_start', coalesce(a.to_start, 0),
         'pause', (
           select json_build_object('code', p.code, 'reason', p.reason) from line_pause p
           where p.account_id = l.account_id and p.order_id = l.order_id and p.line_id = l.id
         ),
         'jobs', coalesce((
           select json_agg(json_build_object('print_area', j.print_area, 'method', j.method, 'station', j.station,
             'station_title', s.title, 'quantity_done', j.quantity_done, 'quantity_spoiled', j.quantity_spoiled,
             'file_key', encode(j.print_file_key, 'hex'), 'state', coalesce(f.state, 'expired'),
             'output_hash', encode(f.output_hash, 'hex'), 'preview_hash', encode(f.preview_hash, 'hex'),
             'template', f.recipe -> 'template') order by j.ordinal)
           from print_job j
             left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
             left join station s on s.id = j.station
           where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
         ), '[]')) order by l.ordinal)
       from order_line l left join lateral (
         select ${SHORT} as short, ${PROMISED} - ${SHORT} as to_start from allocation
         where account_id = l.account_id and order_id = l.order_id and line_id = l.id and for_spoiled > 0
       ) as a on true
       where l.account_id = o.account_id and l.order_id = o.id
     ) as lines,
     coalesce((
       select json_agg(json_build_object('id', s.id, 'carrier', s.carrier, 'tracking_number', s.tracking_number,
         'shipped_at', s.shipped_at, 'shipping_address', s.shipping_address, 'customs', s.customs,
         'items', (select json_agg(json_build_object('line_id', i.line_id, 'quantity', i.quantity))
                   from shipment_item i
                   where i.account_id = s.account_id and i.order_id = s.order_id and i.shipment_id = s.id)) order by s.id)
       from shipment s where s.account_id = o.account_id and s.order_id = o.id
     ), '[]') as shipments
   from orders o where o.id = $1`,
);

/** Reads what is printed about an order of any account. For operators only. */
export async function readPaperOrder(db: Db, orderId: Uuid): Promise<PaperOrderRow | undefined> {
  return db.one(PAPER_ORDER, [orderId]);
}
