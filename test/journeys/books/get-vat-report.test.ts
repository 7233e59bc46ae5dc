import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { cents, closeEntries, finance, made, openEntries, second, service } from './entries.ts';
import { assertExplained, documentsOf, giveBack, issueAll, moveTo, type Sold, sell, vatOf } from './reports.ts';

before(async () => {
  await openEntries();
  const { accountId } = service.customer;
  await creditAccount(service.ctx, { accountId, amountPence: pence(10_000_000), reference: 'enough' });
});
after(closeEntries);
afterEach(() => assertSound(service));

/** The figures of a day in pence: net, VAT, and how many documents. */
async function figures(from: string, to = from): Promise<readonly number[]> {
  const report = await vatOf(from, to);
  assertExplained(report);
  return [cents(report.box_6), cents(report.box_1), report.rates.reduce((sum, rate) => sum + rate.documents, 0)];
}

const figuresOf = (...sold: readonly Sold[]): readonly number[] => [
  sold.reduce((sum, { net }) => sum + net, 0),
  sold.reduce((sum, { vat }) => sum + vat, 0),
  sold.length,
];

const LONDON = { line1: '12 St James Square', city: 'London', postcode: 'SW1Y 4JH', country_code: 'GB' };

describe('days of the seller over both changes of the clocks', () => {
  const times: readonly (readonly [iso: string, day: string])[] = [
    ['2027-03-27T23:30:00.000Z', '2027-03-27'],
    ['2027-03-28T00:30:00.000Z', '2027-03-28'],
    ['2027-03-28T22:30:00.000Z', '2027-03-28'],
    ['2027-03-28T23:30:00.000Z', '2027-03-29'],
    ['2027-03-29T00:30:00.000Z', '2027-03-29'],
    ['2027-03-29T23:30:00.000Z', '2027-03-30'],
    ['2027-10-30T22:30:00.000Z', '2027-10-30'],
    ['2027-10-30T23:30:00.000Z', '2027-10-31'],
    ['2027-10-31T00:30:00.000Z', '2027-10-31'],
    ['2027-10-31T23:30:00.000Z', '2027-10-31'],
    ['2027-11-01T00:30:00.000Z', '2027-11-01'],
  ];

  test('each sale is on its day, to the penny, before and after its invoice; the days sum to the period and the ledger', async () => {
    const sold: { day: string; sale: Sold }[] = [];
    for (const [index, [iso, day]] of times.entries()) {
      moveTo(iso);
      sold.push({ day, sale: await sell(index + 1) });
    }
    const days = [...new Set(sold.map(({ day }) => day))];
    const salesOf = (day: string): Sold[] => sold.flatMap((each) => (each.day === day ? [each.sale] : []));
    for (const day of days) assert.deepEqual(await figures(day), figuresOf(...salesOf(day)), day);
    assert.equal((await vatOf('2027-11-01')).not_invoiced.documents, 1);
    await issueAll();
    for (const day of days) assert.deepEqual(await figures(day), figuresOf(...salesOf(day)), `${day}, invoiced`);
    const report = await vatOf('2027-10-25', '2027-11-01');
    assert.deepEqual([report.not_invoiced.documents, report.is_final], [0, false]);
    const autumn = sold.filter(({ day }) => day > '2027-10-01').map(({ sale }) => sale);
    assert.deepEqual(await figures('2027-10-25', '2027-11-01'), figuresOf(...autumn));
    const vat = report.ledger.find(({ account }) => account === 'vat:2000');
    assert.equal(
      cents(vat?.ledger ?? 0),
      autumn.reduce((sum, sale) => sum + sale.vat, 0),
    );
    const documents = await documentsOf('2027-10-25', '2027-11-01');
    assert.equal(documents.length, autumn.length);
    assert.ok(documents.every(({ number }) => number?.startsWith('INV-')));
    assert.deepEqual(
      documents.map(({ tax_point: day }) => day),
      sold.flatMap(({ day }) => (day > '2027-10-01' ? [day] : [])),
    );
  });
});

