-- Lists as people have narrowed them, to open again.
create table saved_view (
  account_id uuid not null references account,
  id uuid not null,
  -- Whose it is. Null is one for all of the account, which is of no person.
  user_id uuid,
  page text not null,
  name text not null,
  -- To compare names: in any case, with any blanks.
  name_key text not null,
  -- The query of the page's address, and which columns are shown; the page alone knows what they mean.
  filters text not null,
  columns text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references account_user
);
create unique index saved_view_name
  on saved_view (account_id, page, coalesce(user_id, '00000000-0000-0000-0000-000000000000'::uuid), name_key);
