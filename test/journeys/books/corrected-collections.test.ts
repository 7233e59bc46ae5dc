import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { postEntry } from '../../../src/billing/ledger.ts';
import { insertEntry } from '../../../src/books/entries-sql.ts';
import type { BookEntry } from '../../../src/books/entry-schema.ts';
import { newId, parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { verify } from '../../../src/verify/verify.ts';
import { callBack, openCardShop, placeCharged, seenBy } from '../../harness/card-shop.ts';
import { openSecondConnection, type SecondConnection } from '../../harness/second-connection.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import {
  asked,
  CORRECTIONS,
  collect,
  collected,
  correct,
  correctionOf,
  isOpen,
  type Returned,
  takeBack,
  told,
  tryCollect,
  win,
} from './collected.ts';
import {
  closeEntries,
  finance,
  made,
  moved,
  openEntries,
  post,
  provider,
  refused,
  second,
  service,
} from './entries.ts';

// Corrections of a collection that a second person approves, that an earlier version has made, and that meet something
// else under way.

let locks: SecondConnection;
before(async () => {
  await openEntries({ SECOND_PERSON_FROM_GBP: '5' });
  locks = await openSecondConnection(service.database);
});
after(async () => {
  await locks.close();
  await closeEntries();
});
beforeEach(() => provider.decide('accept'));
afterEach(() => assertSound(service));

const approve = ({ id }: BookEntry): Promise<BookEntry> => made(`/books/entries/${id}/approve`, undefined, second);

/** Corrects the whole collection, with the second person. */
async function correctByTwo(of: Returned): Promise<BookEntry> {
  const entry = await correct(of);
  return entry.status === 'proposed' ? approve(entry) : entry;
}

async function takeBackByTwo(entry: BookEntry): Promise<BookEntry> {
  const again = await takeBack(entry);
  return again.status === 'proposed' ? approve(again) : again;
}

describe('from the limit on', () => {
  test('nothing opens until another person approves it; then all of it does', async () => {
    const of = await collected();
    let entry: BookEntry | undefined;
    assert.deepEqual(
      await moved(async () => {
        entry = await correct(of);
      }),
      {},
    );
    assert.ok(entry);
    assert.deepEqual([entry.status, entry.order_id, await isOpen(of.order)], ['proposed', of.order.id, false]);
    assert.deepEqual(await refused(`/books/entries/${entry.id}/approve`, undefined, finance), [409, 'conflict']);
    const proposed = entry;
    assert.deepEqual(await moved(() => approve(proposed)), { bank: -of.total, receivables: of.total });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total]]);
  });

  test('a dispute that is won while it waits: approved then, it takes the credit of the balance back', async () => {
    const of = await collected();
    const entry = await correct(of);
    await win(of);
    assert.equal(await balancePence(service, of.shop.customer), of.total);
    assert.deepEqual(await moved(() => approve(entry)), { bank: -of.total, customer_balance: of.total });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []]);
  });

  test('and one whose credit was spent while it waits: 409, and nothing is posted', async () => {
    const of = await collected();
    const entry = await correct(of);
    await win(of);
    await made(`/accounts/${of.account}/withdrawals`, { amount_gbp: 1, reference: newId(), reason: 'asked for' });
    const answer = await post(`/books/entries/${entry.id}/approve`, undefined, second);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
    assert.equal((await made(`/books/entries/${entry.id}/refuse`, { reason: 'He will pay it in.' })).status, 'refused');
  });
});

/**
 * A correction as the version before has made it.
 * Apart from the order, or for it if this version has proposed it. It leaves the payment closed.
 */
