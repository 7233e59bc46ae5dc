import type pg from 'pg';
import { SHORT_SKU } from './model.ts';
import { ACCOUNT_TABLES, accountCell, copiedCell, DEFAULTED, FIXED_TABLES, ORDER_TABLES } from './tables.ts';

// Fills a database with copies of the orders of a model, by statements over thousands at once. What one order has, its
// copies have, under ids, references, times and entries of their own; the books agree.

/** How much is generated, and how it is spread. */
export type Amount = {
  readonly orders: number;
  /** Orders of a day: more orders are an older shop, not a busier one, so what waits does not grow with them. */
  readonly perDay: number;
  /** How many customers they are of: one of a thousand orders, and at least so many that lists of them are full. */
  readonly accounts?: number;
};

/** Units of one transaction. */
const CHUNK = 5_000;
/** The first account has so large a share. */
const LARGE_SHARE = 5;
const ORDERS_OF_AN_ACCOUNT = 1_000;
/** More than a page of them at every size. */
const ACCOUNTS_MIN = 128;
/** Of the youngest so many every other one is still open. */
const YOUNG = 4_000;
/** The deliveries of so many are still to be sent. */
const UNSENT = 100;
/** The youngest is so old: what happens to it later has happened by now, too. */
const YOUNGEST_MINUTES = 10;
/** What each account has paid in, in pence. */
const TOP_UP = 100_000_000_000;
/** Blanks that lie on the shelf of each variant beside those that were used. */
const SPARE = 1_000_000;

/**
 * Copies the orders of the model until there are so many more.
 * Every connection copies a part of them at a time: the statements of one use one processor.
 */
export async function generate(
  clients: readonly [pg.Client, ...pg.Client[]],
  { orders, perDay, accounts = Math.max(ACCOUNTS_MIN, Math.round(orders / ORDERS_OF_AN_ACCOUNT)) }: Amount,
  say: (line: string) => void,
): Promise<void> {
  const [client] = clients;
  for (const one of clients) await one.query(SETTINGS);
  await prepareModel(client);
  const units = await planCopies(client, { orders, perDay, accounts });
  await writeAccounts(client);
  const statements = await copyStatements(client);
  const startedAt = performance.now();
  let next = 1;
  const copy = async (one: pg.Client): Promise<void> => {
    await one.query(SCRATCH);
    while (next <= units) {
      const first = next;
      const last = Math.min(units, first + CHUNK - 1);
      next = last + 1;
      await one.query('begin');
      await one.query('truncate pg_temp.copy, pg_temp.copied_order');
      await one.query(COPIES, [first, last]);
      await one.query(COPIED_ORDERS);
      await one.query('analyze pg_temp.copy, pg_temp.copied_order');
      for (const statement of statements) await one.query(statement);
      await one.query('commit');
      const seconds = (performance.now() - startedAt) / 1_000;
      const left = (seconds / last) * (units - last);
      if ((first - 1) % (CHUNK * 4) === 0) {
        say(`${last} of ${units} units, ${Math.round(last / seconds)}/s, ${Math.ceil(left / 60)} min left`);
      }
    }
  };
  await Promise.all(clients.map(copy));
  await finish(client);
}

const SETTINGS = `set synchronous_commit = off; set session_replication_role = replica; set statement_timeout = 0;
  set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set jit = off; set timezone = 'UTC'`;

/** Takes the rows of the model apart by unit: an order and what was made again of it. */
async function prepareModel(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' order by 1",
  );
  const known: readonly string[] = [...Object.keys(ORDER_TABLES), ...ACCOUNT_TABLES, ...FIXED_TABLES];
  const unknown = rows.filter(({ name }) => !known.includes(name)).map(({ name }) => name);
  if (unknown.length > 0) throw new Error(`bench/size/tables.ts does not say how these grow: ${unknown.join(', ')}`);
  await client.query(SCHEMA);
  for (const [table, order] of Object.entries(ORDER_TABLES)) {
    await client.query(
      `create table size.model_${table} as
       select t.*, u.unit, u.order_id as model_order ${MORE[table] ?? ''} from ${table} t join size.unit_of u on u.order_id = ${order}`,
    );
    await client.query(`analyze size.model_${table}`);
  }
  for (const table of ACCOUNT_TABLES) {
    const which =
      table === 'webhook_subscription' ? 'where id = (select min(id::text)::uuid from webhook_subscription)' : '';
    await client.query(`create table size.model_${table} as select * from ${table} ${which}`);
  }
}

