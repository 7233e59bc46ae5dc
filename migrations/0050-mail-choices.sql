-- Which mails a person wants, where it is not the default of their role.
create table mail_choice (
  account_id uuid not null references account,
  user_id uuid not null,
  kind text not null,
  is_wanted boolean not null,
  primary key (account_id, user_id, kind),
  foreign key (account_id, user_id) references account_user
);
