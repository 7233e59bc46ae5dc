-- Beside each sealed value the id of its key, so that a key can be exchanged: what an earlier one sealed is found and
-- sealed anew. Null: not noted yet, by this version or by one that knew one key alone.

alter table webhook_subscription add column secret_sealed_with text;
alter table oauth_record add column sealed_with text;

-- When nodes sealed with each key: a line for each key there ever was, a few bytes. Values are taken from a key to another
-- only when no node seals with it any more. Lives as long as the database.
create table secret_key_use (
  key_id text primary key,
  first_used_at timestamptz not null,
  last_used_at timestamptz not null
);