async function correctedBefore(
  of: Returned,
  { isPosted = true, orderId = null }: { isPosted?: boolean; orderId?: Uuid | null } = {},
): Promise<BookEntry> {
  const { posting_id: posting } = (await correctionOf(of)) as { posting_id: string };
  const [id, now] = [newId(), service.ctx.clock.now()];
  const accountId = of.shop.customer.accountId;
  const correctsId = parseId('pst', posting) as Uuid;
  const amountPence = pence(of.total);
  const sides = { kind: 'correction', debit: 'receivables', credit: 'bank' } as const;
  const leg = {
    account_id: accountId,
    order_id: orderId,
    corrects: correctsId,
    pence: of.total,
    reference: '',
    ...sides,
  };
  await service.ctx.database.transaction(async (tx) => {
    await insertEntry(tx, {
      id,
      kind: 'correction',
      amountPence,
      valueDay: now.toISOString().slice(0, 10),
      reference: '',
      reason: 'It was for another customer.',
      customerId: accountId,
      orderId,
      plan: [leg],
      shortfall: 'refuse',
      by: { id: null, name: 'an earlier version' },
      isPosted,
      now,
    });
    if (!isPosted) return;
    const postings = [{ ...sides, amountPence, reference: '', correctsId }];
    await postEntry(tx, { entryId: id, accountId, orderId, postings, now });
  });
  return (await finance.request<BookEntry>('GET', `/books/entries/${publicId('ent', id)}`)).body;
}

const OF_BEFORE = 'what was collected by bank and then corrected is owed for its order';
const OF_BOTH = 'what came back of payments is posted so, and nothing is receivable of what was collected';

/** The orders that `platen verify` names by one of its rules. */
async function named(rule = OF_BEFORE): Promise<string[]> {
  const { checks } = await verify(service.ctx);
  const found = checks.find(({ name }) => name === rule);
  return (found?.violations ?? []).map((violation) => violation.match(/PF-\w+/)?.[0] ?? violation);
}

describe('what an earlier version has corrected', () => {
  test('is named by the verifier; taken back and corrected again, it is owed for its order', async () => {
    const of = await collected();
    const before = await correctedBefore(of);
    assert.deepEqual(await named(), [of.order.reference]);
    const again = await takeBackByTwo(before);
    assert.deepEqual([await named(), await isOpen(of.order)], [[], false]);
    assert.deepEqual(await moved(() => takeBackByTwo(again)), { bank: -of.total, receivables: of.total });
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total]]);
    assert.deepEqual(await moved(() => win(of)), { card_clearing: of.total, receivables: -of.total });
    assert.equal(await balancePence(service, of.shop.customer), 0);
  });

  test('also after the dispute was won: the credit of the balance goes, and the debt apart from the order', async () => {
    const of = await collected();
    const before = await correctedBefore(of);
    await win(of);
    assert.equal(await balancePence(service, of.shop.customer), of.total);
    assert.deepEqual(await named(), [of.order.reference]);
    const change = await moved(async () => takeBackByTwo(await takeBackByTwo(before)));
    assert.deepEqual(change, { customer_balance: of.total, receivables: -of.total });
    assert.equal(await balancePence(service, of.shop.customer), 0);
    assert.deepEqual([await named(), await isOpen(of.order)], [[], false]);
  });

  test('and the customer has paid since, apart from the order, is right as it is', async () => {
    const of = await collected();
    await correctedBefore(of);
    await made('/books/entries', {
      kind: 'receivable_paid',
      account_id: of.account,
      through: 'bank',
      amount_gbp: of.total / 100,
      reference: newId(),
      reason: 'paid after all',
    });
    assert.deepEqual(await named(), []);
  });

  test('what it has approved of a proposal of this version is named too, and put right by the same two entries', async () => {
    const of = await collected();
    const before = await correctedBefore(of, { orderId: parseId('ord', of.order.id) ?? null });
    assert.deepEqual([await named(OF_BOTH), await isOpen(of.order)], [[of.order.reference], false]);
    const again = await takeBackByTwo(before);
    assert.deepEqual([await named(OF_BOTH), await isOpen(of.order)], [[], false]);
    await takeBackByTwo(again);
    assert.deepEqual([await isOpen(of.order), await asked(of.order)], [true, [of.total]]);
  });

  test('what it has only proposed is not posted apart from the order: 409 says to enter it again', async () => {
    const of = await collected();
    const entry = await correctedBefore(of, { isPosted: false });
    const answer = await post(`/books/entries/${entry.id}/approve`, undefined, second);
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    assert.match(answer.body.detail, /Refuse it, and enter it again/);
    assert.equal(await isOpen(of.order), false);
    await made(`/books/entries/${entry.id}/refuse`, { reason: 'again' });
    await correctByTwo(of);
    assert.equal(await isOpen(of.order), true);
  });
});

