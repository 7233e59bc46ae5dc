-- What the desk of a print shop asks for: artwork that could not be made, what is next at a station, what is stuck, and an order by what
-- the caller knows of it.

-- Failed artwork -----------------------------------------------------------------------------------------------------------

-- An order whose print file was given up, and the task that tells of it; gone once the file is made. Whoever gives a file up has not
-- locked the orders, so there is no foreign key, whose check would.
create table artwork_failure (
  order_id uuid not null,
  print_file_key bytea not null,
  account_id uuid not null,
  task_id uuid not null,
  created_at timestamptz not null,
  primary key (order_id, print_file_key)
);
create index artwork_failure_file on artwork_failure (print_file_key);

-- What was given up before today is told of as well.
insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
select distinct on (o.id, f.key) o.id, f.key, o.account_id, uuid_v7(clock_timestamp()), clock_timestamp()
from print_file f
join orders o on o.account_id = f.account_id and o.state not in ('dispatched', 'delivered', 'cancelled')
join print_job j on j.order_id = o.id and j.print_file_key = f.key
where f.state = 'failed';
insert into ops_task (id, account_id, order_id, kind, note, opened_at)
select a.task_id, a.account_id, a.order_id, 'artwork_failed',
       o.reference || ': the print-ready artwork could not be made: ' || coalesce(f.failure, 'unknown'), a.created_at
from artwork_failure a join orders o on o.id = a.order_id join print_file f on f.key = a.print_file_key;

-- What is next at a station ------------------------------------------------------------------------------------------------

alter table print_job
  -- When its order was promoted.
  add column promoted_at timestamptz,
  -- Promoted, and perhaps still to be made: false again once all is done, or the order is dispatched or cancelled.
  add column is_open boolean not null default false;

-- A node of the version before promotes without knowing of either.
create function print_job_is_routed() returns trigger language plpgsql as $$
begin
  new.is_open := true;
  new.promoted_at := coalesce(new.promoted_at, (select updated_at from orders where id = new.order_id));
  return new;
end
$$;
create trigger print_job_is_routed before update of station on print_job
  for each row when (old.station is null and new.station is not null) execute function print_job_is_routed();

update print_job j set is_open = true, promoted_at = coalesce((
  select max(h.created_at) from order_history h where h.order_id = o.id and h.action = 'promote'), o.updated_at)
from orders o
where o.id = j.order_id and j.station is not null and o.state in ('released', 'in_production', 'on_hold');

create index print_job_of_station on print_job (station, promoted_at, order_id, line_id, ordinal) where is_open;
create index print_job_open on print_job (promoted_at, order_id, line_id, ordinal) where is_open;

-- What is stuck ------------------------------------------------------------------------------------------------------------

create index orders_owing on orders (id) where refund_owed_pence > 0;

-- An order by what the caller knows of it ----------------------------------------------------------------------------------

-- In capitals and without blanks, as they are asked for.
create index orders_postcode on orders (
  (upper(regexp_replace(shipping_address ->> 'postcode', '\s', '', 'g') collate "C")), id);
create index shipment_tracking on shipment ((upper(regexp_replace(tracking_number, '\s', '', 'g') collate "C")), order_id);
