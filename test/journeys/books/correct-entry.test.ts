import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { addProduct, basket } from '../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../harness/written.ts';
import {
  adjustment,
  bankCharge,
  closeEntries,
  credited,
  finance,
  ledgerOf,
  made,
  moved,
  openEntries,
  post,
  refused,
  service,
  statementOf,
} from './entries.ts';

before(() => openEntries());
after(closeEntries);
afterEach(() => assertSound(service));

const PATH = '/books/corrections';

describe('a top-up that was entered wrongly', () => {
  test('is taken back whole or in part, linked both ways, and the customer reads it in plain words', async () => {
    const to = await credited(50_000, 'BANK-7');
    const corrected = await moved(async () => {
      const entry = await made(PATH, {
        posting_id: to.posting,
        account_id: to.id,
        amount_gbp: 450,
        reason: 'It was £50.00, not £500.00.',
      });
      assert.deepEqual(
        [entry.kind, entry.status, entry.amount, entry.account_id],
        ['correction', 'posted', 450, to.id],
      );
      assert.equal(entry.postings[0]?.corrects, to.posting);
    });
    assert.deepEqual(corrected, { bank: -45_000, customer_balance: 45_000 });
    assert.deepEqual(await statementOf(to), [
      ['charge', -450, 50, 'Correction: It was £50.00, not £500.00.'],
      ['top_up', 500, 500, 'Top-up'],
    ]);
    const onBank = (await ledgerOf('bank')).data.at(-1);
    assert.deepEqual([onBank?.kind, onBank?.corrects, onBank?.side], ['correction', to.posting, 'credit']);
  });

  test('never more than what is left of it, also when two do it at once', async () => {
    const to = await credited(10_000);
    const body = { posting_id: to.posting, account_id: to.id, reason: 'wrong' };
    assert.deepEqual(await refused(PATH, { ...body, amount_gbp: 100.01 }), ['amount_gbp out_of_bounds']);
    const answers = await Promise.all([60, 60, 60].map((amount_gbp) => post(PATH, { ...body, amount_gbp })));
    // The later ones see what is left before or after they wait for the first.
    const refusals = answers.filter(({ status }) => status === 409 || status === 422);
    assert.deepEqual([answers.filter(({ status }) => status === 201).length, refusals.length], [1, 2]);
    assert.equal(await balancePence(service, to.customer), 4_000);
    await made(PATH, body);
    assert.equal(await balancePence(service, to.customer), 0);
    assert.deepEqual(await refused(PATH, body), [409, 'conflict']);
  });

  test('of the wrong account is moved to the right one in one step, and pays what waits there', async () => {
    const [wrong, right] = [await credited(20_000, 'BANK-8'), await credited(0)];
    const order = await right.customer.request<CreatedOrder>('POST', '/orders', {
      ...basket(service),
      items: [
        {
          product_id: await addProduct(service, right.customer, 'TOTE-COTTON'),
          variant_sku: 'TOTE-COTTON-NAT',
          quantity: 1,
          print_jobs: [],
        },
      ],
    });
    assert.equal(order.status, 201, order.text);
    const change = await moved(async () => {
      const body = {
        posting_id: wrong.posting,
        account_id: wrong.id,
        move_to: right.id,
        reason: 'For another customer.',
      };
      await made(PATH, body);
    });
    assert.equal(change.bank, undefined, 'the bank has neither more nor less');
    assert.equal(await balancePence(service, wrong.customer), 0);
    const { body: paid } = await right.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`);
    assert.equal(paid.payment_status, 'paid');
    assert.equal((await statementOf(right)).length, 2);
    assert.deepEqual((await statementOf(right)).at(-1), [
      'top_up',
      200,
      200,
      'Top-up, by a correction: For another customer.',
    ]);
  });

  test('is not moved to an account that has a top-up of this reference, to itself, or to none', async () => {
    const [wrong, right] = [await credited(1_000, 'BANK-9'), await credited(1_000, 'BANK-9')];
    const body = { posting_id: wrong.posting, account_id: wrong.id, reason: 'wrong' };
    assert.deepEqual(await refused(PATH, { ...body, move_to: right.id }), [409, 'conflict']);
    assert.deepEqual(await refused(PATH, { ...body, move_to: wrong.id }), ['move_to out_of_bounds']);
    assert.deepEqual(await refused(PATH, { ...body, move_to: 'acct_nobody' }), [404, 'not_found']);
    const unknown = right.id.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    assert.deepEqual(await refused(PATH, { ...body, move_to: unknown }), [404, 'not_found']);
  });

  test('that is spent is refused with what is there, or the rest becomes a receivable, which is paid or given up', async () => {
    const to = await credited(10_000);
    await made(`/accounts/${to.id}/withdrawals`, { amount_gbp: 70, reference: newId(), reason: 'asked for' });
    const body = { posting_id: to.posting, account_id: to.id, reason: 'The transfer was not ours.' };
    const spent = await post(PATH, body);
    assert.equal(spent.status, 409);
    assert.match(spent.body.detail, /is £30\.00, and £100\.00 would be taken/);
    assert.deepEqual(await moved(() => made(PATH, { ...body, shortfall: 'receivable' })), {
      bank: -10_000,
      customer_balance: 3_000,
      receivables: 7_000,
    });
    assert.equal(await balancePence(service, to.customer), 0);
    const paid = {
      kind: 'receivable_paid',
      account_id: to.id,
      through: 'bank',
      reference: newId(),
      reason: 'paid back',
    };
    assert.deepEqual(await refused('/books/entries', { ...paid, amount_gbp: 70.01 }), [409, 'conflict']);
    assert.deepEqual(await moved(() => made('/books/entries', { ...paid, amount_gbp: 50 })), {
      bank: 5_000,
      receivables: -5_000,
    });
    const off = { of: 'receivable', amount_gbp: 20, reason: 'not worth a letter' };
    assert.deepEqual(await moved(() => made(`/accounts/${to.id}/write-offs`, off)), {
      receivables: -2_000,
      written_off: 2_000,
    });
  });
});

describe('an entry of the shop', () => {
  test('is taken back whole, may be entered again under its reference, and its correction may be corrected', async () => {
    const payout = {
      kind: 'payout',
      method: 'card',
      amount_gbp: 300,
      fees_gbp: 4.5,
      reference: `po_${newId()}`,
      reason: 'payout',
    };
    const entry = await made('/books/entries', payout);
    assert.deepEqual(await refused('/books/entries', payout), [409, 'conflict']);
    const undone = { bank: -29_550, card_clearing: 30_000, provider_fees: -450 };
    let correction = '';
    const change = await moved(async () => {
      correction = (await made(PATH, { entry_id: entry.id, reason: 'The wrong amount.' })).id;
    });
    assert.deepEqual(change, undone);
    const { body: seen } = await finance.request<typeof entry>('GET', `/books/entries/${entry.id}`);
    assert.deepEqual(
      seen.postings.map(({ amount, corrected }) => amount === corrected),
      [true, true],
    );
    await made('/books/entries', payout);
    assert.deepEqual(
      await moved(() => made(PATH, { entry_id: correction, reason: 'It was right after all.' })),
      Object.fromEntries(Object.entries(undone).map(([name, amount]) => [name, -amount])),
    );
    assert.deepEqual(await refused(PATH, { entry_id: entry.id, reason: 'again' }), [409, 'conflict']);
  });

  test('a withdrawal that was not made goes back to the balance', async () => {
    const to = await credited(9_000);
    const { id } = await made(`/accounts/${to.id}/withdrawals`, {
      amount_gbp: 90,
      reference: newId(),
      reason: 'leaves',
    });
    assert.equal(await balancePence(service, to.customer), 0);
    await made(PATH, { entry_id: id, reason: 'The bank sent it back.' });
    assert.equal(await balancePence(service, to.customer), 9_000);
    assert.deepEqual((await statementOf(to))[0], ['refund', 90, 90, 'Correction: The bank sent it back.']);
  });
});

describe('what is refused', () => {
  test('a posting that belongs to an order is undone by the order, and the refusal says how', async () => {
    const placed = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
    assert.equal(placed.status, 201, placed.text);
    const { body: order } = await finance.request<OpsOrder>('GET', `/orders/${placed.body.id}`);
    const own = (await ledgerOf('order_deposits')).data.filter(({ order_id: id }) => id === order.id);
    assert.ok(own.length >= 4);
    for (const { id, account_id: account, kind } of own) {
      const answer = await post(PATH, { posting_id: id, account_id: account, reason: 'wrong' });
      assert.equal(answer.status, 409, kind);
      assert.match(answer.body.detail, /Cancel the order, or refund a part of it/);
    }
  });

  test('without or with both of posting and entry, an unknown one, another account, an amount that is none', async () => {
    const [to, other] = [await credited(1_000), await credited(1_000)];
    const { id: entry } = await made('/books/entries', bankCharge());
    const posting = { posting_id: to.posting, account_id: to.id, reason: 'wrong' };
    for (const [body, expected] of [
      [{ reason: 'wrong' }, ['posting_id one_of']],
      [{ ...posting, entry_id: entry }, ['posting_id one_of']],
      [{ entry_id: entry, amount_gbp: 1, reason: 'x' }, ['amount_gbp unknown_field']],
      [{ ...posting, account_id: other.id }, [404, 'not_found']],
      [{ posting_id: to.posting, reason: 'x' }, [404, 'not_found']],
      [{ posting_id: 'pst_x', account_id: to.id, reason: 'x' }, [404, 'not_found']],
      [{ entry_id: 'ent_x', reason: 'x' }, [404, 'not_found']],
      [{ ...posting, amount_gbp: 0 }, ['amount_gbp out_of_bounds']],
      [{ ...posting, amount_gbp: 1.005 }, ['amount_gbp decimals']],
      [{ ...posting, reason: ' ' }, ['reason pattern']],
      [{ posting_id: to.posting, account_id: to.id }, ['reason required']],
      [{ entry_id: entry, move_to: to.id, reason: 'x' }, ['move_to unknown_field']],
      [{ ...posting, shortfall: 'negative' }, ['shortfall unknown_value']],
    ] as const) {
      assert.deepEqual(await refused(PATH, body), expected, JSON.stringify(body));
    }
    const [charge] = (await made('/books/entries', bankCharge())).postings;
    const move = { posting_id: charge?.id, move_to: to.id, reason: 'x' };
    assert.deepEqual(await refused(PATH, move), ['move_to unknown_field']);
  });

  test('a posting is never changed, and neither is an entry that is posted', async () => {
    const { id } = await made('/books/entries', adjustment({ amount_gbp: 1 }));
    assert.ok(id);
    for (const change of [
      "update book_entry set reason = 'other' where state = 'posted'",
      'delete from book_entry',
      'truncate book_entry',
      'update posting set corrects_id = id',
    ]) {
      await assert.rejects(rows(service, change), /never changed or deleted/, change);
    }
  });
});
