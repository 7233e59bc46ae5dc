import { ACCOUNT_TABLES, ORDER_TABLES } from '../../bench/size/tables.ts';
import type { Db } from '../../src/lib/db.ts';

// What the planner thinks that statements cost in a larger database than there is. It takes the rows of a page as they
// were counted last, and the pages that there are now: a count that is so many times as high makes the table as dense.

/** The tables of accounts, of which there are more in a larger database, as there are orders of each. */
const OF_ACCOUNTS: readonly string[] = [...ACCOUNT_TABLES, 'account', 'account_balance', 'access_token'];
const GROWING: readonly string[] = [...Object.keys(ORDER_TABLES), ...OF_ACCOUNTS];

/** What a page of a list reads; a limit that is not known would count as a tenth of the table. */
const PAGE = 26;

/**
 * Makes every table that grows with the orders so many times as large for the planner, until the transaction ends.
 * There are more accounts then, and each has more orders, but no more products, pictures or subscriptions.
 */
export async function growForPlanner(tx: Db, factor: number): Promise<void> {
  const ask = (text: string, values: readonly (readonly string[] | number)[]): Promise<unknown[]> =>
    tx.all({ name: '', text }, values);
  await ask(
    `select pg_restore_relation_stats('schemaname', 'public', 'relname', c.relname::text, 'relpages', c.relpages,
       'reltuples', (c.reltuples * $2::float8)::real)
     from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
     where c.relkind in ('r', 'i') and c.relnamespace = 'public'::regnamespace and c.reltuples > 0 and t.relname = any($1)`,
    [GROWING, factor],
  );
  // How many different values a column has is a number, or where they are many a share of the rows: so are ids.
  await ask(
    `update pg_statistic s set stadistinct = -s.stadistinct / (c.reltuples / $3::float8)
     from pg_class c, pg_attribute a
     where c.oid = s.starelid and a.attrelid = c.oid and a.attnum = s.staattnum and c.relnamespace = 'public'::regnamespace
       and c.relname = any($1) and a.atttypid in ('uuid'::regtype, 'bytea'::regtype) and s.stadistinct > 0
       and (c.relname = any($2) or a.attname not in ('account_id', 'subscription_id', 'operator_id'))`,
    [GROWING, OF_ACCOUNTS, factor],
  );
}

/** What the planner thinks that a statement costs, without a look at its values, as the service has it planned. */
export async function plannedCost(tx: Db, text: string): Promise<number> {
  const [row] = await tx.all<{ 'QUERY PLAN': [{ Plan: { 'Total Cost': number } }] }>(
    { name: '', text: `explain (generic_plan, format json) ${withPages(text)}` },
    [],
  );
  const cost = row?.['QUERY PLAN'][0].Plan['Total Cost'];
  if (cost === undefined) throw new Error(`there is no plan of: ${text}`);
  return cost;
}

function withPages(text: string): string {
  return text.replaceAll(/\blimit (\$\d+(?:::\w+)?)(?! *[+-])/g, `limit case when true then ${PAGE} else $1 end`);
}
