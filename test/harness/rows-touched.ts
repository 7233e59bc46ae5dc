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
  const name = `"touched_${newId()}"`;
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  const [row] = await database.transaction(async (tx) => {
    // What a list sets for the transaction before it asks.
    for (const { text: setting, values: given } of before) await tx.all({ name: '', text: setting }, given);
    await tx.all({ name: '', text: `prepare ${name} as ${text}` }, []);
    const explained = `explain (analyze, format json, costs off) execute ${name}${given}`;
    return tx.all<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ name: '', text: explained }, []);
  });
  const plan = row?.['QUERY PLAN'][0].Plan;
  assert.ok(plan !== undefined);
  return touched(plan);
}

/** A value as a literal of no type, which takes that of its parameter. */
function literal(value: SqlValue): string {
  return value === null ? 'null' : pg.escapeLiteral(textOf(value));
}

function textOf(value: SqlValue): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Buffer) return `\\x${value.toString('hex')}`;
  if (!isList(value)) return String(value);
  return `{${value.map((item) => `"${textOf(item).replaceAll(/["\\]/g, '\\$&')}"`).join()}}`;
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
