import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { LedgerStatement } from '../../../src/billing/books-schema.ts';
import { readSellerDays } from '../../../src/billing/seller-days.ts';
import { sellerDay, sellerDayBounds } from '../../../src/lib/seller-day.ts';
import { problemsOf, teeItem } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { balances, cents, closeBooks, finance, get, openBooks, pause, place, service, topUp } from './books.ts';

const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);

before(openBooks);
after(closeBooks);
afterEach(() => assertSound(service));

describe('the statement of a ledger account', () => {
  test('opening, every posting once over all pages, closing; the closing is the opening of what follows', async () => {
    const from = pause();
    for (let index = 0; index < 7; index += 1) await topUp(10 + index, `page ${index}`);
    await place();
    const to = pause();
    await topUp(5, 'after the period');
    const period = `from=${from.toISOString()}&to=${to.toISOString()}`;
    const whole = await get<LedgerStatement>(`/books/customer_balance?${period}`);
    assert.equal(whole.data.length, 8);
    assert.equal(whole.has_more, false);
    const signed = whole.data.reduce(
      (sum, { side, amount }) => sum + (side === 'debit' ? cents(amount) : -cents(amount)),
      0,
    );
    assert.equal(cents(whole.opening_balance) + signed, cents(whole.closing_balance));
    assert.equal(
      cents(whole.opening_balance) + cents(whole.debit_total) - cents(whole.credit_total),
      cents(whole.closing_balance),
    );
    assert.deepEqual(
      [cents(whole.opening_balance), cents(whole.closing_balance)],
      [(await balances(from)).customer_balance, (await balances(to)).customer_balance],
    );
    assert.deepEqual(
      whole.data.map(({ kind, side, other_account: other }) => [kind, side, other]),
      [...Array.from({ length: 7 }, () => ['top_up', 'credit', 'bank']), ['charge', 'debit', 'order_deposits']],
    );
    assert.deepEqual(
      whole.data.slice(0, 7).map(({ reference }) => reference),
      Array.from({ length: 7 }, (_, index) => `page ${index}`),
    );
    const pages: LedgerStatement[] = [];
    let cursor = '';
    do {
      const page = await get<LedgerStatement>(
        `/books/customer_balance?${period}&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      pages.push(page);
      cursor = page.next_cursor ?? '';
    } while (cursor !== '');
    assert.deepEqual(
      pages.map(({ data }) => data.length),
      [3, 3, 2],
    );
    assert.deepEqual(
      pages.flatMap(({ data }) => data),
      whole.data,
    );
    for (const page of pages) {
      assert.deepEqual([page.opening_balance, page.closing_balance], [whole.opening_balance, whole.closing_balance]);
    }
    const next = await get<LedgerStatement>(`/books/customer_balance?from=${to.toISOString()}`);
    assert.equal(next.opening_balance, whole.closing_balance);
  });

  test('postings of the same millisecond are neither lost nor shown twice between pages', async () => {
    const from = pause();
    const order = await place({ items: [teeItem(service, { quantity: 2 })] });
    const at = `from=${from.toISOString()}`;
    const whole = await get<LedgerStatement>(`/books/order_deposits?${at}`);
    assert.ok(whole.data.length >= 4, 'what was paid, and each part of what it was paid for');
    const seen: string[] = [];
    let cursor = '';
    for (const _ of whole.data) {
      const page: LedgerStatement = await get(`/books/order_deposits?${at}&limit=1${cursor}`);
      seen.push(...page.data.map(({ id }) => id));
      cursor = `&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(
      seen,
      whole.data.map(({ id }) => id),
    );
    assert.deepEqual(new Set(whole.data.map(({ order_id: id }) => id)), new Set([order.id]));
    assert.equal(whole.closing_balance, 0, 'what is paid in full leaves the deposits at once');
  });

  test('days of the seller belong to the period whole, and a time of another form is refused in words', async () => {
    const day = sellerDay(await readSellerDays(service.ctx), service.ctx.clock.now());
    const { from, until } = sellerDayBounds(await readSellerDays(service.ctx), day);
    await topUp(500, 'of today');
    const today = await get<LedgerStatement>(`/books/bank?from=${day}&to=${day}&limit=100`);
    assert.equal(today.from, new Date(from.getTime() - 1).toISOString());
    assert.ok(today.to <= service.ctx.clock.now().toISOString(), 'a day that lasts is read until now');
    assert.ok(today.data.some(({ reference }) => reference === 'of today'));
    const before = await get<LedgerStatement>(`/books/bank?to=${dayBefore(day)}`);
    assert.equal(before.to, new Date(from.getTime() - 1).toISOString());
    assert.equal(before.closing_balance, today.opening_balance);
    const after = new Date(until.getTime() + 3_600_000 * 24).toISOString().slice(0, 10);
    for (const [query, problem] of [
      [`from=${after}`, 'from out_of_bounds'],
      [`to=${after}`, 'to out_of_bounds'],
      ['from=2026-02-30', 'from time'],
      [`from=${day}&to=${dayBefore(dayBefore(day))}`, 'from out_of_bounds'],
      ['from=22/11/2026', 'from pattern'],
      ['from=2026-11-22T10:00:00Z', 'from pattern'],
    ] as const) {
      const refused = await finance.request('GET', `/books/bank?${query}`);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
    }
    const refused = await finance.request('GET', '/books?at=2026-11-22');
    assert.match(refused.text, /at: must be a time such as 2026-11-21T09:30:00\.000Z/);
  });

  test('from the first posting on it begins at 0; VAT is an account for each rate; a name that none can have is 404', async () => {
    const bank = await get<LedgerStatement>('/books/bank?limit=1');
    assert.deepEqual([bank.from, bank.opening_balance, bank.title], [null, 0, 'Bank']);
    assert.equal(cents(bank.closing_balance), (await balances()).bank);
    const vat = await get<LedgerStatement>('/books/vat:2000');
    assert.equal(vat.title, 'VAT owed at 20 %');
    assert.equal(cents(vat.closing_balance), (await balances())['vat:2000']);
    const never = await get<LedgerStatement>('/books/vat%3A500');
    assert.deepEqual([never.data, never.closing_balance], [[], 0]);
    for (const name of ['nonsense', 'vat:20000', 'vat:', 'toString', 'SALES', '%00']) {
      const refused = await finance.request('GET', `/books/${name}`);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], name);
    }
  });
});