/** What copying a row of a table needs to know beside it. */
const MORE: Readonly<Record<string, string>> = {
  print_job: `, exists (select from print_file f where f.key = t.print_file_key and f.account_id = t.account_id
      and f.recipe ->> 'kind' = 'personalised') as is_of_order`,
  order_search: `, (select upper(split_part(o.shipping_address ->> 'contact_name', ' ', 1)) from orders o
      where o.account_id = t.account_id and o.id = t.order_id) as first_term`,
  credit_note: `, t.document ->> 'invoice_number' as model_invoice_number`,
};

const SCHEMA = `
create schema size;
-- A copy of an id: of its own time and of another, the same wherever the id stands.
create function size.new_id(id uuid, n bigint, shift_ms bigint) returns uuid language sql immutable strict parallel safe as $$
  select encode(substring((substring(uuid_send(id) for 6)::bigint + shift_ms)::bytea from 3)
    || substring(uuid_send(id) from 7 for 3) || substring(int8send(uuid_hash_extended(id, n)) for 7), 'hex')::uuid
$$;
-- The 26 digits of a public id.
create function size.public_id(prefix text, id uuid) returns text language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    1 + substring('00' || ('x' || replace(id::text, '-', ''))::bit(128)::text from 1 + 5 * digit for 5)::bit(5)::integer, 1), '' order by digit)
  from generate_series(0, 25) as digit
$$;
-- A reference in the alphabet of references, another one for each number.
create function size.reference(n bigint) returns text language sql immutable strict parallel safe as $$
  select 'PF-' || string_agg(substr('23456789ABCDEFGHJKMNPQRSTVWXYZ',
    1 + ((n * 387420489 % 656100000000) / (30::numeric ^ place)::bigint % 30)::integer, 1), '' order by place)
  from generate_series(0, 7) as place
$$;
create table size.unit_of as select id as order_id, coalesce(replaces, id) as unit from orders;
create table size.unit as
  select u.unit, count(*) as orders, bool_and(o.state in ('dispatched', 'delivered', 'cancelled')) as is_done,
    min(o.placed_at) as placed_at
  from size.unit_of u join orders o on o.id = u.order_id group by 1;
`;

/** The copies that a connection makes now, and their orders. */
const SCRATCH = `
create temporary table copy (n bigint primary key, unit uuid, account_number bigint, account_id uuid, shift interval,
  shift_ms bigint, is_done boolean, is_sent boolean, first_name text, last_name text, postcode text);
create temporary table copied_order (n bigint, model_order uuid, reference text, public_id text, external_reference text,
  model_reference text, model_public_id text, model_external text, primary key (n, model_order));
`;

/** Decides which unit is copied when and for whom; returns how many copies there will be. */
async function planCopies(client: pg.Client, { orders, perDay, accounts }: Required<Amount>): Promise<number> {
  const { rows } = await client.query<{ per: number; done: number }>(
    'select avg(orders)::float8 as per, count(*) filter (where is_done)::integer as done from size.unit where is_done',
  );
  const units = Math.max(1, Math.round(orders / (rows[0]?.per ?? 1)));
  const young = Math.min(YOUNG, Math.floor(units / 2));
  // Units that weigh more than an order come a little less often: a day has its orders, not its units.
  await client.query(`
    create table size.account as
      select number, uuid_v7(created_at) as id, created_at
      from (select number, now() - make_interval(secs => 86400.0 * (${orders} / ${perDay}::float8 + 2)) + make_interval(secs => number) as created_at
        from generate_series(1, ${accounts}) as number) as a;
    create unique index on size.account (number);
    create unlogged table size.plan as
      select n, case when is_open then (select array_agg(unit order by unit) from size.unit where not is_done)
          [1 + (young / 2) % (select count(*) from size.unit where not is_done)]
        else (select array_agg(unit order by unit) from size.unit where is_done)[1 + any_number % (select count(*) from size.unit where is_done)] end as unit,
        not is_open as is_done, young >= ${UNSENT} as is_sent,
        case when any_number % ${LARGE_SHARE} = 0 then 1 else 2 + (any_number / ${LARGE_SHARE}) % ${accounts - 1} end as account_number,
        now() - make_interval(mins => ${YOUNGEST_MINUTES}) - young * make_interval(secs => 86400.0 / ${perDay}) as placed_at
      from (select n, ${units} - n as young, ${units} - n < ${young} and (${units} - n) % 2 = 0 as is_open,
          (hashint8(n)::bigint & 2147483647) as any_number
        from generate_series(1::bigint, ${units}) as n) as s;
    create unique index on size.plan (n);
    analyze size.plan;
    create unlogged table size.shifted as
      select p.n, p.unit, p.account_number, p.placed_at - u.placed_at as shift from size.plan p join size.unit u on u.unit = p.unit;
    create unlogged table size.entry as
      select n, model_id, account_number, at, 1 + row_number() over statement as entry, ${TOP_UP} + sum(delta) over statement as balance_after_pence
      from (
        select s.n, m.id as model_id, s.account_number, m.created_at + s.shift as at,
          case when m.credit_account = 'customer_balance' then m.amount_pence else -m.amount_pence end as delta
        from size.shifted s join size.model_posting m on m.unit = s.unit where m.entry is not null
      ) as moved window statement as (partition by account_number order by at, n, model_id);
    create index on size.entry (n);
    create unlogged table size.document as
      select n, model_order, credit_id, issued_at, (select count(*) from invoice) + (select count(*) from credit_note)
        + row_number() over (order by issued_at, n, model_order, credit_id nulls first) as number
      from (
        select s.n, m.model_order, null::uuid as credit_id, m.issued_at + s.shift as issued_at
        from size.shifted s join size.model_invoice m on m.unit = s.unit
        union all
        select s.n, m.model_order, m.credit_id, m.issued_at + s.shift from size.shifted s join size.model_credit_note m on m.unit = s.unit
      ) as issued;
    create index on size.document (n);
    drop table size.shifted;
    analyze size.entry; analyze size.document;
  `);
  return units;
}

