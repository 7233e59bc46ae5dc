import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Books, LedgerStatement } from '../../../src/billing/books-schema.ts';
import { closeDays } from '../../../src/billing/close-days.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { AccountBalance, Transaction } from '../../../src/billing/schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { basket, problemsOf, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
let finance: OperatorClient;
before(async () => {
  // Without workers: the tests close the days themselves.
  service = await startTestService({ role: 'api' });
  finance = await service.openOperator('finance');
});
afterEach(() => assertSound(service));
after(() => service.stop());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const cents = (amount: number): number => Math.round(amount * 100);

async function get<Body>(path: string, by = finance): Promise<Body> {
  const answer = await by.request<Body>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

const books = (at?: Date): Promise<Books> => get(at === undefined ? '/books' : `/books?at=${at.toISOString()}`);

/** The balances of the books in pence, by account; those of 0 left out. */
async function balances(at?: Date): Promise<Record<string, number>> {
  const { accounts } = await books(at);
  return Object.fromEntries(
    accounts.flatMap(({ account, balance }) => (balance === 0 ? [] : [[account, cents(balance)]])),
  );
}

/** How the balances of two times differ, by account. */
function difference(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return Object.fromEntries(
    names.flatMap((name) => {
      const moved = (after[name] ?? 0) - (before[name] ?? 0);
      return moved === 0 ? [] : [[name, moved]];
    }),
  );
}

function assertBalanced(shown: Books): void {
  const sum = (of: (account: Books['accounts'][number]) => number): number =>
    shown.accounts.reduce((total, account) => total + cents(of(account)), 0);
  assert.equal(shown.balance, 0);
  assert.equal(shown.debit_total, shown.credit_total);
  assert.equal(
    sum((account) => account.debit_total),
    cents(shown.debit_total),
  );
  assert.equal(
    sum((account) => account.credit_total),
    cents(shown.credit_total),
  );
  assert.equal(
    sum((account) => account.balance),
    0,
  );
}

async function place(changes: object = {}): Promise<CreatedOrder> {
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service, changes));
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A time that lies between what was done before and what is done after. */
function pause(ms = 1_000): Date {
  service.shiftMs(ms);
  const at = service.ctx.clock.now();
  service.shiftMs(1_000);
  return at;
}

const topUp = (amount: number, reference: string): Promise<unknown> =>
  creditAccount(service.ctx, {
    accountId: service.customer.accountId,
    amountPence: pence(amount),
    reference,
  });

describe('the books at a time', () => {
  test('a bookkeeper sees what an order, a goodwill and a cancel did to each account, and debits equal credits throughout', async () => {
    const start = pause();
    const setup = { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] };
    const { charged, ...order } = await place({ items: [teeItem(service, { quantity: 3, ...setup })] });
    const placed = pause();
    const total = cents(charged.total);
    assert.deepEqual(difference(await balances(start), await balances(placed)), {
      customer_balance: total,
      sales: -cents(charged.subtotal),
      setup_fees: -cents(charged.setup_total),
      shipping_income: -cents(charged.shipping_cost),
      'vat:2000': -cents(charged.vat_amount),
    });

    await finance.request('POST', `/orders/${order.id}/refunds`, { amount_gbp: 1.2, reason: 'It was late.' });
    const given = pause();
    assert.deepEqual(difference(await balances(placed), await balances(given)), {
      customer_balance: -120,
      refunds: 100,
      'vat:2000': 20,
    });

    await service.customer.request('POST', `/orders/${order.id}/cancel`);
    const cancelled = pause();
    const since = difference(await balances(start), await balances(cancelled));
    assert.equal(since.customer_balance, undefined, 'all of it went back');
    assert.equal(since['vat:2000'], undefined, 'and no VAT is owed');
    assert.equal(
      since.refunds,
      total - cents(charged.vat_amount),
      'what was sold stays as it was sold, against refunds',
    );
    for (const at of [start, placed, given, cancelled, undefined]) assertBalanced(await books(at));
  });

  test('a day that is closed shows the same at every time within it, before and after the closing', async () => {
    const times: Date[] = [pause()];
    for (let day = 0; day < 3; day += 1) {
      await topUp(100 + day, `day ${day}`);
      times.push(pause());
      await place();
      times.push(pause(), pause(6 * HOUR_MS));
      // A day without a posting lies between the second and the third.
      service.shiftMs(day === 1 ? 2 * DAY_MS : DAY_MS);
      times.push(pause());
    }
    const open = await Promise.all(times.map(books));
    const statements = (): Promise<LedgerStatement[]> =>
      Promise.all(
        times
          .slice(1)
          .map((to, index) =>
            get<LedgerStatement>(`/books/sales?from=${times[index]?.toISOString()}&to=${to.toISOString()}`),
          ),
      );
    const before = await statements();
    const closed = await Promise.all([closeDays(service.ctx), closeDays(service.ctx)]);
    assert.ok((closed[0] ?? 0) + (closed[1] ?? 0) >= 3, 'two nodes at once close each day once');
    assert.equal(await closeDays(service.ctx), 0);
    assert.deepEqual(await Promise.all(times.map(books)), open);
    assert.deepEqual(await statements(), before);
    for (const shown of open) assertBalanced(shown);
    const [midnight] = await rows<{ closed_until: Date }>(service, 'select closed_until from ledger_closing');
    const now = service.ctx.clock.now().getTime();
    assert.ok(midnight !== undefined && midnight.closed_until.getTime() <= now - HOUR_MS, 'the day of now stays open');
    assert.ok(midnight.closed_until.getTime() > now - HOUR_MS - DAY_MS, 'and no other does');
  });

  test('what is posted after a day was closed adds to it, exactly at its end too', async () => {
    await closeDays(service.ctx);
    const before = await balances();
    await topUp(777, 'after the closing');
    const at = service.ctx.clock.now();
    assert.deepEqual(difference(before, await balances(at)), { bank: 777, customer_balance: -777 });
    service.shiftMs(2 * DAY_MS);
    assert.ok((await closeDays(service.ctx)) > 0);
    const [row] = await rows<{ created_at: Date }>(
      service,
      "select created_at from posting where reference = 'after the closing'",
    );
    assert.ok(row);
    const then = await balances(row.created_at);
    const justBefore = await balances(new Date(row.created_at.getTime() - 1));
    assert.deepEqual(difference(justBefore, then), { bank: 777, customer_balance: -777 });
  });

  test('a time that is still to come, or that no calendar has, is refused; every role may read, a customer may not', async () => {
    const future = new Date(service.ctx.clock.now().getTime() + 60_000).toISOString();
    for (const [query, problem] of [
      [`/books?at=${future}`, 'at out_of_bounds'],
      ['/books?at=2026-02-30T00:00:00.000Z', 'at time'],
      ['/books?at=yesterday', 'at pattern'],
      [`/books/sales?to=${future}`, 'to out_of_bounds'],
      [`/books/sales?from=${future}`, 'from out_of_bounds'],
      ['/books/sales?from=2026-01-02T00:00:00.000Z&to=2026-01-01T00:00:00.000Z', 'from out_of_bounds'],
      ['/books/sales?limit=101', 'limit pattern'],
      ['/books/sales?cursor=pst_01h455vb4pex5vsknk084sn02q', 'cursor pattern'],
      ['/books/sales?cursor=pst_01h455vb4pex5vsknk084sn02q.9999999999999999', 'cursor pattern'],
    ] as const) {
      const refused = await finance.request('GET', query);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], query);
    }
    for (const role of ['viewer', 'production', 'admin'] as const) {
      assertBalanced(await get('/books', await service.openOperator(role)));
    }
    const response = await fetch(`${service.url}/ops/v1/books`, {
      headers: { authorization: `Bearer ${service.customer.token}` },
    });
    assert.equal(response.status, 401);
  });
});

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

