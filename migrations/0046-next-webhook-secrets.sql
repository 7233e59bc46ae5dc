-- The signing secret that replaces the present one of a subscription. Both sign until `alone_from`; a worker then moves it into
-- the subscription, and the row goes.
create table webhook_next_secret (
  account_id uuid not null,
  subscription_id uuid not null,
  secret_sealed bytea not null,
  secret_sealed_with text not null,
  created_at timestamptz not null,
  alone_from timestamptz not null,
  primary key (account_id, subscription_id),
  foreign key (account_id, subscription_id) references webhook_subscription on delete cascade
);
create index webhook_next_secret_subscription on webhook_next_secret (subscription_id);
create index webhook_next_secret_sealed on webhook_next_secret (secret_sealed_with, subscription_id);
create index webhook_next_secret_alone on webhook_next_secret (alone_from, subscription_id);
