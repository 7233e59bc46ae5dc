-- Events and changes of orders are read in the order of their transactions. A server's own transaction ids give that
-- order, but a database that moves to another server in a dump begins again at lower ones: new events would stand before
-- old ones, and readers would skip them. So what is stored is the server's id plus `ahead`, which grows at each move.

create table transaction_numbering (
  singleton boolean primary key default true check (singleton),
  ahead bigint not null,
  -- The transaction that wrote this row: its own xmin, as long as it is on the server that wrote it.
  written_by xid8 not null
);

-- A database that came in a dump before this table was there is found by its rows, once; this may take a while.
insert into transaction_numbering (ahead, written_by)
select case when
    exists (select from event where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()))
    or exists (select from orders where changed_by >= pg_snapshot_xmax(pg_current_snapshot()))
  then 1::bigint << 44 else 0 end, pg_current_xact_id();
-- Moves the row from the first place of its table, where a restored one lies (see is_on_another_server).
update transaction_numbering set written_by = pg_current_xact_id();

-- The number of the transaction that calls it. plpgsql, because each connection then plans it once.
create function transaction_number() returns xid8
language plpgsql volatile as $$
begin
  return ((pg_current_xact_id()::text::bigint + (select ahead from transaction_numbering))::text)::xid8;
end
$$;

-- The lowest number of a transaction that may still be running: all lower ones have ended. Stable, so that it belongs to
-- the snapshot of the statement that calls it: with a later one the statement would pass over rows that it cannot see.
create function oldest_running_transaction() returns xid8
language sql stable as $$
  select ((pg_snapshot_xmin(pg_current_snapshot())::text::bigint + ahead)::text)::xid8 from transaction_numbering
$$;

-- Whether a dump has brought the database here since `ahead` was set. A restored row has another xmin than it says, and
-- lies in the first place of its table, where no row is that this file or the function below has written. Both, because
-- the xmin alone could agree by accident. Rewriting the table (vacuum full) looks the same, and does no harm: the numbers
-- then grow for nothing.
create function is_on_another_server() returns boolean
language sql stable as $$
  select xmin <> written_by::xid or ctid = '(0,1)' from transaction_numbering
$$;

-- Makes every number from now on larger than all before, if a dump has brought the database here; returns whether it
-- did. 2^44 is more than the transactions of any server in its life. Transactions that write events or orders end first,
-- so that none of them has a lower number than one that is already read.
create function continue_transaction_numbers() returns boolean
language plpgsql volatile as $$
begin
  if not is_on_another_server() then
    return false;
  end if;
  lock table orders, event in exclusive mode;
  -- Another node may have done it meanwhile.
  if not is_on_another_server() then
    return false;
  end if;
  update transaction_numbering set ahead = ahead + (1::bigint << 44), written_by = pg_current_xact_id();
  return true;
end
$$;

alter table event alter column transaction_id set default transaction_number();
alter table orders alter column changed_by set default transaction_number();
