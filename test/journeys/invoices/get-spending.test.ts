import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Invoice } from '../../../src/invoices/schema.ts';
import { countIssued } from '../../../src/invoices/spending/count-spending.ts';
import type { Spending } from '../../../src/invoices/spending/spending-schema.ts';
import { dyingAt } from '../../harness/dying.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop, problemsOf, type Shop } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api', env: { SELLER_TIME_ZONE: 'Europe/London' } });
});
after(() => service.stop());

const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());
const count = (): Promise<number> => countIssued(service.ctx);

async function read(client: PortalClient, query: string): Promise<Spending> {
  const answer = await client.request<Spending>('GET', `/money/spending${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function invoiced(shop: Shop): Promise<{ id: string; invoice: Invoice }> {
  const { body } = await shop.order();
  const answer = await shop.customer.request<Invoice>('GET', `/orders/${body.id}/invoice`);
  assert.equal(answer.status, 200, answer.text);
  return { id: body.id, invoice: answer.body };
}

async function creditedBack(shop: Shop, id: string): Promise<void> {
  assert.equal((await shop.customer.request('POST', `/orders/${id}/cancel`)).status, 200);
  assert.equal((await shop.customer.request('GET', `/orders/${id}/credit-notes`)).status, 200);
}

test('what was spent by day and kind is what the ledger has, on the seller’s days; nothing of other accounts', async () => {
  moveTo('2027-03-31T22:50:00Z');
  const shop = await openShop(service, 4);
  const other = await openShop(service, 1);
  const first = await invoiced(shop);
  await invoiced(other);
  // Midnight in London has been ten minutes ago.
  moveTo('2027-03-31T23:10:00Z');
  await creditedBack(shop, first.id);
  const second = await invoiced(shop);
  const third = await invoiced(shop);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await read(reader, '')).is_complete, false, 'nothing is summed yet');
  assert.equal(await count(), 5);
  assert.equal(await count(), 0);

  const { data, sum, is_complete: isComplete, from, to } = await read(reader, '?from=2027-03-01&to=2027-04-30');
  assert.deepEqual([isComplete, from, to], [true, '2027-03-01', '2027-04-30']);
  const spent = second.invoice.total + third.invoice.total;
  assert.deepEqual(
    data.map(({ day, total, refunds, invoices, credit_notes: notes }) => [day, total, refunds, invoices, notes]),
    [
      ['2027-03-31', first.invoice.total, 0, 1, 0],
      ['2027-04-01', Math.round((spent - first.invoice.total) * 100) / 100, first.invoice.total, 2, 1],
    ],
  );
  const [ledger] = await rows<Record<string, number>>(
    service,
    `select sum(amount_pence) filter (where credit_account = 'sales')::int as products,
       coalesce(sum(amount_pence) filter (where credit_account = 'setup_fees'), 0)::int as setup,
       sum(amount_pence) filter (where credit_account = 'shipping_income')::int as shipping,
       sum(amount_pence) filter (where credit_account like 'vat:%')::int as vat,
       coalesce(sum(amount_pence) filter (where credit_account = 'duty_owed'), 0)::int as duty,
       (select sum(amount_pence)::int from posting where account_id = $1 and kind = 'refund') as refunds
     from posting where account_id = $1 and kind = 'sale'`,
    [shop.customer.accountId],
  );
  assert.ok(ledger !== undefined);
  for (const part of ['products', 'setup', 'shipping', 'vat', 'duty', 'refunds'] as const) {
    assert.equal(Math.round(sum[part] * 100), ledger[part], part);
  }
  const { products, setup, shipping, vat, duty, refunds, total } = sum;
  assert.equal(Math.round((products + setup + shipping + vat + duty - refunds - total) * 100), 0);
  await assertSound(service);

  const file = await fetch(`${service.url}/portal/api/v1/money/spending?from=2027-03-01&to=2027-04-30`, {
    headers: { cookie: `platen_session=${reader.secret}`, accept: 'text/csv' },
  });
  assert.equal((await file.text()).split('\r\n')[1]?.slice(0, 10), '2027-03-31');
});

test('a worker that dies before any of its statements has counted nothing, and several at once count each document once', async () => {
  moveTo('2027-05-10T12:00:00Z');
  const shop = await openShop(service, 12);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const orders = [];
  for (let n = 0; n < 3; n += 1) orders.push(await invoiced(shop));
  await creditedBack(shop, orders[0]?.id ?? '');
  let statement = 1;
  for (; ; statement += 1) {
    const { database, hasDied } = dyingAt(service.ctx.database, statement);
    const counting = countIssued({ database });
    await counting.catch(() => undefined);
    if (!hasDied()) break;
    assert.deepEqual((await read(reader, '')).data, [], `it died before statement ${statement}`);
    await assertSound(service);
  }
  assert.equal(statement, 4, 'a lock, the sums, how far: and the round in which none died');
  const once = await read(reader, '');
  assert.deepEqual([once.sum.invoices, once.sum.credit_notes, once.is_complete], [3, 1, true]);

  await Promise.all([...Array.from({ length: 6 }, () => invoiced(shop)), count(), count(), count()]);
  while (!(await read(reader, '')).is_complete) await Promise.all([count(), count()]);
  const all = await read(reader, '');
  assert.equal(all.sum.invoices, 9);
  assert.equal(Math.round(all.sum.total * 100), shop.totalPence * 8);
  await assertSound(service);
});

test('platen verify sees a day whose sums are not those of the ledger', async () => {
  await service.ctx.database.all(
    { name: 'test_spoil_spending', text: 'update spending_day set vat_pence = vat_pence + 1 where invoices = 9' },
    [],
  );
  await assert.rejects(assertSound(service), /what accounts have spent by day/);
  await service.ctx.database.all(
    { name: 'test_mend_spending', text: 'update spending_day set vat_pence = vat_pence - 1 where invoices = 9' },
    [],
  );
});

test('a document that is not there yet is waited for, and those behind it', async () => {
  moveTo('2027-06-10T12:00:00Z');
  const shop = await openShop(service, 1);
  const text = (sign: string) => `update invoice_series set next_number = next_number ${sign} 1`;
  await service.ctx.database.all({ name: 'test_gap', text: text('+') }, []);
  await invoiced(shop);
  assert.equal(await count(), 0);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  assert.equal((await read(reader, '')).is_complete, false);
});

test('a period is at most 366 days; the last thirty by default', async () => {
  moveTo('2027-07-01T12:00:00Z');
  const reader = await openRole(service, 'reader');
  const { from, to, data, sum } = await read(reader, '');
  assert.deepEqual([from, to, data.length, sum.total], ['2027-06-02', '2027-07-01', 0, 0]);
  assert.equal((await read(reader, '?from=2027-01-01&to=2028-01-01')).from, '2027-01-01');
  for (const [query, problems] of [
    ['from=2027-01-01&to=2028-01-02', ['from out_of_bounds']],
    ['from=2027-02-30&to=2027-13-01', ['to time', 'from time']],
    ['from=2027-02-02&to=2027-02-01', ['from out_of_bounds']],
    ['from=x', ['from pattern']],
    ['by=day', ['by unknown_field']],
  ] as const) {
    const answer = await reader.request('GET', `/money/spending?${query}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, problems], query);
  }
});
