-- A connection keeps the plans of the placing function, and those of its foreign keys. Plans that were made while a table was small
-- walk it as a whole; once an account has brought all its designs they would read all of them with each order, until the
-- next analyze. The function looks everything up by a key, so no walk is ever right.
alter function place_orders set enable_seqscan = off;
