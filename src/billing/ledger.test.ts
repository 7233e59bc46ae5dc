import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openAccount, openTestContext, type TestContext } from '../../test/harness/context.ts';
import { hasSqlState } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { pence, sumPence } from '../lib/money.ts';
import { creditAccount } from './credit-account.ts';
import { listEntries, postingsJson, readBalance } from './ledger.ts';
import {
  chargePostings,
  type Posting,
  refundPaidPostings,
  refundPostings,
  reversalPostings,
  salePostings,
  settlementPostings,
} from './postings.ts';
import { entryOfId, idOfEntry } from './view.ts';

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

const credit = (accountId: Uuid, amount: number, reference = '') =>
  creditAccount(ctx, { accountId, amountPence: pence(amount), reference });

type PostingRow = { debit_account: string; credit_account: string; amount_pence: number; reference: string };

function postingsOf(accountId: Uuid): Promise<PostingRow[]> {
  return ctx.database.all<PostingRow>(
    {
      name: 'test_postings',
      text: 'select debit_account, credit_account, amount_pence, reference from posting where account_id = $1 order by id',
    },
    [accountId],
  );
}

/** The balance, held against the sum of the postings. */
async function balanceOf(accountId: Uuid): Promise<number | undefined> {
  const balance = await readBalance(ctx.database, accountId);
  const posted = (await postingsOf(accountId)).map((row) =>
    pence(row.credit_account === 'customer_balance' ? row.amount_pence : -row.amount_pence),
  );
  assert.equal(balance, sumPence(posted));
  return balance;
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.code === code;
}

test('a top-up moves money from the bank to the balance, in one posting', async () => {
  const { accountId } = await openAccount(ctx);
  assert.deepEqual(await credit(accountId, 5_000), { posted: true });
  assert.deepEqual(await postingsOf(accountId), [
    { debit_account: 'bank', credit_account: 'customer_balance', amount_pence: 5_000, reference: '' },
  ]);
  assert.equal(await balanceOf(accountId), 5_000);
});

test('a top-up is posted once for each reference, and as often as it comes without one', async () => {
  const { accountId } = await openAccount(ctx);
  assert.deepEqual(await credit(accountId, 700, 'bank 1'), { posted: true });
  assert.deepEqual(await credit(accountId, 700, 'bank 1'), { posted: false });
  assert.deepEqual(await credit(accountId, 700, 'bank 2'), { posted: true });
  await credit(accountId, 50);
  await credit(accountId, 50);
  assert.equal(await balanceOf(accountId), 1_500);
});

test('fifty repeats of a top-up at once add its money once', async () => {
  const { accountId } = await openAccount(ctx);
  const results = await Promise.all(Array.from({ length: 50 }, () => credit(accountId, 900, 'the same')));
  assert.equal(results.filter(({ posted }) => posted).length, 1);
  assert.equal(await balanceOf(accountId), 900);
});

test('a reference that comes again with another amount is 409, and nothing is added', async () => {
  const { accountId } = await openAccount(ctx);
  await credit(accountId, 700, 'bank 1');
  await assert.rejects(credit(accountId, 701, 'bank 1'), isCode('conflict'));
  assert.equal(await balanceOf(accountId), 700);
});

test("another account's reference is its own affair", async () => {
  const [one, two] = [await openAccount(ctx), await openAccount(ctx)];
  await credit(one.accountId, 700, 'shared');
  assert.deepEqual(await credit(two.accountId, 800, 'shared'), { posted: true });
  assert.deepEqual([await balanceOf(one.accountId), await balanceOf(two.accountId)], [700, 800]);
});

test('a top-up of an account that is not there is 404, and nothing is posted', async () => {
  const nobody = newId();
  await assert.rejects(credit(nobody, 100), isCode('not_found'));
  assert.deepEqual(await postingsOf(nobody), []);
  assert.equal(await readBalance(ctx.database, nobody), undefined);
});

test('two hundred top-ups at once are all in the balance', async () => {
  const { accountId } = await openAccount(ctx);
  await Promise.all(Array.from({ length: 200 }, (_, at) => credit(accountId, at + 1, `top-up ${at}`)));
  assert.equal(await balanceOf(accountId), (200 * 201) / 2);
});

