import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { newId, newOrderReference, type Uuid } from '../src/lib/ids.ts';

/** One prepared statement that writes all rows of a paid order again, for any account. */
export type OrderCopier = {
  readonly text: string;
  readonly values: (accountId: Uuid) => string[];
  /** How many rows it writes of each table. */
  readonly rows: Readonly<Record<string, number>>;
};

const TABLES = ['order_reference', 'orders', 'order_line', 'print_job', 'order_history', 'posting', 'event'] as const;

/** Makes it of the latest order that was placed. It has constants for all but ids; nothing is checked or looked up. */
export async function copierOfLatestOrder(pool: pg.Pool): Promise<OrderCopier> {
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
  const fresh: Fresh = new Map();
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
    const { names, types, tuples } = await rowsOf(pool, table, order.id);
    rows[table] = tuples.length;
    for (const cells of tuples) {
      names.forEach((name, index) => {
        const cell = cells[index];
        if (typeof cell === 'string' && (name === 'id' || name === 'line_id')) parameter(cell, () => newId());
      });
    }
    const literals = tuples.map((cells) =>
      cells.map((cell, index) =>
        // The entry of a statement is unique within its account.
        names[index] === 'entry' && cell !== null
          ? '(random() * 9e15)::bigint'
          : literal(cell, types[index] ?? 'text', fresh),
      ),
    );
    const values = literals.map((cells) => `(${cells.join(', ')})`);
    inserts.push(`${table}_rows as (insert into ${table} (${names.join(', ')}) values ${values.join(', ')})`);
  }
  const account = fresh.get(order.account_id)?.at ?? 1;
  const text = `with ${inserts.join(',\n')}
    update account_balance set balance_pence = balance_pence - ${order.total_pence} where account_id = $${account}::uuid`;
  return { text, rows, values: (accountId) => [...fresh.values()].map(({ make }) => make(accountId)) };
}

/** By a value of the order: the number of its parameter, and how a new one is made. */
type Fresh = Map<string, { readonly at: number; readonly make: (accountId: Uuid) => string }>;

async function rowsOf(pool: pg.Pool, table: (typeof TABLES)[number], orderId: string) {
  const { rows: columns } = await pool.query<{ column_name: string; data_type: string }>(
    `select column_name, data_type from information_schema.columns where table_name = $1
       and column_name not in ('transaction_id', 'changed_by') and is_identity = 'NO' order by ordinal_position`,
    [table],
  );
  const names = columns.map((column) => column.column_name);
  const { rows } = await pool.query<{ cells: (string | null)[] }>(
    `select array[${names.map((name) => `${name}::text`).join(', ')}] as cells from ${table}
     where ${table === 'orders' ? 'id' : 'order_id'} = $1`,
    [orderId],
  );
  return { names, types: columns.map((column) => column.data_type), tuples: rows.map(({ cells }) => cells) };
}

function literal(cell: string | null | undefined, type: string, fresh: Fresh): string {
  if (cell === null || cell === undefined) return 'null';
  const known = fresh.get(cell);
  const cast = type === 'ARRAY' ? '' : `::${type}`;
  if (known !== undefined) return `$${known.at}${cast}`;
  return `'${cell.replaceAll("'", "''")}'${cast}`;
}
