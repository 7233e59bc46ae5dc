-- The headings of a file, so that a look at it does not read its whole text; null for files of before.
alter table order_file add column headings jsonb;
