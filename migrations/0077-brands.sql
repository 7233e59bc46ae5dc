-- The shop names under which customers sell. A parcel's packing slip carries the brand of its order in place of the
-- print shop's name.

create table brand (
  account_id uuid not null references account,
  id uuid not null,
  -- Its name as two are compared.
  name_key text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  archived_at timestamptz,
  primary key (id, account_id)
);
create unique index brand_name on brand (account_id, name_key) where archived_at is null;
create index brand_of_account on brand (account_id, id);
-- The account's newest that are not archived, and those that are by their time.
create index brand_active on brand (account_id, id) where archived_at is null;
create index brand_archived on brand (archived_at, id) where archived_at is not null;

-- What a slip shows of a brand. A row is never changed: an edit adds the next one, and orders name the one that they
-- were placed with.
create table brand_revision (
  account_id uuid not null,
  id uuid not null,
  brand_id uuid not null,
  name text not null,
  message text not null,
  support_email text not null,
  website text not null,
  return_lines text[] not null,
  -- A PNG of our own making, as it is printed.
  logo_hash bytea references blob,
  created_at timestamptz not null,
  -- Since when there is a later one; null for the present one.
  superseded_at timestamptz,
  primary key (id, account_id),
  foreign key (brand_id, account_id) references brand on delete cascade
);
create unique index brand_revision_present on brand_revision (account_id, brand_id) where superseded_at is null;
create index brand_revision_of_account on brand_revision (account_id, id);
create index brand_revision_of_brand on brand_revision (brand_id, account_id);
create index brand_revision_logo on brand_revision (logo_hash, account_id) where logo_hash is not null;
create index brand_revision_superseded on brand_revision (superseded_at, id) where superseded_at is not null;

-- The brand of orders that name none.
alter table account add column default_brand_id uuid;
alter table account add constraint account_default_brand foreign key (default_brand_id, id) references brand not valid;

-- `{ id, name, revision_id }`, as it was when the order was placed; null without a brand.
alter table orders add column brand jsonb;

-- As before, with the column `brand`. Nodes of the version before name none, and their orders have none.
create or replace function place_orders(
  is_alone boolean,
  ids uuid[],
  account_ids uuid[],
  external_references text[],
  times timestamptz[],
  due_pence bigint[],
  catalogue_versions bigint[],
  price_book_versions bigint[],
  -- The id of an attempt on a card or a direct debit; null where only the balance may pay.
  attempt_ids uuid[],
  -- Of one that is alone; empty arrays otherwise.
  new_setups json,
  relied_setups json,
  order_rows json,
  line_rows json,
  job_rows json,
  file_rows json,
  posting_rows json,
  event_rows json)
returns table (fate text, is_paid boolean, is_attempted boolean, from_balance bigint, ready_files json)
language plpgsql volatile set enable_seqscan = off as $$
#variable_conflict use_column
declare
  -- How soon a wait for another transaction's reference makes each order go alone.
  wait_together constant text := '50ms';
  -- The smallest charge that a provider accepts, and how long the process that made an attempt works on it alone.
  method_pence_min constant bigint := 30;
  head_start constant interval := '30 seconds';
  spare constant smallint := 2;
  ordinary constant smallint := 1;
  size constant integer := cardinality(ids);
  fates text[] := array_fill('open'::text, array[size]);
  paid boolean[] := array_fill(false, array[size]);
  balance_parts bigint[] := array_fill(0::bigint, array[size]);
  method_parts bigint[] := array_fill(null::bigint, array[size]);
  entry_numbers bigint[] := array_fill(null::bigint, array[size]);
  balances_after bigint[] := array_fill(null::bigint, array[size]);
  posted_at timestamptz[] := array_fill(null::timestamptz, array[size]);
  ready json[] := array_fill('[]'::json, array[size]);
  -- The locked balances.
  held uuid[] := '{}';
  held_balances bigint[] := '{}';
  held_entries bigint[] := '{}';
  held_times timestamptz[] := '{}';
  held_moved boolean[] := '{}';
  own uuid[];
  catalogue bigint;
  prices bigint;
  setups integer;
  setups_held integer;
  method record;
  item record;
  place integer;
  unmade integer := 0;
  this_transaction xid8;
