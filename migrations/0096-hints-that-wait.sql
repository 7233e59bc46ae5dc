-- An order that its shop does not give out is asked for again later, so that it holds nothing else up.
alter table channel_hint
  add column tries integer not null default 0,
  add column again_at timestamptz;
