-- What is made of a product without artwork, and whose an item is that is not known here: a rule of each shop.
alter table channel
  add column makes_blanks boolean not null default false,
  add column unknown_is_others boolean not null default false;
