-- runs in steps
-- What is due of one account: where one account fills the head of `webhook_delivery_due`, deliveries are claimed in turn by
-- account, each account found by one step in this index.
create index concurrently if not exists webhook_delivery_turn on webhook_delivery (account_id, due_at)
  where state in ('pending', 'retrying') and not lined_up;
