-- The template of a personalised product as it is being designed, beside the one that orders are read by.

alter table product
  -- Null while it is what is published.
  add column template_draft jsonb,
  -- Grows with each change of the draft, so that nobody overwrites what another person has saved.
  add column draft_version integer not null default 1,
  -- Of the published template: 0 for one that was never published. Templates of before are their first version.
  add column template_version integer not null default 1,
  add column published_at timestamptz;
