-- Mail to people of a customer: to whom, what about, and what became of it. A job of the kind `mail` sends it.

create table mail (
  account_id uuid not null references account,
  id uuid not null,
  kind text not null,
  -- A second mail under the same key is not recorded; null is none.
  once_key text,
  recipient text not null,
  created_at timestamptz not null,
  -- From when on nobody has any use of it: a link in it has expired.
  useless_at timestamptz not null,
  ended_at timestamptz,
  outcome text check (outcome in ('sent', 'refused', 'late')),
  -- The last answer of the mail server, without the address.
  last_answer text not null default '',
  primary key (account_id, id),
  unique (account_id, once_key),
  check ((outcome is null) = (ended_at is null))
);
create index mail_id on mail (id);
create index mail_ended on mail (ended_at, id) where ended_at is not null;

-- What a mail says, until it has been sent or given up. Sealed, since it may hold a link that signs in.
create table mail_content (
  account_id uuid not null,
  mail_id uuid not null,
  sealed bytea not null,
  sealed_with text not null,
  primary key (account_id, mail_id),
  foreign key (account_id, mail_id) references mail on delete cascade
);
create index mail_content_mail on mail_content (mail_id);
create index mail_content_sealed on mail_content (sealed_with, mail_id);
