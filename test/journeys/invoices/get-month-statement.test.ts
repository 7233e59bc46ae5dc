import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import type { AccountStatement } from '../../../src/billing/statement/statement-schema.ts';
import type { Invoice } from '../../../src/invoices/schema.ts';
import { newId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { readPdf } from '../../harness/pdf.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop, problemsOf, type Shop } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({
    role: 'api',
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB123456782',
      SELLER_TIME_ZONE: 'Europe/London',
    },
  });
});
after(() => service.stop());

const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());

const gbp = (amount: number): string =>
  amount.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

async function pdfOf(client: PortalClient, month: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}/portal/api/v1/money/month/statement?month=${month}`, {
    headers: { cookie: `platen_session=${client.secret}` },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf'], bytes.toString());
  return bytes;
}

const textsOf = (pdf: Buffer): string[] => readPdf(pdf).flatMap(({ texts }) => [...texts]);

/** The text after a text, each time that it is there. */
const after1 = (texts: readonly string[], text: string): string[] =>
  texts.flatMap((one, at) => (one === text ? [texts[at + 1] ?? ''] : []));

async function topUp(accountId: Uuid, amountPence: number): Promise<void> {
  await creditAccount(service.ctx, { accountId, amountPence: pence(amountPence), reference: newId() });
}

async function invoiced(shop: Shop): Promise<{ id: string; invoice: Invoice }> {
  const { body } = await shop.order();
  const { body: invoice } = await shop.customer.request<Invoice>('GET', `/orders/${body.id}/invoice`);
  return { id: body.id, invoice };
}

test('a month over the change of the clocks, with refunds: every movement, and to the penny what the ledger has', async () => {
  moveTo('2027-02-27T12:00:00Z');
  const shop = await openShop(service, 5);
  const { accountId } = shop.customer;
  const finance = await service.openOperator('admin');
  const named = await finance.request('PATCH', `/accounts/${publicId('acct', accountId)}/billing`, {
    legal_name: 'Harbour & Heath Ltd',
    address: { line1: '3 Quay Street', city: 'Bristol', postcode: 'BS1 4DJ', country_code: 'GB' },
  });
  assert.equal(named.status, 200, named.text);
  await invoiced(shop);
  moveTo('2027-03-01T00:00:00Z');
  await topUp(accountId, 12_345);
  moveTo('2027-03-28T00:59:00Z');
  const first = await invoiced(shop);
  moveTo('2027-03-28T01:30:00Z');
  const cancelled = await shop.customer.request('POST', `/orders/${first.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  await shop.customer.request('GET', `/orders/${first.id}/credit-notes`);
  moveTo('2027-03-31T22:59:00Z');
  const second = await invoiced(shop);
  await topUp(accountId, 1);
  // Midnight in London has been half an hour ago.
  moveTo('2027-03-31T23:30:00Z');
  await topUp(accountId, 777);
  const reader = await openRole(service, 'reader', accountId);

  const { body } = await reader.request<AccountStatement>('GET', '/money/statement?from=2027-03-01&to=2027-03-31');
  const [ledger] = await rows<{ opening: number; closing: number; moved: number; entries: number }>(
    service,
    `select coalesce(sum(moved) filter (where created_at < '2027-03-01T00:00:00Z'), 0)::int as opening,
       sum(moved) filter (where created_at < '2027-03-31T23:00:00Z')::int as closing,
       sum(moved) filter (where created_at >= '2027-03-01T00:00:00Z' and created_at < '2027-03-31T23:00:00Z')::int as moved,
       count(*) filter (where created_at >= '2027-03-01T00:00:00Z' and created_at < '2027-03-31T23:00:00Z')::int as entries
     from (select created_at, case when credit_account = 'customer_balance' then amount_pence else -amount_pence end as moved
           from posting where account_id = $1 and entry is not null) as m`,
    [accountId],
  );
  assert.ok(ledger !== undefined);
  assert.deepEqual([ledger.entries, ledger.opening + ledger.moved], [5, ledger.closing]);
  const texts = textsOf(await pdfOf(reader, '2027-03'));
  const all = texts.join('\n');
  for (const text of [
    'Statement of account',
    'March 2027',
    'Mill Lane Prints Ltd',
    'VAT number GB123456782',
    'Harbour & Heath Ltd',
    'BS1 4DJ',
    'Period: 1 March 2027 to 31 March 2027',
  ]) {
    assert.ok(all.includes(text), `${text} in ${all}`);
  }
  assert.deepEqual(after1(texts, 'Balance before'), [gbp(ledger.opening / 100)]);
  assert.deepEqual(after1(texts, 'Balance after'), [gbp(ledger.closing / 100)]);
  assert.equal(body.opening_balance * 100, ledger.opening);
  assert.equal(Math.round(body.closing_balance * 100), ledger.closing);
  // Each movement, in the order of the ledger, with the balance after it.
  const from = texts.indexOf('Balance before');
  const listed = texts.slice(from, texts.indexOf('Balance after')).join('\n');
  let at = 0;
  for (const { amount, balance_after: balance } of body.data.toReversed()) {
    const next = listed.indexOf(`${gbp(Math.abs(amount))}\n${gbp(balance)}`, at);
    assert.ok(next >= at, `${amount} and ${balance} in ${listed}`);
    at = next;
  }
  assert.deepEqual(after1(texts, 'Top-up').slice(-1), ['2']);
  // What the documents show: two invoices and the note that takes the first back.
  const vat = second.invoice.vat_total;
  assert.equal(first.invoice.vat_total, vat);
  const together = texts.slice(texts.indexOf('Together'), texts.indexOf('Together') + 6);
  const { net_total: net, duty_total: duty, total } = second.invoice;
  assert.deepEqual(together, ['Together', '3', gbp(net), gbp(vat), gbp(duty), gbp(total)]);
  assert.deepEqual(after1(texts, '20 %'), [gbp(net)]);

  const april = textsOf(await pdfOf(reader, '2027-04'));
  assert.deepEqual(after1(april, 'Balance before'), [gbp(ledger.closing / 100)]);
  assert.ok(april.some((text) => text.startsWith('Period: 1 April 2027 to 30 April 2027, so far')));
});

