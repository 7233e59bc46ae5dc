-- runs in steps
-- What an account is still to be paid back: otherwise read from the orders of all.
create index concurrently if not exists orders_owing_of_account on orders (account_id, id) where refund_owed_pence > 0;