async function writeAccounts(client: pg.Client): Promise<void> {
  await client.query(`
    insert into account (id, name, created_at) select id, 'Shop ' || number, created_at from size.account;
    insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, entry, balance_after_pence, created_at)
      select id, uuid_v7(created_at), 'top_up', 'bank', 'customer_balance', ${TOP_UP}, 1, ${TOP_UP}, created_at from size.account;
    insert into account_balance (account_id, balance_pence, entries, last_entry_at)
      select a.id, coalesce(l.balance_after_pence, ${TOP_UP}), coalesce(l.entry, 1), coalesce(l.at, a.created_at)
      from size.account a left join (
        select distinct on (account_number) account_number, entry, at, balance_after_pence from size.entry order by account_number, entry desc
      ) l on l.account_number = a.number`);
  for (const table of ACCOUNT_TABLES) {
    const columns = await columnsOf(client, table);
    const cells = columns.map(({ name, type }) => accountCell(table, name, type));
    await client.query(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) select distinct on (${keyOf(table)}) ${cells.join(', ')}
       from size.account a cross join size.model_${table} m`,
    );
  }
}

/** Several accounts of the model may have the same picture or print file; an account has it once. */
function keyOf(table: string): string {
  if (table === 'design') return 'a.number, m.hash';
  return table === 'print_file'
    ? 'a.number, m.key'
    : table === 'product_area'
      ? 'a.number, m.product_id, m.print_area'
      : 'a.number, m.id';
}

type Column = { readonly name: string; readonly type: string };

async function columnsOf(client: pg.Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table],
  );
  return rows.filter(({ name }) => !DEFAULTED.includes(`${table}.${name}`));
}

const NAMES = `array['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Frances', 'John', 'Leslie', 'Tony', 'Radia', 'Ken',
  'Margaret', 'Dennis', 'Katherine', 'Niklaus', 'Hedy', 'Claude', 'Joan', 'Vint']`;

const COPIES = `insert into pg_temp.copy
  select p.n, p.unit, p.account_number, a.id, p.placed_at - u.placed_at,
    round(extract(epoch from p.placed_at - u.placed_at) * 1000)::bigint, p.is_done, p.is_sent,
    (${NAMES})[1 + p.n % 20], initcap(translate(substr(md5((p.n / 3)::text), 1, 7), '0123456789', 'ghijklmnop')),
    'LS' || 1 + p.n % 28 || ' ' || (p.n / 28) % 10 || chr((65 + (p.n / 280) % 26)::integer) || chr((65 + (p.n / 7280) % 26)::integer)
  from size.plan p join size.unit u on u.unit = p.unit join size.account a on a.number = p.account_number
  where p.n between $1 and $2 order by p.n`;

const COPIED_ORDERS = `insert into pg_temp.copied_order
  select n, model_order, reference, size.public_id('ord', size.new_id(model_order, n, shift_ms)), 'SIZE-' || reference,
    model_reference, size.public_id('ord', model_order), coalesce(model_external, reference)
  from (
    select c.n, c.shift_ms, m.id as model_order, size.reference(2 * c.n + (m.replaces is not null)::integer) as reference,
      m.reference as model_reference, m.external_reference as model_external
    from pg_temp.copy c join size.model_orders m on m.unit = c.unit
  ) as s order by n`;

/** The statements that copy the rows of one chunk. */
async function copyStatements(client: pg.Client): Promise<string[]> {
  const statements: string[] = [];
  for (const table of Object.keys(ORDER_TABLES)) {
    const columns = await columnsOf(client, table);
    const cells = columns.map(({ name, type }) => copiedCell(table, name, type));
    statements.push(
      `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) select ${cells.join(', ')}
       from pg_temp.copy c join size.model_${table} m on m.unit = c.unit
       join pg_temp.copied_order o on o.n = c.n and o.model_order = m.model_order ${JOINS[table] ?? ''}
       ${ENDS[table] ?? 'order by c.n'}`,
    );
  }
  statements.push(
    `insert into print_file (key, account_id, recipe, state, output_hash, output_bytes, preview_hash, created_at, ready_at, tracks_needs)
     select distinct on (c.n, f.key) sha256(f.key || int8send(c.n)), c.account_id, f.recipe, f.state, f.output_hash, f.output_bytes,
       f.preview_hash, f.created_at + c.shift, f.ready_at + c.shift, f.tracks_needs
     from pg_temp.copy c join size.model_print_job m on m.unit = c.unit and m.is_of_order join size.model_print_file f on f.key = m.print_file_key
     order by c.n, f.key`,
  );
  return statements;
}

// An account has a right once: connections that write the same ones write them in one order.
const ENDS: Readonly<Record<string, string>> = {
  setup_right: 'order by c.account_id, m.design_hash, m.method, c.n on conflict do nothing',
};

const JOINS: Readonly<Record<string, string>> = {
  posting: 'left join size.entry e on e.n = c.n and e.model_id = m.id',
  invoice: 'join size.document d on d.n = c.n and d.model_order = m.model_order and d.credit_id is null',
  credit_note: `join lateral (
      select d.number, i.number as invoice_number from size.document d
      join size.document i on i.n = d.n and i.model_order = d.model_order and i.credit_id is null
      where d.n = c.n and d.model_order = m.model_order and d.credit_id = m.credit_id
    ) d on true`,
};

/** What the service keeps of all orders: stock, what is counted, and how far each sweep is. */
async function finish(client: pg.Client): Promise<void> {
  await client.query(`
    insert into stock_movement (sku, kind, quantity, actor, created_at)
      select sku, 'receipt', wanted - on_hand, 'size', (select min(created_at) from size.account)
      from (
        select s.sku, case when s.sku = '${SHORT_SKU}' then 0 else ${SPARE} end as wanted, coalesce(m.on_hand, 0) as on_hand
        from stock s left join (
          select sku, sum(quantity) filter (where kind in ('receipt', 'count', 'consume', 'spoil')) as on_hand from stock_movement group by 1
        ) m on m.sku = s.sku
      ) as levels where wanted > on_hand;
    update stock s set on_hand = m.on_hand, allocated = m.allocated
      from (
        select sku, coalesce(sum(quantity) filter (where kind in ('receipt', 'count', 'consume', 'spoil')), 0) as on_hand,
          coalesce(sum(quantity) filter (where kind in ('allocate', 'release', 'consume')), 0) as allocated
        from stock_movement group by sku
      ) m where m.sku = s.sku;
    delete from stock_awaiting;
    insert into stock_awaiting (sku, pieces)
      select counted.sku, sum(counted.pieces) from stock_awaiting_order w, unnest(w.skus, w.pieces) as counted(sku, pieces) group by 1;
    update invoice_series set next_number = 1 + (select count(*) from invoice) + (select count(*) from credit_note);
    update order_search_progress set filled_through = (select id from orders order by id desc limit 1), contacts_through = (select id from orders order by id desc limit 1),
      contacts_until = (select id from orders order by id desc limit 1);
    update invoicing set placed_through = (select id from orders order by id desc limit 1), paid_through = (select max(paid_at) from orders);
    update seller_day set begins_at = day, closed_until = day
      from (select date_trunc('day', min(created_at)) as day from size.account) as first;
    update ledger_closing set closed_until = (select begins_at from seller_day);
    drop schema size cascade`);
  await client.query('update stock_awaiting_progress set counted_before = oldest_running_transaction()');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.query('reset session_replication_role');
}
