-- What operators find an order by. A worker fills it after an order is committed, so that placing pays nothing for it.
-- Its rows live as long as their order; the words of the recipient are personal data and are erased with the address.

-- There is no foreign key: its check would run after the row is written, and the worker locks the order before.
create table order_search (
  account_id uuid not null,
  order_id uuid not null,
  kind text collate "C" not null check (kind in ('recipient', 'postcode', 'external_reference', 'amount')),
  -- Normalised: a word in capitals without accents, a text in capitals without white space, whole pence.
  term text collate "C" not null,
  primary key (account_id, order_id, kind, term)
);
create index order_search_term on order_search (kind, term, order_id);

-- The orders up to this id are in the table. Younger ones may still be missing.
create table order_search_progress (
  is_only_row boolean primary key default true check (is_only_row),
  filled_through uuid not null
);
insert into order_search_progress (filled_through) values ('00000000-0000-0000-0000-000000000000');
