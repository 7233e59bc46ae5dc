-- runs in steps
-- What an erasure reads of an account, off an index each. An order is not placed slower by any of them.
create index concurrently if not exists oauth_record_of_account on oauth_record (account_id) where account_id is not null;
create index concurrently if not exists oauth_client_of_account on oauth_client (account_id, id);
create index concurrently if not exists ops_task_of_account on ops_task (account_id) where order_id is null;
create index concurrently if not exists webhook_delivery_said on webhook_delivery (account_id, id) where error is not null;