describe('what the figures are made of', () => {
  test('credits are taken off by their own day; exports, zero-rated goods and reverse charge are apart', async () => {
    moveTo('2027-11-10T10:00:00.000Z');
    const [home, away] = [
      await sell(4),
      await sell(2, {
        shipping_address: {
          ...LONDON,
          contact_name: 'Ada',
          city: 'Saint Helier',
          postcode: 'JE2 3ZZ',
          country_code: 'JE',
        },
      }),
    ];
    assert.equal(away.vat, 0);
    moveTo('2027-11-11T10:00:00.000Z');
    await giveBack(home, 12);
    await issueAll();
    const first = await vatOf('2027-11-10');
    assert.deepEqual(
      first.rates.map(({ rate, treatment, net, vat }) => [rate, treatment, cents(net), cents(vat)]),
      [
        [20, 'charged', home.net, home.vat],
        [0, 'export', away.net, 0],
      ],
    );
    assert.deepEqual([cents(first.box_6), cents(first.box_1)], [home.net + away.net, home.vat]);
    const second = await vatOf('2027-11-11');
    assert.deepEqual([second.box_6, second.box_1, second.rates[0]?.credits_net], [-10, -2, 10]);
    assertExplained(first);
    assertExplained(second);
    const documents = await documentsOf('2027-11-10', '2027-11-11', 1);
    assert.deepEqual(
      documents.map(({ kind, net, vat, treatment }) => [kind, cents(net), cents(vat), treatment]),
      [
        ['invoice', home.net, home.vat, 'charged'],
        ['invoice', away.net, 0, 'export'],
        ['credit_note', -1_000, -200, 'charged'],
      ],
    );
  });

  test('an export to Jersey stays one however its postcode is written, and once its address is erased', async () => {
    moveTo('2027-11-20T10:00:00.000Z');
    const jersey = { ...LONDON, contact_name: 'Ada', city: 'Saint Helier' };
    const written = await sell(1, { shipping_address: { ...jersey, postcode: 'GB-JE2 3ZZ' } });
    const erased = await sell(2, { shipping_address: { ...jersey, postcode: 'JE2 3ZZ' } });
    assert.deepEqual([written.vat, erased.vat], [0, 0]);
    const treatments = async (): Promise<readonly (readonly string[])[]> => [
      (await vatOf('2027-11-20')).rates.map(({ treatment }) => treatment),
      (await documentsOf('2027-11-20')).map(({ treatment }) => treatment),
    ];
    assert.deepEqual(await treatments(), [['export'], ['export', 'export']], 'before its invoice');
    await issueAll();
    assert.deepEqual(await treatments(), [['export'], ['export', 'export']]);
    assert.equal((await finance.request('POST', `/orders/${erased.id}/cancel`, { reason: 'test' })).status, 200);
    const account = publicId('acct', service.customer.accountId);
    assert.equal((await second.request('POST', `/accounts/${account}/erase`, { order: erased.id })).status, 200);
    const [order] = await rows<{ postcode: string }>(
      service,
      "select shipping_address ->> 'postcode' as postcode from orders where erased_at is not null",
    );
    assert.equal(order?.postcode, '');
    assert.deepEqual(await treatments(), [['export'], ['export', 'export', 'export']]);
  });

  test('a sale and a credit that a lock posted after midnight count on the day of their tax points, and the ledger is explained', async () => {
    moveTo('2027-12-01T10:00:00.000Z');
    const order = await sell(3);
    moveTo('2027-12-01T23:58:00.000Z');
    // As if a transaction of another node, whose clock is ahead, had held the balance.
    const late = async (): Promise<void> => {
      await rows(
        service,
        "update account_balance set last_entry_at = '2027-12-02T00:00:00.005Z' where account_id = $1 returning 1",
        [service.customer.accountId],
      );
    };
    await late();
    const sale = await sell(5);
    await giveBack(order, 6);
    const expected = figuresOf(order, sale);
    moveTo('2027-12-02T10:00:00.000Z');
    await issueAll();
    const report = await vatOf('2027-12-01');
    assertExplained(report);
    assert.deepEqual([cents(report.box_6), cents(report.box_1)], [(expected[0] ?? 0) - 500, (expected[1] ?? 0) - 100]);
    const vat = report.ledger.find(({ account }) => account === 'vat:2000');
    assert.deepEqual([cents(vat?.posted_after ?? 0), cents(vat?.ledger ?? 0)], [sale.vat - 100, order.vat]);
    const next = await vatOf('2027-12-02');
    assertExplained(next);
    assert.deepEqual([next.box_1, next.box_6], [0, 0]);
    assert.equal(
      cents(next.ledger.find(({ account }) => account === 'vat:2000')?.posted_of_others ?? 0),
      sale.vat - 100,
    );
    assertExplained(await vatOf('2027-12-01', '2027-12-02'));
    assert.equal((await documentsOf('2027-12-01')).length, 3);
    assert.equal((await documentsOf('2027-12-02')).length, 0);
  });

  test('entries on the accounts of VAT are no sales: a return, and a correction of an earlier error', async () => {
    moveTo('2027-12-10T10:00:00.000Z');
    const sale = await sell(2);
    const entry = { amount_gbp: 100, reason: 'for the quarter' };
    await made('/books/entries', { ...entry, kind: 'vat_return', vat_rate: 20, reference: newId() });
    await made('/books/entries', {
      ...entry,
      kind: 'adjustment',
      debit: 'suspense',
      credit: 'vat:2000',
      reference: newId(),
    });
    const report = await vatOf('2027-12-10');
    assertExplained(report);
    assert.equal(cents(report.box_1), sale.vat);
    assert.equal(report.ledger.find(({ account }) => account === 'vat:2000')?.entries, 0);
    await made('/books/entries', { ...entry, kind: 'vat_return', vat_rate: 20, reference: newId() });
    const again = await vatOf('2027-12-10');
    assertExplained(again);
    assert.equal(again.ledger.find(({ account }) => account === 'vat:2000')?.entries, -100);
  });
});

describe('what is refused', () => {
  const cases: readonly (readonly [query: string, problems: readonly string[]])[] = [
    ['', ['from required', 'to required']],
    ['?from=2027-01-01', ['to required']],
    ['?from=2027-02-30&to=2027-03-01', ['from time']],
    ['?from=2027-02-01&to=2027-01-31', ['from out_of_bounds']],
    ['?from=2027-01-01&to=2027-04-11', ['to out_of_bounds']],
    ['?from=2199-01-01&to=2199-01-02', ['from out_of_bounds', 'to out_of_bounds']],
    ['?from=yesterday&to=today', ['from pattern', 'to pattern']],
  ];
  for (const [query, problems] of cases) {
    test(query === '' ? 'no period' : query, async () => {
      const answer = await finance.request<never>('GET', `/books/vat${query}`);
      assert.deepEqual([answer.status, problemsOf(answer)], [422, problems]);
    });
  }
});
