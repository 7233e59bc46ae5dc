-- Requests of customers' tokens, for the developers of the customer: without bodies, queries and headers. Kept for seven days.
create table request_log (
  account_id uuid not null,
  -- The id that the response carried.
  id uuid not null,
  at timestamptz not null,
  method text not null,
  route text not null,
  path text not null,
  status smallint not null,
  code text,
  ms real not null,
  token_id uuid,
  client_id uuid,
  primary key (account_id, id)
);
create index request_log_refused on request_log (account_id, id) where status >= 400;
create index request_log_id on request_log (id);
create index request_log_at on request_log (at, id);
-- Rows go every hour, the oldest first: a few short vacuums in place of one long one.
alter table request_log set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
