import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import type { PlacedRow } from '../src/checkout/place-sql.ts';
import type { Db, SqlValue } from '../src/lib/db.ts';
import { newId } from '../src/lib/ids.ts';
import { placeBatch, type SentDraft } from './bare-placing.ts';

const PAID: PlacedRow = { fate: 'placed', is_paid: true, is_attempted: false, from_balance: 100, ready_files: [] };

/** A database that keeps what it is sent, and returns the same fate for each order. */
function recording(fate: PlacedRow): { readonly db: Db; readonly sent: (readonly SqlValue[])[] } {
  const sent: (readonly SqlValue[])[] = [];
  const all = async (_: unknown, values: readonly SqlValue[]): Promise<never[]> => {
    sent.push(values);
    return (values[1] as readonly string[]).map(() => fate) as never[];
  };
  return { db: { all, one: async () => undefined, afterCommit: () => {} }, sent };
}

const lineIds = [newId(), newId()];
const draft: SentDraft = {
  id: newId(),
  accountId: newId(),
  externalReference: 'first',
  catalogueVersion: 1,
  priceBookVersion: 1,
  now: '2026-01-01T00:00:00.000Z',
  totalPence: 100,
  order: { reference: 'PF-AAAAAAAA', notes: 'kept' },
  lines: lineIds.map((id, ordinal) => ({ id, ordinal })),
  jobs: lineIds.flatMap((id) => [0, 1].map((ordinal) => ({ line_id: id, ordinal }))),
  postings: [{ id: newId(), kind: 'charge', reference: 'PF-AAAAAAAA' }],
  newSetups: [],
  reliedSetups: [],
  files: [],
  eventId: newId(),
  createdData: { order_id: 'ord_first', reference: 'PF-AAAAAAAA', external_reference: 'first', total: 1 },
  failedData: {},
  firstAttemptAt: '2026-01-01T00:00:05.000Z',
  historyId: newId(),
  cancellableUntil: '2026-01-01T01:00:00.000Z',
  attemptId: null,
};

test('each order of a batch is the draft under ids of its own, whose parts name one another', async () => {
  const { db, sent } = recording(PAID);
  await placeBatch(db, [draft, draft]);
  const [values = []] = sent;
  const [, ids, accounts, references, times] = values as readonly (readonly string[])[];
  const rows = (at: number) => JSON.parse(values[at] as string) as Record<string, string | number>[];
  const [orders, lines, jobs, postings, events] = [rows(11), rows(12), rows(13), rows(15), rows(16)];
  assert.equal(sent.length, 1);
  assert.deepEqual(accounts, [draft.accountId, draft.accountId]);
  assert.deepEqual(
    orders.map(({ n, notes }) => [n, notes]),
    [
      [1, 'kept'],
      [2, 'kept'],
    ],
  );
  // A print job belongs to a line of its own order.
  const lineOf = new Map(lines.map(({ id, n }) => [id, n]));
  assert.equal(jobs.length, 8);
  for (const job of jobs) assert.equal(lineOf.get(job.line_id ?? ''), job.n);
  for (const posting of postings) assert.equal(posting.reference, orders[Number(posting.n) - 1]?.reference);
  const made = [
    ...[...(ids ?? []), ...(references ?? []), ...orders.map(({ reference }) => reference)],
    ...[lines, postings, events].flat().map(({ id }) => id),
    ...events.map(({ history_id: id }) => id),
  ];
  assert.equal(new Set([...made, draft.id, 'first', 'PF-AAAAAAAA', ...lineIds]).size, made.length + 5);
  // What is due after the placing is due after this one.
  const placedAt = Date.parse(times?.[0] ?? '');
  assert.equal(Date.parse(String(orders[0]?.cancellable_until)) - placedAt, 3_600_000);
  assert.equal(Date.parse(String(events[0]?.due_at)) - placedAt, 5_000);
});

test('a batch that waited too long for a lock has placed none, and any other error is a fault', async () => {
  const failing = (code: string): Db => {
    const all = async (): Promise<never[]> => {
      throw Object.assign(new pg.DatabaseError('canceling statement', 0, 'error'), { code });
    };
    return { ...recording(PAID).db, all };
  };
  assert.equal(await placeBatch(recording(PAID).db, [draft, draft]), 2);
  assert.equal(await placeBatch(failing('55P03'), [draft, draft]), 0);
  await assert.rejects(placeBatch(failing('23505'), [draft]), { code: '23505' });
});

test('an order that was not placed and paid ends the measure', async () => {
  for (const fate of [{ ...PAID, fate: 'busy' } as const, { ...PAID, is_paid: false }]) {
    await assert.rejects(placeBatch(recording(fate).db, [draft]), /was not placed and paid/);
  }
});
