import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Books, LedgerStatement } from '../../../src/billing/books-schema.ts';
import { closeDays } from '../../../src/billing/close-days.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { pence } from '../../../src/lib/money.ts';
import { problemsOf, teeItem } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { balances, books, cents, closeBooks, finance, get, openBooks, pause, place, service, topUp } from './books.ts';

before(openBooks);
after(closeBooks);
afterEach(() => assertSound(service));

const HOUR_MS = 3_600_000;

const DAY_MS = 24 * HOUR_MS;

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
    const [midnight] = await rows<{ closed_until: Date }>(service, 'select closed_until from seller_day');
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

  test('what is posted at exactly midnight belongs to the day that begins, and counts once, before and after either day is closed', async () => {
    service.shiftMs(2 * DAY_MS);
    await closeDays(service.ctx);
    const midnight = Math.ceil(service.ctx.clock.now().getTime() / DAY_MS) * DAY_MS;
    const postAt = (ms: number, amount: number): Promise<unknown> => {
      const clock = { ...service.ctx.clock, now: () => new Date(ms) };
      const { accountId } = service.customer;
      const credit = { accountId, amountPence: pence(amount), reference: `at ${ms}` };
      return creditAccount({ ...service.ctx, clock }, credit);
    };
    // The last is the only posting of its day.
    const posted = [
      [midnight - 1, 5],
      [midnight, 70],
      [midnight + 1, 900],
      [midnight + DAY_MS, 11_000],
    ] as const;
    const start = await balances();
    for (const [ms, amount] of posted) await postAt(ms, amount);
    const times = posted.flatMap(([ms]) => [ms - 1, ms, ms + 1]);
    const check = async (what: string): Promise<void> => {
      for (const time of times.filter((ms) => ms <= service.ctx.clock.now().getTime())) {
        const due = posted.reduce((sum, [ms, amount]) => sum + (ms <= time ? amount : 0), 0);
        const at = new Date(time);
        const expected = due === 0 ? {} : { bank: due, customer_balance: -due };
        assert.deepEqual(difference(start, await balances(at)), expected, `at ${at.toISOString()}, ${what}`);
      }
    };
    for (const days of [0, 1, 2]) {
      service.shiftMs(midnight + days * DAY_MS + 2 * HOUR_MS - service.ctx.clock.now().getTime());
      await check(`${days} of the days closed`);
      assert.equal(await closeDays(service.ctx), 1, 'a day was over, with postings in it');
      await check(`${days + 1} of the days closed`);
    }
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
