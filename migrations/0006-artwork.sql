-- Stored bytes, designs, and the print files made from them.

-- Stored bytes by their content, shared by all accounts. Intake refreshes last_used_at even when the bytes exist;
-- collection marks a row `deleting` under its lock before it removes the file.
create table blob (
  hash bytea primary key,
  bytes bigint not null,
  mime text not null,
  width_px integer,
  height_px integer,
  report jsonb,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  deleting boolean not null default false
);
-- The collection begins with what has been unused for longest, and finishes what was begun.
create index blob_last_used on blob (last_used_at, hash);
create index blob_deleting on blob (hash) where deleting;

-- Which account has which design. Deduplication never reaches over accounts, so that no account learns what another
-- has.
create table design (
  account_id uuid not null,
  hash bytea not null references blob,
  created_at timestamptz not null,
  primary key (account_id, hash)
);
-- Here and below: where bytes may be in use, found by their hash. The collection looks at all of these, and so does
-- the foreign key before a row of `blob` goes.
create index design_hash on design (hash);

-- A print-ready file: a recipe (design, template, position) and, once it is made, its result. The key is the hash of
-- the recipe and the account, so that equal work is done once. There is a row for each way in which something is
-- printed, not for each order, so the collection looks here in place of print_job.
create table print_file (
  key bytea not null,
  account_id uuid not null,
  recipe jsonb not null,
  state text not null check (state in ('pending', 'ready', 'failed')),
  output_hash bytea,
  output_bytes bigint,
  -- A small picture of the output, for job sheets.
  preview_hash bytea,
  failure text,
  created_at timestamptz not null,
  ready_at timestamptz,
  -- The file's own key leads: workers know nothing else of a file.
  primary key (key, account_id),
  check ((state = 'ready') = (output_hash is not null))
);
create index print_file_design on print_file ((recipe ->> 'designHash')) where recipe ->> 'designHash' is not null;
create index print_file_drawings on print_file
  using gin (jsonb_path_query_array(recipe, '$.drawings[*].designHash')) where recipe ->> 'kind' = 'personalised';
create index print_file_output on print_file (output_hash) where output_hash is not null;
create index print_file_preview on print_file (preview_hash) where preview_hash is not null;
