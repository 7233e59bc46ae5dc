-- runs in steps
-- When its people are to be mailed that orders wait for them; null while nothing new does. And when they were last.
alter table channel add column if not exists mail_due_at timestamptz;
alter table channel add column if not exists mailed_at timestamptz;
-- When its people were last mailed that the shop fails.
alter table channel_link add column if not exists fault_mailed_at timestamptz;
create index concurrently if not exists channel_mail_due on channel (mail_due_at, id) where mail_due_at is not null;
create index concurrently if not exists channel_link_faulty on channel_link (fault_since, channel_id) where fault_since is not null;
-- Reports that shops refuse: of a shop, of an account and of all, the newest orders first.
create index concurrently if not exists channel_report_failed_of_channel on channel_report (account_id, channel_id, shop_order_id)
  where failed_at is not null;
create index concurrently if not exists channel_report_failed_of_account on channel_report (account_id, shop_order_id)
  where failed_at is not null;
create index concurrently if not exists channel_report_failed_of_all on channel_report (shop_order_id) where failed_at is not null;