describe('the books refuse, whoever asks', () => {
  const cases: [title: string, text: string][] = [
    ['to change a posting', 'update posting set amount_pence = amount_pence + 1'],
    ['to change a posting that is not there', 'update posting set amount_pence = 1 where false'],
    ['to delete a posting', 'delete from posting'],
  ];
  for (const [title, text] of cases) {
    test(title, async () => {
      const { accountId } = await openAccount(ctx);
      await credit(accountId, 100);
      await assert.rejects(ctx.database.script(text), /postings are never changed or deleted/);
      assert.equal(await balanceOf(accountId), 100);
    });
  }

  test('a balance below zero', async () => {
    const { accountId } = await openAccount(ctx);
    const overdraw = `update account_balance set balance_pence = -1 where account_id = '${accountId}'`;
    await assert.rejects(ctx.database.script(overdraw), (error) => hasSqlState(error, '23514'));
  });

  test('a posting of nothing, of less than nothing, or from an account to itself', async () => {
    for (const [amount, debit] of [
      [0, 'bank'],
      [-1, 'bank'],
      [1, 'customer_balance'],
    ] as const) {
      const text = `insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, created_at)
        values (gen_random_uuid(), gen_random_uuid(), 'top_up', '${debit}', 'customer_balance', ${amount}, now())`;
      await assert.rejects(ctx.database.script(text), (error) => hasSqlState(error, '23514'));
    }
  });
});

describe('the postings of an order', () => {
  const amounts = {
    subtotalPence: pence(2_000),
    setupPence: pence(0),
    shippingPence: pence(395),
    vatBreakdown: [
      { rateBasisPoints: 2_000, vatPence: pence(479) },
      { rateBasisPoints: 0, vatPence: pence(0) },
    ],
    dutyPence: pence(0),
  };
  const sides = (postings: readonly Posting[]) =>
    postings.map(({ debit, credit: to, amountPence }) => [debit, to, amountPence]);

  test('charge it to the balance in one entry, and then to each part that is not zero', () => {
    const postings = chargePostings(amounts);
    assert.deepEqual(sides(postings), [
      ['customer_balance', 'order_deposits', 2_874],
      ['order_deposits', 'sales', 2_000],
      ['order_deposits', 'shipping_income', 395],
      ['order_deposits', 'vat:2000', 479],
    ]);
    const json: unknown = JSON.parse(postingsJson(postings, 'PF-23456789'));
    assert.ok(Array.isArray(json));
    assert.equal(new Set(json.map((row: { id: string }) => row.id)).size, 4);
    const nothing = { ...amounts, subtotalPence: pence(0), shippingPence: pence(0), vatBreakdown: [] };
    assert.deepEqual(chargePostings(nothing), []);
  });

  test('of a sale alone are the same without the charge: what a card paid is in the deposits already', () => {
    assert.deepEqual(salePostings(amounts), chargePostings(amounts).slice(1));
  });

  test('are taken back by a refund against `refunds` and the VAT of its rate; it owes what a card paid', () => {
    const reversed = { netPence: pence(2_395), vatBreakdown: amounts.vatBreakdown, dutyPence: pence(0) };
    assert.deepEqual(sides(reversalPostings(reversed)), [
      ['refunds', 'order_deposits', 2_395],
      ['vat:2000', 'order_deposits', 479],
    ]);
    assert.deepEqual(sides(refundPostings({ balancePence: pence(874), owedPence: pence(2_000) })), [
      ['order_deposits', 'customer_balance', 874],
      ['order_deposits', 'manual_refunds_owed', 2_000],
    ]);
    assert.deepEqual(sides(refundPaidPostings(pence(2_000), 'bank')), [['manual_refunds_owed', 'bank', 2_000]]);
  });

  test('of a remainder that came by bank are two entries of the statement, which leave the balance as it was', () => {
    assert.deepEqual(sides(settlementPostings(pence(874))), [
      ['bank', 'customer_balance', 874],
      ['customer_balance', 'order_deposits', 874],
    ]);
  });
});

describe('a statement', () => {
  test('numbers the entries in the order in which they took the balance, and each says what it left', async () => {
    const { accountId } = await openAccount(ctx);
    await Promise.all(Array.from({ length: 20 }, (_, index) => credit(accountId, index + 1)));
    const entries = (await listEntries(ctx.database, accountId, { before: 1_000, limit: 100 })).toReversed();
    assert.deepEqual(
      entries.map(({ entry }) => entry),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    let balance = 0;
    for (const entry of entries) {
      balance += entry.amount_pence;
      assert.equal(entry.balance_after_pence, balance);
    }
    assert.equal(balance, 210);
  });

  test('2.1 the id of an entry is its account and number: another account has another id for the same number', async () => {
    const [one, other] = [await openAccount(ctx), await openAccount(ctx)];
    for (const entry of [1, 255, 65_536, 2 ** 40]) {
      const id = idOfEntry(one.accountId, entry);
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(entryOfId(id), entry);
      assert.notEqual(id, idOfEntry(other.accountId, entry));
    }
  });
});
