import assert from 'node:assert/strict';
import pg from 'pg';
import type { Database, Db, SqlValue, Statement } from '../../src/lib/db.ts';
import { newId } from '../../src/lib/ids.ts';

/**
 * Runs the statement that a list function asks with, but explained, and sums the rows that all nodes of its plan have
 * produced or thrown away. Rows, not time: the machine's speed has no say in it.
 */
export async function rowsTouched(database: Database, list: (db: Db) => Promise<unknown>): Promise<number> {
  const asked: Asked[] = [];
  const all = async <Row>(what: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    asked.push({ text: what.text, values });
    return [];
  };
  await list({ all, one: async (what, values) => (await all(what, values))[0], afterCommit: () => {} });
  const last = asked.pop();
  assert.ok(last !== undefined, 'the list has asked the database');
  return rowsTouchedBy(database, last.text, last.values, asked);
}

type Asked = { readonly text: string; readonly values: readonly SqlValue[] };

/**
 * The rows that a statement touches, which is run. It is prepared and executed, so that its plan is the one that the
 * service gets, made without a look at the values; explained as it stands it would be planned anew for them.
 */
export async function rowsTouchedBy(
  database: Database,
  text: string,
  values: readonly SqlValue[],
  before: readonly Asked[] = [],
): Promise<number> {
  return database.transaction(async (tx) => {
    // What a list sets for the transaction before it asks.
    for (const { text: setting, values: given } of before) await tx.all({ name: '', text: setting }, given);
    return touchedIn(tx, text, values);
  });
}

async function touchedIn(tx: Db, text: string, values: readonly SqlValue[]): Promise<number> {
  const name = `"touched_${newId()}"`;
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  await tx.all({ name: '', text: `prepare ${name} as ${text}` }, []);
  const explained = `explain (analyze, format json, costs off) execute ${name}${given}`;
  const [row] = await tx.all<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ name: '', text: explained }, []);
  await tx.all({ name: '', text: `deallocate ${name}` }, []);
  const plan = row?.['QUERY PLAN'][0].Plan;
  assert.ok(plan !== undefined);
  return touched(plan);
}

/** The blocks that the statement which a list function asks with reads, of tables and of indexes. */
export async function blocksRead(database: Database, list: (db: Db) => Promise<unknown>): Promise<number> {
  const blocks: number[] = [];
  const all = async <Row>(what: Statement<Row>, values: readonly SqlValue[]): Promise<Row[]> => {
    const text = `explain (analyze, buffers, format json) ${what.text}`;
    const [row] = await database.all<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({ name: '', text }, values);
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    blocks.push((plan['Shared Hit Blocks'] ?? Number.NaN) + (plan['Shared Read Blocks'] ?? Number.NaN));
    return [];
  };
  await list({ all, one: async (what, values) => (await all(what, values))[0], afterCommit: () => {} });
  return blocks[0] ?? Number.NaN;
}

/** The rows that `work` reads from tables, in functions of the database too; what it writes is undone. */
export async function rowsReadBy(database: Database, work: (tx: Db) => Promise<unknown>): Promise<number> {
  let rows = 0;
  await undone(database, async (tx) => {
    rows = await rowsReadOf(tx, () => work(tx));
  });
  return rows;
}

/** Does something in a transaction that is then undone. */
export async function undone(database: Database, work: (tx: Db) => Promise<void>): Promise<void> {
  const ended = database.transaction(async (tx) => {
    await work(tx);
    throw new Undone();
  });
  await assert.rejects(ended, Undone);
}

/** As `rowsReadBy`, of a part of a transaction. */
export async function rowsReadOf(tx: Db, work: () => Promise<unknown>): Promise<number> {
  const text = 'select coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::integer as rows from pg_stat_xact_user_tables';
  // What the connection read before may not be among the server's figures yet.
  const read = async (): Promise<number> => (await tx.one<{ rows: number }>({ name: '', text }, []))?.rows ?? 0;
  const before = await read();
  await work();
  return (await read()) - before;
}

class Undone extends Error {}

/**
 * A database that runs every statement of a use case twice: explained, which is undone, and then as ever. `most` has
 * the most rows that each has touched, by its name.
 */
export function countingDatabase(database: Database): {
  readonly database: Database;
  readonly most: Map<string, number>;
} {
  const most = new Map<string, number>();
  const counting = (tx: Db): Db => {
    const count = async (what: Statement<unknown>, values: readonly SqlValue[]): Promise<void> => {
      await tx.all({ name: '', text: 'savepoint counted' }, []);
      const rows = await touchedIn(tx, what.text, values);
      await tx.all({ name: '', text: 'rollback to savepoint counted' }, []);
      most.set(what.name, Math.max(rows, most.get(what.name) ?? 0));
    };
    return {
      ...tx,
      all: async (what, values) => {
        await count(what, values);
        return tx.all(what, values);
      },
      one: async (what, values) => {
        await count(what, values);
        return tx.one(what, values);
      },
    };
  };
  const transaction: Database['transaction'] = (work) => database.transaction((tx) => work(counting(tx)));
  return {
    most,
    database: {
      ...database,
      transaction,
      all: (what, values) => transaction((tx) => tx.all(what, values)),
      one: (what, values) => transaction((tx) => tx.one(what, values)),
    },
  };
}

/** A value as a literal of no type, which takes that of its parameter. */
function literal(value: SqlValue): string {
  return value === null ? 'null' : pg.escapeLiteral(textOf(value));
}

function textOf(value: SqlValue): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Buffer) return `\\x${value.toString('hex')}`;
  if (!isList(value)) return String(value);
  const items = value.map((item) => (item === null ? 'null' : `"${textOf(item).replaceAll(/["\\]/g, '\\$&')}"`));
  return `{${items.join()}}`;
}

function isList(value: SqlValue): value is readonly SqlValue[] {
  return Array.isArray(value);
}

type PlanNode = {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
};

function touched(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return own + (node.Plans ?? []).reduce((sum, child) => sum + touched(child), 0);
}