describe('two payments of an order that both came back and were collected', () => {
  /** An order that was declined, and paid by a second charge; the first went through after all, and was paid back. */
  async function paidTwice(): Promise<{ of: Returned; both: readonly [Returned, Returned] }> {
    const till = { service, provider };
    const shop = await openCardShop(till);
    provider.decide('decline');
    const { order, intent: first } = await placeCharged(till, shop);
    provider.decide('accept');
    assert.equal((await post(`/orders/${order.id}/retry-payment`)).status, 200);
    const latest = provider.intents.at(-1);
    assert.ok(latest !== undefined && latest !== first);
    provider.turn(first, 'succeeded');
    await callBack(till, 'payment_intent.succeeded', { id: first.id });
    const [one, two] = (await seenBy(finance, order)).payment_attempts;
    assert.ok(one !== undefined && two !== undefined);
    assert.equal((await post(`/orders/${order.id}/refunds/${one.id}/paid`)).status, 200);
    const of = { shop, order, intent: first, account: publicId('acct', shop.customer.accountId), payment: one.id };
    const all = { ...of, total: shop.totalPence };
    return { of: all, both: [all, { ...all, intent: latest, payment: two.id }] };
  }

  const openOf = async ({ order }: Returned): Promise<boolean[]> =>
    (await seenBy(finance, order)).payment_attempts.map(
      ({ returned_at: returnedAt, recovered_at: recoveredAt }) => returnedAt !== null && recoveredAt === null,
    );

  test('each correction opens its own, and a correction of that closes its own', async () => {
    for (const place of [0, 1] as const) {
      const { of, both } = await paidTwice();
      for (const payment of both) await told('funds_withdrawn', payment);
      for (const payment of both) await collect(payment);
      assert.deepEqual(await openOf(of), [false, false]);
      const which = [place === 0, place === 1];
      const propose = async (body: object): Promise<BookEntry> => {
        const entry = await made(CORRECTIONS, body);
        return entry.status === 'proposed' ? approve(entry) : entry;
      };
      const entry = await propose(await correctionOf(of, {}, place));
      assert.deepEqual([await openOf(of), await asked(of.order)], [which, [of.total]]);
      await propose(await correctionOf(of, {}, 1 - place));
      assert.deepEqual([await openOf(of), await asked(of.order)], [[true, true], [2 * of.total]]);
      await takeBackByTwo(entry);
      assert.deepEqual([await openOf(of), await asked(of.order)], [which.toReversed(), [of.total]]);
      const [won, other] = place === 0 ? both.toReversed() : both;
      assert.ok(won !== undefined && other !== undefined);
      assert.deepEqual(await moved(() => win(won)), { card_clearing: of.total, receivables: -of.total });
      assert.deepEqual(await moved(() => win(other)), { card_clearing: of.total, customer_balance: -of.total });
    }
  });
});

/** Runs two at once about an order, the first of which takes its lock first. */
async function inOrder(of: Returned, first: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
  await locks.query('begin');
  await locks.query('select 1 from orders where reference = $1 for update', [of.order.reference]);
  const one = first();
  await locks.untilWaiting(1);
  const two = other();
  await locks.untilWaiting(2);
  await locks.query('rollback');
  await Promise.all([one, two]);
}