begin
  -- Versions.
  select s.catalogue_version, s.price_book_version into catalogue, prices from catalogue_state s;
  for n in 1 .. size loop
    if catalogue_versions[n] <> catalogue or price_book_versions[n] <> prices then
      fates[n] := 'stale';
    end if;
  end loop;

  -- References.
  if not is_alone then
    perform set_config('lock_timeout', wait_together, true);
  end if;
  with written as (
    insert into order_reference (external_reference, account_id, order_id)
    select r.name, account_ids[r.n], ids[r.n] from unnest(external_references) with ordinality as r(name, n)
    where r.name is not null and fates[r.n] = 'open'
    order by r.name collate "C"
    on conflict do nothing
    returning order_id
  )
  select coalesce(array_agg(w.order_id), '{}') into own from written w;
  for n in 1 .. size loop
    if fates[n] = 'open' and external_references[n] is not null and not ids[n] = any (own) then
      fates[n] := 'taken';
    end if;
  end loop;

  -- Rights of setups. Each that was quoted as new must be new, and each that was relied on must still be there.
  if is_alone and fates[1] = 'open' and json_array_length(new_setups) + json_array_length(relied_setups) > 0 then
    with written as (
      insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
      select account_ids[1], decode(s.design_hash, 'hex'), s.method, ids[1], s.amount_pence, times[1]
      from json_to_recordset(new_setups) as s(design_hash text, method text, amount_pence bigint)
      order by s.design_hash, s.method
      on conflict do nothing
      returning 1
    )
    select count(*) into setups from written;
    -- Row by row through the index: with old statistics a join is planned as a walk over all rights of the account.
    select count(*) into setups_held
    from json_to_recordset(relied_setups) as s(design_hash text, method text)
    cross join lateral (
      select 1 from setup_right r
      where r.account_id = account_ids[1] and r.design_hash = decode(s.design_hash, 'hex') and r.method = s.method
      for key share
    ) as held_right;
    perform refuse_unless(
      setups = json_array_length(new_setups) and setups_held = json_array_length(relied_setups), 'PL002');
    insert into setup_reliance (account_id, design_hash, method, order_id)
    select account_ids[1], decode(s.design_hash, 'hex'), s.method, ids[1]
    from (
      select a.design_hash, a.method from json_to_recordset(new_setups) as a(design_hash text, method text)
      union all
      select b.design_hash, b.method from json_to_recordset(relied_setups) as b(design_hash text, method text)
    ) as s;
  end if;

  -- Balances, only of orders that are to be written. One order alone waits for its own first, and so has it here.
  if is_alone and fates[1] = 'open' then
    perform 1 from account_balance b where b.account_id = account_ids[1] for update;
    perform refuse_unless(found, 'PL003');
  end if;
  for item in
    select b.account_id, b.balance_pence, b.entries, b.last_entry_at from account_balance b
    where b.account_id = any (array(
      select account_ids[f.n] from unnest(fates) with ordinality as f(fate, n) where f.fate = 'open'))
    for update skip locked
  loop
    held := held || item.account_id;
    held_balances := held_balances || item.balance_pence;
    held_entries := held_entries || item.entries;
    held_times := held_times || item.last_entry_at;
    held_moved := held_moved || false;
  end loop;

  -- Who pays, one order after the other.
  for n in 1 .. size loop
    continue when fates[n] <> 'open';
    place := array_position(held, account_ids[n]);
    if place is null then
      fates[n] := 'busy';
      continue;
    end if;
    posted_at[n] := greatest(times[n], held_times[place]);
    if held_balances[place] >= due_pence[n] then
      paid[n] := true;
      balance_parts[n] := due_pence[n];
    elsif attempt_ids[n] is not null and due_pence[n] >= method_pence_min then
      if not is_alone then
        fates[n] := 'busy';
        continue;
      end if;
      select m.kind, m.provider_reference into method from payment_method m where m.account_id = account_ids[n];
      if found then
        method_parts[n] := greatest(due_pence[n] - held_balances[place], method_pence_min);
        balance_parts[n] := due_pence[n] - method_parts[n];
      end if;
    end if;
    fates[n] := 'placed';
    if balance_parts[n] > 0 then
      held_balances[place] := held_balances[place] - balance_parts[n];
      held_entries[place] := held_entries[place] + 1;
      held_times[place] := posted_at[n];
      held_moved[place] := true;
      entry_numbers[n] := held_entries[place];
      balances_after[n] := held_balances[place];
    end if;
  end loop;
  if 'busy' = any (fates) then
    delete from order_reference r using unnest(fates) with ordinality as f(fate, n)
    where f.fate = 'busy' and r.external_reference = external_references[f.n] and r.order_id = ids[f.n];
  end if;
  if not 'placed' = any (fates) then
    return query select f.fate, false, false, 0::bigint, '[]'::json from unnest(fates) as f(fate);
    return;
  end if;

  update account_balance b
  set balance_pence = s.balance_pence, entries = s.entries, last_entry_at = s.last_entry_at
  from unnest(held, held_balances, held_entries, held_times, held_moved)
    as s(account_id, balance_pence, entries, last_entry_at, is_moved)
  where s.is_moved and b.account_id = s.account_id;

  insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at,
    entry, balance_after_pence)
  select account_ids[p.n], p.id, ids[p.n], p.kind, p.debit_account, p.credit_account,
    case when p.kind = 'charge' then balance_parts[p.n] else p.amount_pence end, p.reference, posted_at[p.n],
    case when p.debit_account = 'customer_balance' then entry_numbers[p.n] end,
    case when p.debit_account = 'customer_balance' then balances_after[p.n] end
  from json_to_recordset(posting_rows) as p(n integer, id uuid, kind text, debit_account text, credit_account text,
    amount_pence bigint, reference text)
  where fates[p.n] = 'placed' and case when p.kind = 'charge' then balance_parts[p.n] > 0 else paid[p.n] end;

  -- The order and what it is made of. The number of the transaction is read once, and not for each row.
  this_transaction := transaction_number();
  insert into orders (id, account_id, external_reference, state,
    reference, source, type, notes, metadata, eori_number, ioss_number, brand, shipping_address, billing_address, shipping, setups, warnings,
    subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence,
    vat_breakdown, vat_territory, fingerprint,
    total_pence, balance_paid_pence, attempt_id, paid_at, catalogue_version, price_book_version, version, last_event_at, changed_by,
    placed_at, cancellable_until, created_at, updated_at, line_count)
  select ids[o.n], account_ids[o.n], external_references[o.n],
    case when paid[o.n] then 'placed' else 'awaiting_payment' end,
    o.reference, o.source, o.type, o.notes, o.metadata, o.eori_number, o.ioss_number, o.brand, o.shipping_address,
    o.billing_address, o.shipping, o.setups, o.warnings, o.subtotal_pence, o.setup_pence, o.shipping_pence,
    o.vat_pence, o.duty_pence, o.vat_breakdown, o.vat_territory, o.fingerprint,
    due_pence[o.n], balance_parts[o.n], case when method_parts[o.n] is not null then attempt_ids[o.n] end,
    case when paid[o.n] then times[o.n] end, catalogue_versions[o.n], price_book_versions[o.n],
    case when method_parts[o.n] is null then 1 else 0 end, times[o.n], this_transaction,
    times[o.n], o.cancellable_until, times[o.n], times[o.n], o.line_count
  from json_to_recordset(order_rows) as o(n integer, cancellable_until timestamptz, line_count integer,
    reference text, source text, type text, notes text, metadata jsonb, eori_number text, ioss_number text,
    brand jsonb, shipping_address jsonb, billing_address jsonb, shipping jsonb, setups jsonb, warnings jsonb,
    subtotal_pence bigint, setup_pence bigint, shipping_pence bigint, vat_pence bigint, duty_pence bigint,
    vat_breakdown jsonb, vat_territory text, fingerprint bytea)
  where fates[o.n] = 'placed';

  if is_alone and method_parts[1] is not null then
    insert into payment_attempt (id, order_id, account_id, method, provider_reference, amount_pence, state, created_at,
      look_at)
    values (attempt_ids[1], ids[1], account_ids[1], method.kind, method.provider_reference, method_parts[1], 'open',
      times[1], times[1] + head_start);
  end if;

  insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, colour, size,
    unit_price_pence, line_price_pence, vat_class, declared_unit_pence, mock_hash)
  select ids[l.n], l.id, account_ids[l.n], l.ordinal, l.product_id, l.sku, l.quantity, l.name, l.colour, l.size,
    l.unit_price_pence, l.line_price_pence, l.vat_class, l.declared_unit_pence, decode(l.mock_hash, 'hex')
  from json_to_recordset(line_rows) as l(n integer, id uuid, ordinal integer, product_id uuid, sku text, quantity integer,
    name text, colour text, size text, unit_price_pence bigint, line_price_pence bigint, vat_class text,
    declared_unit_pence bigint, mock_hash text)
  where fates[l.n] = 'placed';

  insert into print_job (order_id, line_id, ordinal, account_id, print_area, method, design_hash, print_file_key,
    unit_price_pence)
  select ids[j.n], j.line_id, j.ordinal, account_ids[j.n], j.print_area, j.method, decode(j.design_hash, 'hex'),
    decode(j.print_file_key, 'hex'), j.unit_price_pence
  from json_to_recordset(job_rows) as j(n integer, line_id uuid, ordinal integer, print_area text, method text,
    design_hash text, print_file_key text, unit_price_pence bigint)
  where fates[j.n] = 'placed';

  -- Print files: those that are ready need nothing.
  for item in
    select w.n, json_agg(w.key) filter (where f.state = 'ready') as ready,
      count(*) filter (where f.state is distinct from 'ready') as unmade
    from json_to_recordset(file_rows) as w(n integer, key text)
    left join lateral (
      select p.state from print_file p where p.key = decode(w.key, 'hex') and p.account_id = account_ids[w.n]
    ) as f on true
    where fates[w.n] = 'placed'
    group by w.n
  loop
    ready[item.n] := coalesce(item.ready, '[]');
    unmade := unmade + item.unmade;
  end loop;
  if unmade > 0 then
    with wanted as materialized (
      select w.n, w.key as key_hex, decode(w.key, 'hex') as key, w.recipe,
        case when paid[w.n] then ordinary else spare end as tier, w.ranked_at
      from json_to_recordset(file_rows) as w(n integer, key text, recipe jsonb, ranked_at timestamptz)
      where fates[w.n] = 'placed'
        and not exists (select from json_array_elements_text(ready[w.n]) as r(key) where r.key = w.key)
    ),
    new_file as (
      insert into print_file (key, account_id, recipe, state, tracks_needs, created_at)
      select distinct on (w.key, account_ids[w.n]) w.key, account_ids[w.n], w.recipe, 'pending', true, times[w.n] from wanted w
      order by w.key, account_ids[w.n], w.n
      on conflict (key, account_id) do update set state = 'pending', failure = null, dropped_at = null
        where print_file.state = 'failed'
      returning key
    ),
    new_need as (
      insert into print_file_need (account_id, order_id, print_file_key, tier, ranked_at)
      select account_ids[w.n], ids[w.n], w.key, w.tier, w.ranked_at from wanted w
    )
    insert into job (id, kind, key, payload, run_at, created_at, account_id, tier, ranked_at)
    select distinct on (w.key_hex) uuid_v7(times[w.n]), 'normalise_artwork', w.key_hex, '{}'::jsonb, times[w.n], times[w.n],
      account_ids[w.n], w.tier, w.ranked_at
    from wanted w
    order by w.key_hex, w.tier, w.ranked_at
    -- A file that is made anew starts its job anew; one that waits comes as near as the nearest of these orders.
    on conflict (kind, key) do update set
      tier = least(job.tier, excluded.tier),
      ranked_at = case when (excluded.tier, excluded.ranked_at) < (job.tier, job.ranked_at)
        then excluded.ranked_at else job.ranked_at end,
      run_at = case when exists (select from new_file f where f.key = decode(excluded.key, 'hex'))
          or (job.tier = spare and excluded.tier < job.tier and job.lease_token is null and not job.parked)
        then excluded.run_at else job.run_at end,
      failed_at = case when exists (select from new_file f where f.key = decode(excluded.key, 'hex')) then null else job.failed_at end,
      attempts = case when exists (select from new_file f where f.key = decode(excluded.key, 'hex')) then 0 else job.attempts end,
      setbacks = case when exists (select from new_file f where f.key = decode(excluded.key, 'hex')) then 0 else job.setbacks end,
      lease_token = case when exists (select from new_file f where f.key = decode(excluded.key, 'hex')) then null else job.lease_token end,
      parked = job.parked and not exists (select from new_file f where f.key = decode(excluded.key, 'hex'))
    where exists (select from new_file f where f.key = decode(excluded.key, 'hex'))
      or (excluded.tier, excluded.ranked_at) < (job.tier, job.ranked_at);
  end if;

  insert into order_history (order_id, id, account_id, action, to_state, actor, created_at)
  select ids[e.n], e.history_id, account_ids[e.n], 'place', case when paid[e.n] then 'placed' else 'awaiting_payment' end,
    'customer', times[e.n]
  from json_to_recordset(event_rows) as e(n integer, history_id uuid)
  where fates[e.n] = 'placed';

  -- While an attempt is under way nobody knows which event it will be.
  with new_event as (
    insert into event (id, account_id, order_id, sequence, event, data, created_at, transaction_id)
    select e.id, account_ids[e.n], ids[e.n], 1, case when paid[e.n] then 'order.created' else 'order.payment_failed' end,
      case when paid[e.n] then e.created else e.failed end, times[e.n], this_transaction
    from json_to_recordset(event_rows) as e(n integer, id uuid, created json, failed json)
    where fates[e.n] = 'placed' and method_parts[e.n] is null
    returning id, account_id, order_id, event, created_at
  )
  insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, state, due_at, created_at)
  select uuid_v7(e.created_at), e.account_id, s.id, s.generation, e.id, e.event, 'pending',
    (select d.due_at from json_to_recordset(event_rows) as d(n integer, due_at timestamptz) where ids[d.n] = e.order_id),
    e.created_at
  from new_event e join webhook_subscription s on s.account_id = e.account_id
  where s.active and (s.events = '{}' or e.event = any (s.events));

  return query
  select f.fate, f.paid, f.method_part is not null, f.balance_part, f.ready
  from unnest(fates, paid, method_parts, balance_parts, ready) as f(fate, paid, method_part, balance_part, ready);
end
$$;
