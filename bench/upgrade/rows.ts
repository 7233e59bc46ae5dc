import type pg from 'pg';

/** Tables of an order that are copied, and the column that says which order it is. */
const TABLES = [
  ['orders', 'id'],
  ['order_reference', 'order_id'],
  ['order_line', 'order_id'],
  ['print_job', 'order_id'],
  ['order_history', 'order_id'],
  ['posting', 'order_id'],
  ['event', 'order_id'],
] as const;

/** Orders of one transaction. */
const CHUNK = 20_000;

/**
 * Writes an order of one line again and again under new ids, so many times, as if its account had placed them. The
 * books agree: each copy has its entries of the account's statement, and the balance is what is left.
 */
export async function copyOrder(
  client: pg.Client,
  orderId: string,
  count: number,
  say: (line: string) => void,
): Promise<void> {
  await client.query('set synchronous_commit = off; set session_replication_role = replica');
  await client.query(
    'create temporary table copy (n bigint primary key, order_id uuid, line_id uuid, reference text, at timestamptz)',
  );
  const { rows: accounts } = await client.query<{ account_id: string; entries: string; spent: string; per: string }>(
    `select o.account_id, b.entries, sum(p.amount_pence) as spent, count(*) as per
     from orders o join account_balance b using (account_id) join posting p on p.order_id = o.id and p.entry is not null
     where o.id = $1 group by 1, 2`,
    [orderId],
  );
  const [account] = accounts;
  if (account === undefined) throw new Error('the order to be copied was not paid from a balance');
  for (let done = 0; done < count; done += CHUNK) {
    const size = Math.min(CHUNK, count - done);
    await client.query('begin');
    await client.query('truncate copy');
    await client.query(
      `insert into copy select n, uuid_v7(t.at), uuid_v7(t.at), 'PF-COPY-' || n, t.at
       from generate_series($2::bigint, $3::bigint) as n,
         lateral (select created_at + make_interval(secs => n / 1e6) as at from orders where id = $1) as t`,
      [orderId, done, done + size - 1],
    );
    for (const [table, key] of TABLES) {
      const { rows: columns } = await client.query<{ name: string }>(
        `select column_name as name from information_schema.columns where table_name = $1 and table_schema = 'public'
         and column_name not in ('transaction_id', 'changed_by') order by ordinal_position`,
        [table],
      );
      const names = columns.map(({ name }) => name);
      const cells = names.map((name) => cellOf(table, name));
      await client.query(
        `with model as (
           select t.*, row_number() over () as place${table === 'posting' ? SPENT : ''} from ${table} t where ${key} = '${orderId}'
         ), account as (
           select entries, balance_pence from account_balance where account_id = '${account.account_id}'
         )
         insert into ${table} (${names.join(', ')}) select ${cells.join(', ')} from copy c, model m, account a`,
      );
    }
    await client.query(
      `update account_balance set entries = entries + $2::bigint * $3, balance_pence = balance_pence - $2::bigint * $4
       where account_id = $1`,
      [account.account_id, size, account.per, account.spent],
    );
    await client.query('commit');
    if ((done / CHUNK) % 5 === 0) say(`${done + size} of ${count} orders`);
  }
  await client.query('reset session_replication_role');
  await client.query('vacuum analyze');
}

/** What the order's postings take from the balance: up to each of them, and in all. */
const SPENT = `,
  count(entry) over (order by entry) as entry_place,
  sum(amount_pence) filter (where entry is not null) over (order by entry) as spent_here,
  sum(amount_pence) filter (where entry is not null) over () as spent,
  count(entry) over () as per`;

/** What a copy has in a column. */
function cellOf(table: string, name: string): string {
  const nth = `(c.n - (select min(n) from copy))`;
  if (table === 'posting' && name === 'entry') {
    return `case when m.entry is not null then a.entries + ${nth} * m.per + m.entry_place end`;
  }
  if (table === 'posting' && name === 'balance_after_pence') {
    return `case when m.entry is not null then a.balance_pence - ${nth} * m.spent - m.spent_here end`;
  }
  if (name === 'order_id' || (table === 'orders' && name === 'id')) return 'c.order_id';
  if (name === 'line_id' || (table === 'order_line' && name === 'id')) return 'c.line_id';
  if (name === 'id') return 'uuid_v7(c.at)';
  if (name === 'reference' && table === 'orders') return 'c.reference';
  if (name === 'external_reference') return "'copy ' || c.n";
  return `m.${name}`;
}
