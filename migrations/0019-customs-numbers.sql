-- The numbers of the seller of record for customs: those of an account, and those that an order was placed with.

alter table account
  add column eori_number text not null default '',
  add column ioss_number text not null default '';

alter table orders
  add column eori_number text not null default '',
  add column ioss_number text not null default '';