test('a hundred thousand movements are summed by day: a short file, within the memory of a short one, equal to the ledger', async () => {
  moveTo('2027-10-01T12:00:00Z');
  const customer = await service.openCustomer({ balancePence: 0 });
  const { accountId } = customer;
  // Over the change of the clocks of 31 October: the day has 25 hours.
  await service.ctx.database.all(
    {
      name: 'test_many_movements',
      text: `with moved as (
          insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, created_at, entry,
            balance_after_pence)
          select $1, gen_random_uuid(), 'top_up', 'bank', 'customer_balance', n, $2::timestamptz + n * interval '27 seconds', n,
            n::bigint * (n + 1) / 2
          from generate_series(1, 100000) as n
        )
        update account_balance set balance_pence = 100000::bigint * 100001 / 2, entries = 100000,
          last_entry_at = $2::timestamptz + interval '2700000 seconds'
        where account_id = $1`,
    },
    [accountId, new Date('2027-10-01T00:00:00Z')],
  );
  // As the database does by itself after such growth; a plan of a small table would be kept till then.
  await service.ctx.database.all({ name: 'test_analyze', text: 'analyze posting' }, []);
  moveTo('2027-11-05T12:00:00Z');
  const reader = await openRole(service, 'reader', accountId);
  global.gc?.();
  const beforeBytes = process.memoryUsage().heapUsed;
  const pdf = await pdfOf(reader, '2027-10');
  assert.ok(process.memoryUsage().heapUsed - beforeBytes < 60_000_000, 'the movements were not all in memory');
  const pages = readPdf(pdf);
  assert.ok(pages.length <= 3, `${pages.length} pages`);
  const texts = textsOf(pdf);
  const [ledger] = await rows<{ closing: string; on_last_day: number }>(
    service,
    `select max(balance_after_pence) filter (where created_at < '2027-11-01T00:00:00Z') as closing,
       count(*) filter (where created_at >= '2027-10-30T23:00:00Z' and created_at < '2027-11-01T00:00:00Z')::int as on_last_day
     from posting where account_id = $1`,
    [accountId],
  );
  assert.deepEqual(after1(texts, 'Balance after'), [gbp(Number(ledger?.closing) / 100)]);
  const counts = after1(texts, 'Top-up').map((text) => Number(text.replaceAll(',', '')));
  assert.equal(counts.length, 32, 'a row for each day, and one in the totals');
  assert.equal(counts[30], ledger?.on_last_day);
  assert.equal(counts[30], 3_333, 'of 25 hours');
  assert.ok(texts.some((text) => text.includes('too many movements to list')));
});

test('an account that has not moved has an empty statement; no month and one to come are refused', async () => {
  moveTo('2027-11-06T12:00:00Z');
  const customer = await service.openCustomer({ balancePence: 0 });
  const reader = await openRole(service, 'reader', customer.accountId);
  const texts = textsOf(await pdfOf(reader, '2027-10'));
  assert.ok(texts.includes('Nothing moved in this month.'));
  assert.ok(texts.includes('No invoice and no credit note was issued in this month.'));
  for (const [query, problem] of [
    ['', 'month required'],
    ['month=2027-00', 'month time'],
    ['month=2027-12', 'month out_of_bounds'],
    ['month=2027-10&part=1', 'part unknown_field'],
  ]) {
    const answer = await reader.request('GET', `/money/month/statement?${query}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], query);
  }
});
