import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { databaseClock } from '../src/lib/clock.ts';
import type { DatabaseAddress } from '../src/lib/db.ts';
import { openDatabase } from '../src/lib/db.ts';
import { newId, newOrderReference, type Uuid } from '../src/lib/ids.ts';
import { silentLog } from '../src/lib/log.ts';
import { listOrderRows } from '../src/orders/list-sql.ts';
import type { ApiReady } from './api.ts';
import { answer } from './service-process.ts';

/**
 * The ceiling: what the driver alone can do on the same database. `rows` writes the rows of one paid order, copied
 * from a real one, in one prepared statement with constants for everything but ids; nothing is checked, looked up or
 * answered. `page` runs the service's own page query. `books` numbers the entries of the copies, which know nothing
 * of one another, and gives each account the print files of its copies, so that all can be verified.
 */
export type CeilingRound = { readonly kind: 'rows' | 'page' | 'books'; readonly seconds: number };
export type CeilingResult = { readonly perSecond: number; readonly rows: Readonly<Record<string, number>> };

const CONNECTIONS = 32;
/** As many as ask the service for pages. */
const CONNECTIONS_FOR_PAGES = 8;
const TABLES = ['order_reference', 'orders', 'order_line', 'print_job', 'order_history', 'posting', 'event'] as const;

const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress & { host: string };
const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;

type Writer = {
  readonly text: string;
  readonly values: (accountId: Uuid) => string[];
  readonly rows: Record<string, number>;
};

let writer: Writer | undefined;

const WORK = { rows: writeRows, page: readPages, books: numberEntries } as const;

answer((round: CeilingRound) => WORK[round.kind](round.seconds));
process.send?.({});

async function writeRows(seconds: number): Promise<CeilingResult> {
  const pool = new pg.Pool({
    ...address,
    max: CONNECTIONS,
    options: '-c plan_cache_mode=force_generic_plan -c jit=off',
  });
  writer ??= await copyOfAnOrder(pool);
  const { text, values, rows } = writer;
  const perSecond = await repeat(seconds, async (lane) => {
    await pool.query({ name: 'ceiling', text, values: values(accountOf(lane)) });
  });
  await pool.end();
  return { perSecond, rows };
}

async function readPages(seconds: number): Promise<CeilingResult> {
  const database = await openDatabase({ address, clock: databaseClock(), log: silentLog, connectionsMax: CONNECTIONS });
  const perSecond = await repeat(
    seconds,
    async (lane) => {
      await listOrderRows(database, accountOf(lane), { before: null, limit: 26, filter: undefined });
    },
    CONNECTIONS_FOR_PAGES,
  );
  await database.close();
  return { perSecond, rows: {} };
}

async function numberEntries(): Promise<CeilingResult> {
  const client = new pg.Client(address);
  await client.connect();
  await client.query(`
    insert into print_file
      select j.print_file_key, j.account_id, f.recipe, f.state, f.output_hash, f.output_bytes, f.preview_hash, f.failure,
             f.created_at, f.ready_at
      from (select distinct print_file_key, account_id from print_job) j join print_file f on f.key = j.print_file_key
      on conflict do nothing;
    alter table posting disable trigger posting_is_final;
    create temporary table numbered as
      select account_id, id, row_number() over statement as entry,
             sum(case when credit_account = 'customer_balance' then amount_pence else -amount_pence end) over statement as left_over
      from posting where entry is not null window statement as (partition by account_id order by id);
    update posting p set entry = -n.entry from numbered n where p.account_id = n.account_id and p.id = n.id;
    update posting p set entry = n.entry, balance_after_pence = n.left_over from numbered n
      where p.account_id = n.account_id and p.id = n.id;
    update account_balance b set entries = (select count(*) from numbered n where n.account_id = b.account_id);
    alter table posting enable trigger posting_is_final;`);
  await client.end();
  return { perSecond: 0, rows: {} };
}

async function repeat(seconds: number, work: (lane: number) => Promise<void>, lanes = CONNECTIONS): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() < endsAt) {
        await work(lane);
        done += 1;
      }
    }),
  );
  return done / ((performance.now() - startedAt) / 1_000);
}

function accountOf(lane: number): Uuid {
  const customer = api.customers[lane % api.customers.length];
  if (customer === undefined) throw new Error('there is no account to write for');
  return customer.accountId;
}

/** A statement that writes the rows of a paid order again under new ids, made from the rows of the latest one. */
async function copyOfAnOrder(pool: pg.Pool): Promise<Writer> {
  const found = await pool.query<{
    id: string;
    account_id: string;
    reference: string;
    external_reference: string;
    total_pence: string;
  }>(
    "select id, account_id, reference, external_reference, total_pence from orders where state = 'placed' order by id desc limit 1",
  );
  const order = found.rows[0];
  if (order === undefined) throw new Error('no order was placed that could be copied');
  const fresh = new Map<string, { at: number; make: (accountId: Uuid) => string }>();
  const parameter = (value: string, make: (accountId: Uuid) => string): void => {
    if (!fresh.has(value)) fresh.set(value, { at: fresh.size + 1, make });
  };
  parameter(order.account_id, (accountId) => accountId);
  parameter(order.id, () => newId());
  parameter(order.reference, newOrderReference);
  parameter(order.external_reference, () => randomUUID());
  const inserts: string[] = [];
  const rows: Record<string, number> = {};
  for (const table of TABLES) {
    const key = table === 'orders' ? 'id' : 'order_id';
    const columns = await pool.query<{ column_name: string; data_type: string }>(
      `select column_name, data_type from information_schema.columns where table_name = $1
         and column_name not in ('transaction_id', 'changed_by') and is_identity = 'NO' order by ordinal_position`,
      [table],
    );
    const names = columns.rows.map((column) => column.column_name);
    const texts = await pool.query<{ cells: (string | null)[] }>(
      `select array[${names.map((name) => `${name}::text`).join(', ')}] as cells from ${table} where ${key} = $1`,
      [order.id],
    );
    rows[table] = texts.rows.length;
    for (const { cells } of texts.rows) {
      names.forEach((name, index) => {
        const cell = cells[index];
        if (typeof cell === 'string' && (name === 'id' || name === 'line_id')) parameter(cell, () => newId());
      });
    }
    const tuples = texts.rows.map(({ cells }) => {
      const literals = cells.map((cell, index) =>
        // The entry of a statement is unique within its account.
        names[index] === 'entry' && cell !== null
          ? '(random() * 9e15)::bigint'
          : literal(cell, columns.rows[index]?.data_type ?? 'text', fresh),
      );
      return `(${literals.join(', ')})`;
    });
    inserts.push(`${table}_rows as (insert into ${table} (${names.join(', ')}) values ${tuples.join(', ')})`);
  }
  const account = fresh.get(order.account_id)?.at ?? 1;
  const text = `with ${inserts.join(',\n')}
    update account_balance set balance_pence = balance_pence - ${order.total_pence} where account_id = $${account}::uuid`;
  return { text, rows, values: (accountId) => [...fresh.values()].map(({ make }) => make(accountId)) };
}

function literal(cell: string | null | undefined, type: string, fresh: ReadonlyMap<string, { at: number }>): string {
  if (cell === null || cell === undefined) return 'null';
  const known = fresh.get(cell);
  const cast = type === 'ARRAY' ? '' : `::${type}`;
  if (known !== undefined) return `$${known.at}${cast}`;
  return `'${cell.replaceAll("'", "''")}'${cast}`;
}