describe('the money of a customer, as the shop sees it', () => {
  test('is what the customer is shown: the balance now and at a time, and the statement page by page', async () => {
    const id = publicId('acct', service.customer.accountId);
    const at = pause();
    await topUp(1_234, 'for the shop to see');
    const query = `?at=${at.toISOString()}`;
    assert.deepEqual(
      await get<AccountBalance>(`/accounts/${id}/balance${query}`),
      (await service.customer.request<AccountBalance>('GET', `/account/balance${query}`)).body,
    );
    const [now, then] = [
      await get<AccountBalance>(`/accounts/${id}/balance`),
      await get<AccountBalance>(`/accounts/${id}/balance${query}`),
    ];
    assert.equal(cents(now.balance) - cents(then.balance), 1_234);
    const first = await get<Page<Transaction>>(`/accounts/${id}/transactions?limit=2`);
    const rest = await get<Page<Transaction>>(`/accounts/${id}/transactions?limit=2&cursor=${first.next_cursor}`);
    const own = await service.customer.request<Page<Transaction>>('GET', '/account/transactions?limit=4');
    assert.deepEqual([...first.data, ...rest.data], own.body.data);
    assert.equal(first.data[0]?.reference, 'for the shop to see');
  });

  test('of an account that is not there: 404; a time to come: 422', async () => {
    for (const path of ['balance', 'transactions']) {
      for (const id of ['acct_01h455vb4pex5vsknk084sn02q', 'nonsense', service.demo.products.fixed]) {
        const refused = await finance.request('GET', `/accounts/${id}/${path}`);
        assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'], `${id} ${path}`);
      }
    }
    const future = new Date(service.ctx.clock.now().getTime() + 60_000).toISOString();
    const id = publicId('acct', service.customer.accountId);
    const refused = await finance.request('GET', `/accounts/${id}/balance?at=${future}`);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['at out_of_bounds']]);
  });
});
