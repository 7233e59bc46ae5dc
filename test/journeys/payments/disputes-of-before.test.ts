import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { migrate } from '../../../src/lib/migrations/migrate.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { FakeIntent } from '../../harness/provider.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { act, attemptOf, closeTill, moved, openTill, paid, till, told } from './disputed.ts';

// The version before this one knows one dispute of a payment at a time, in the row of the payment alone. What it has
// booked is carried over by the migration, or with the next report where it still ran beside this one.

before(() => openTill());
beforeEach(() => till.provider.decide('accept'));
afterEach(() => assertSound(till.service));
after(() => closeTill());

const take = (intent: FakeIntent, id: string, amount: number) => told('funds_withdrawn', intent, { id, amount });
const win = (intent: FakeIntent, id: string) => told('closed', intent, { id, status: 'won' });
type Done = { readonly order: CreatedOrder; readonly intent: FakeIntent };

/** What the version before could do, what of it stands in its row, and what is still taken. */
const HISTORIES: readonly (readonly [
  what: string,
  work: (of: Done) => Promise<unknown>,
  row: readonly [latest: string | null, past: readonly string[], isWon: boolean],
  outPence: number,
])[] = [
  ['a dispute', ({ intent }) => take(intent, 'dp_a', 100), ['dp_a', [], false], 100],
  [
    'a dispute that was collected by bank',
    async ({ order, intent }) => {
      await take(intent, 'dp_a', 100);
      await act(order, `payments/${(await attemptOf(order)).id}/recovered`);
    },
    ['dp_a', [], false],
    100,
  ],
  [
    'a dispute that was won',
    async ({ intent }) => {
      await take(intent, 'dp_a', 100);
      await win(intent, 'dp_a');
    },
    ['dp_a', [], true],
    0,
  ],
  ['a dispute that was won before it took anything', ({ intent }) => win(intent, 'dp_a'), ['dp_a', [], true], 0],
  [
    'a second dispute after the first was won',
    async ({ intent }) => {
      await take(intent, 'dp_a', 100);
      await win(intent, 'dp_a');
      await take(intent, 'dp_b', 60);
    },
    ['dp_b', ['dp_a'], false],
    60,
  ],
  [
    'a third dispute after two were won',
    async ({ intent }) => {
      await take(intent, 'dp_a', 100);
      await win(intent, 'dp_a');
      await take(intent, 'dp_b', 60);
      await win(intent, 'dp_b');
      await take(intent, 'dp_c', 40);
    },
    ['dp_c', ['dp_a', 'dp_b'], false],
    40,
  ],
];

/** Leaves of the disputes of a payment what the version before writes. */
const forget = (intent: FakeIntent): Promise<void> =>
  till.service.ctx.database.script(
    `delete from payment_dispute where attempt_id = (select id from payment_attempt where intent_id = '${intent.id}')`,
  );

async function migrateAgain(): Promise<void> {
  const { database } = till.service.ctx;
  await database.script(
    `delete from schema_migration where name = '0036-disputes.sql'; delete from schema_migration_step`,
  );
  await migrate(database);
}

type Row = { readonly latest: string | null; readonly past: string[]; readonly is_won: boolean; readonly out: number };

async function written(intent: FakeIntent): Promise<Row> {
  const [row] = await rows<Row>(
    till.service,
    `select a.dispute_id as latest, a.past_disputes as past, a.won_at is not null as is_won,
       (select coalesce(sum(booked_withdrawn_pence - booked_reinstated_pence), 0)::bigint from payment_dispute d
        where d.attempt_id = a.id) as out
     from payment_attempt a where a.intent_id = $1`,
    [intent.id],
  );
  assert.ok(row);
  return row;
}

for (const [what, work, [latest, past, isWon], out] of HISTORIES) {
  describe(what, () => {
    const carried: readonly (readonly [how: string, carry: (intent: FakeIntent) => Promise<unknown>])[] = [
      ['by the migration', () => migrateAgain()],
      ['by the migration, run twice', () => migrateAgain().then(() => migrateAgain())],
      [
        'by a repeat of its last report',
        (intent) => (isWon ? win(intent, latest ?? '') : take(intent, latest ?? '', out)),
      ],
    ];
    for (const [how, carry] of carried) {
      test(`is carried over ${how}, and nothing is booked twice`, async () => {
        const { order, intent, total } = await paid();
        await work({ order, intent });
        assert.deepEqual(await written(intent), { latest, past, is_won: isWon, out }, 'as the version before has it');
        await forget(intent);
        await assertSound(till.service);
        assert.deepEqual(await moved(() => carry(intent)), {});
        assert.deepEqual(await written(intent), { latest, past, is_won: isWon, out });
        assert.deepEqual(
          await moved(async () => {
            for (const id of ['dp_a', 'dp_b']) if (past.includes(id) || isWon) await win(intent, id);
            for (const id of past) await take(intent, id, 1);
          }),
          {},
          'reports of disputes that are over',
        );
        const more = await moved(() => take(intent, 'dp_z', total - out));
        assert.deepEqual([more.receivables, more.card_clearing], [total - out, out - total]);
        const back = await moved(() => win(intent, 'dp_z'));
        assert.equal(back.card_clearing, total - out);
      });
    }
  });
}

test('what the version before books of a dispute that is known is carried over with the next report', async () => {
  const { intent } = await paid();
  await take(intent, 'dp_a', 100);
  // It won the dispute: as its statements would write it.
  const { database } = till.service.ctx;
  await win(intent, 'dp_a');
  await database.script(
    `update payment_dispute set state = 'open', reinstated_pence = 0, booked_reinstated_pence = 0
     where attempt_id = (select id from payment_attempt where intent_id = '${intent.id}')`,
  );
  await assertSound(till.service);
  assert.deepEqual(await moved(() => win(intent, 'dp_a')), {});
  assert.deepEqual((await written(intent)).out, 0);
});

test('two that are open at once have no name there: the version before books nothing more of them', async () => {
  const { intent } = await paid();
  await take(intent, 'dp_a', 100);
  await take(intent, 'dp_b', 60);
  assert.deepEqual(await written(intent), { latest: 'several', past: [], is_won: false, out: 160 });
  await win(intent, 'dp_a');
  assert.deepEqual(await written(intent), { latest: 'dp_b', past: ['dp_a'], is_won: false, out: 60 });
});