/** What a customer owes and has, of an order and apart from it. */
async function sumsOf({ order, shop }: Returned): Promise<Record<string, number>> {
  const [sums] = await rows<Record<string, number>>(
    service,
    `select coalesce(sum(case 'receivables' when debit_account then amount_pence when credit_account then -amount_pence end)
         filter (where order_id is not null), 0)::bigint as order_owes,
       coalesce(sum(case 'receivables' when debit_account then amount_pence when credit_account then -amount_pence end)
         filter (where order_id is null), 0)::bigint as account_owes,
       coalesce(sum(case 'manual_refunds_owed' when credit_account then amount_pence when debit_account then -amount_pence end), 0)::bigint
         as refund_owed,
       coalesce(sum(case 'bank' when debit_account then amount_pence when credit_account then -amount_pence end), 0)::bigint as bank
     from posting where account_id = $1`,
    [shop.customer.accountId],
  );
  assert.ok(sums, order.reference);
  return { ...sums, balance: await balancePence(service, shop.customer) };
}

const NOTHING = { order_owes: 0, account_owes: 0, refund_owed: 0, bank: 0, balance: 0 };

describe('beside something else about the order', () => {
  const halves = (of: Returned) => ({ amount_gbp: Math.floor(of.total / 2) / 100 });

  test('a callback of a dispute that is won: before or after it, nobody has or owes anything of what was corrected', async () => {
    for (const isFirst of [true, false]) {
      const of = await collected();
      const body = await correctionOf(of, halves(of));
      const correction = () => made(CORRECTIONS, body);
      const won = () => win(of);
      await (isFirst ? inOrder(of, correction, won) : inOrder(of, won, correction));
      const kept = of.total - Math.floor(of.total / 2);
      assert.deepEqual(await sumsOf(of), { ...NOTHING, bank: kept, balance: kept });
      assert.deepEqual([await isOpen(of.order), await asked(of.order)], [false, []]);
    }
  });

  test('the end of its connection, once it has posted: nothing of it is there, and under its key it is done once', async () => {
    const of = await collected();
    const body = await correctionOf(of, halves(of));
    const key = newId();
    await locks.query('begin');
    await locks.query(
      'select 1 from payment_attempt a join orders o on o.id = a.order_id where o.reference = $1 for update of a',
      [of.order.reference],
    );
    const cut = post(CORRECTIONS, body, finance, key);
    await locks.untilWaiting(1);
    const [holder] = await locks.query(
      "select pid, query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    assert.match(String(holder?.query), /update payment_attempt set returned_at/);
    await locks.query('select pg_terminate_backend($1, 5000)', [holder?.pid]);
    await locks.query('rollback');
    assert.ok([201, 503].includes((await cut).status));
    assert.equal((await post(CORRECTIONS, body, finance, key)).status, 201);
    const owed = Math.floor(of.total / 2);
    assert.deepEqual(await sumsOf(of), { ...NOTHING, order_owes: owed, bank: of.total - owed });
    assert.deepEqual(await asked(of.order), [owed]);
  });

  test('a second collection: after it, it collects what is owed again; before it, it is refused', async () => {
    for (const isFirst of [true, false]) {
      const of = await collected();
      const body = await correctionOf(of, halves(of));
      let collection: Awaited<ReturnType<typeof tryCollect>> | undefined;
      const correction = () => made(CORRECTIONS, body);
      const second = async () => {
        collection = await tryCollect(of);
      };
      await (isFirst ? inOrder(of, correction, second) : inOrder(of, second, correction));
      assert.equal(collection?.status, isFirst ? 200 : 409);
      const owed = isFirst ? 0 : Math.floor(of.total / 2);
      assert.deepEqual(await sumsOf(of), { ...NOTHING, order_owes: owed, bank: of.total - owed });
      assert.equal(await isOpen(of.order), !isFirst);
    }
  });

  test('a cancel of the order: before or after it, nothing is to collect or to pay back of what was corrected', async () => {
    for (const isFirst of [true, false]) {
      const of = await collected();
      const body = await correctionOf(of, halves(of));
      const correction = () => made(CORRECTIONS, body);
      const cancel = () => of.shop.customer.request('POST', `/orders/${of.order.id}/cancel`);
      await (isFirst ? inOrder(of, correction, cancel) : inOrder(of, cancel, correction));
      const kept = of.total - Math.floor(of.total / 2);
      assert.deepEqual(await sumsOf(of), { ...NOTHING, refund_owed: kept, bank: kept });
    }
  });
});
