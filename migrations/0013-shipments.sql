-- Parcels.

create table shipment (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  carrier text not null,
  tracking_number text not null,
  tracking_url text,
  -- The address that the parcel left for: a later change of the order's address does not change it.
  shipping_address jsonb not null,
  -- What was declared for a parcel that left the customs territory: goods, values, weights. Null for the others.
  customs json,
  shipped_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders
);
-- In capitals and without blanks, as operators search for it.
create index shipment_tracking on shipment ((upper(regexp_replace(tracking_number, '\s', '', 'g') collate "C")), order_id);

create table shipment_item (
  account_id uuid not null,
  order_id uuid not null,
  shipment_id uuid not null,
  line_id uuid not null,
  quantity integer not null check (quantity > 0),
  primary key (account_id, order_id, shipment_id, line_id),
  foreign key (account_id, order_id, shipment_id) references shipment
);
