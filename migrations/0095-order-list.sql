-- runs in steps
-- The number that a connected shop shows of an order, by which people look for it.
create index concurrently if not exists orders_shop_number on orders (account_id, (metadata ->> 'shop_number'), id)
  where source = 'channel';
-- Orders that wait until their account pays, without those whose charge is under way. A page of one account's.
create index concurrently if not exists orders_unpaid on orders (account_id, id)
  where state = 'awaiting_payment' and attempt_id is null and erased_at is null;
create index concurrently if not exists artwork_failure_of_account on artwork_failure (account_id, order_id);
-- What the shop answered lately, by account.
create index concurrently if not exists problem_answered on problem (account_id, ended_at) where answered_by is not null;
