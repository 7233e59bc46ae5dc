-- What an account was permitted to leave in the bucket of dropped files, for its bounds. One row an account, which is locked
-- while one more is counted; the two lists belong together, and have what is younger than a day, at most a hundred.
create table drop_use (
  account_id uuid primary key references account,
  permitted_at timestamptz[] not null,
  bytes bigint[] not null,
  check (cardinality(permitted_at) = cardinality(bytes))
);
