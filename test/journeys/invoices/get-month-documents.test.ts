import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { unzipSync } from 'fflate';
import { issueDueDocuments } from '../../../src/invoices/issue-due.ts';
import type { MonthList, MonthOfMoney } from '../../../src/invoices/months/month-schema.ts';
import { parseId } from '../../../src/lib/ids.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop, problemsOf, type Shop } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

const MINUTE_MS = 60_000;

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api', env: { SELLER_TIME_ZONE: 'Europe/London' } });
});
after(() => service.stop());

const moveTo = (iso: string): void => service.shiftMs(Date.parse(iso) - service.ctx.clock.now().getTime());

const headers = (client: PortalClient) => ({ cookie: `platen_session=${client.secret}` });
const address = (query: string): string => `${service.url}/portal/api/v1/money/month/documents?${query}`;

async function archive(client: PortalClient, query: string, method = 'GET') {
  const answer = await fetch(address(query), { method, headers: headers(client) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
}

const filesOf = (bytes: Buffer): Map<string, Buffer> =>
  new Map(Object.entries(unzipSync(bytes)).map(([name, file]) => [name, Buffer.from(file)]));

async function pdfOf(shop: Shop, path: string): Promise<Buffer> {
  const answer = await fetch(`${service.url}/api/v1/orders/${path}`, {
    headers: { authorization: `Bearer ${shop.customer.token}`, accept: 'application/pdf' },
  });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
}

async function invoiced(shop: Shop): Promise<string> {
  const { body } = await shop.order();
  assert.equal((await shop.customer.request('GET', `/orders/${body.id}/invoice`)).status, 200);
  return body.id;
}

test('a month by the days of the seller, each document byte for byte that of its order; nothing of other accounts', async () => {
  const shop = await openShop(service, 4);
  const other = await openShop(service, 1);
  // In London the clocks have gone forward three days before: this is still March, and half an hour later it is April.
  moveTo('2027-03-31T22:40:00Z');
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const march = await invoiced(shop);
  await invoiced(other);
  moveTo('2027-03-31T23:10:00Z');
  const april = await invoiced(shop);
  await shop.customer.request('POST', `/orders/${april}/cancel`);
  const { body } = await shop.customer.request<{ data: { id: string }[] }>('GET', `/orders/${april}/credit-notes`);
  const [note] = body.data;
  assert.ok(note !== undefined);
  const months = await reader.request<MonthList>('GET', '/money/months');
  assert.deepEqual(
    months.body.data.slice(0, 2).map(({ month, is_over: isOver }) => [month, isOver]),
    [
      ['2027-04', false],
      ['2027-03', true],
    ],
  );

  const ofMarch = await archive(reader, 'month=2027-03');
  assert.deepEqual([ofMarch.status, ofMarch.headers.get('content-type')], [200, 'application/zip']);
  assert.match(ofMarch.headers.get('content-disposition') ?? '', /^attachment; filename="documents-2027-03\.zip"$/);
  assert.equal(ofMarch.headers.get('document-parts'), '1');
  const found = filesOf(ofMarch.bytes);
  const [, invoiceName = ''] = [...found.keys()];
  assert.equal(found.size, 2);
  assert.match(invoiceName, /^2027-03\/INV-\d{6}\.pdf$/);
  assert.deepEqual(found.get(invoiceName), await pdfOf(shop, `${march}/invoice`));

  const inApril = filesOf((await archive(reader, 'month=2027-04&part=1')).bytes);
  const pdfs = [...inApril].filter(([name]) => name.endsWith('.pdf'));
  assert.deepEqual(
    pdfs.map(([, bytes]) => bytes),
    [await pdfOf(shop, `${april}/invoice`), await pdfOf(shop, `${april}/credit-notes/${note.id}`)],
  );
  const lines = String(inApril.get('2027-04/index.csv')).trimEnd().split('\r\n');
  assert.match(lines[0] ?? '', /^number,kind,issued_on,tax_point,order_id,.*,total,file$/);
  assert.match(lines[1] ?? '', /^INV-\d+,invoice,2027-04-01,2027-04-01,ord_/);
  assert.match(lines[2] ?? '', /^CN-\d+,credit_note,2027-04-01,2027-04-01,ord_.*,CN-\d+\.pdf$/);
  assert.equal(lines.length, 3);

  const figures = await reader.request<MonthOfMoney>('GET', '/money/month?month=2027-04');
  const { invoices, credit_notes: notes, parts, is_over: isOver, first_day: first, last_day: last } = figures.body;
  assert.deepEqual([invoices, notes, parts, isOver, first, last], [1, 1, 1, false, '2027-04-01', '2027-04-30']);
});

test('a month with more than an archive holds comes in parts; its head reads nothing; one who leaves stops the work', async () => {
  moveTo('2027-05-10T12:00:00Z');
  const shop = await openShop(service, 205);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  for (let n = 0; n < 41; n += 1) await Promise.all(Array.from({ length: 5 }, () => shop.order()));
  service.shiftMs(2 * MINUTE_MS);
  await issueDueDocuments(service.ctx);
  const figures = await reader.request<MonthOfMoney>('GET', '/money/month?month=2027-05');
  assert.deepEqual([figures.body.invoices, figures.body.parts], [205, 2]);
  assert.equal(figures.body.documents_of_a_part, 200);

  const second = await archive(reader, 'month=2027-05&part=2');
  assert.equal(second.headers.get('document-parts'), '2');
  assert.match(second.headers.get('content-disposition') ?? '', /"documents-2027-05-2-of-2\.zip"/);
  const names = [...filesOf(second.bytes).keys()].slice(1);
  const numbers = await rows<{ number: number }>(
    service,
    'select number from invoice where account_id = $1 order by issued_at, number offset 200',
    [shop.customer.accountId],
  );
  assert.deepEqual(
    names,
    numbers.map(({ number }) => `2027-05/INV-${String(number).padStart(6, '0')}.pdf`),
  );

  const begunMs = performance.now();
  const head = await archive(reader, 'month=2027-05&part=1', 'HEAD');
  assert.deepEqual([head.status, head.bytes.length, head.headers.get('document-parts')], [200, 0, '2']);
  const request = httpGet(address('month=2027-05&part=1'), { headers: headers(reader) });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  await once(answer, 'data');
  request.destroy();
  // Its account draws one document at a time: this one would wait for all that went on being drawn.
  assert.equal((await archive(reader, 'month=2027-05&part=2')).status, 200);
  assert.ok(performance.now() - begunMs < 30_000, 'the two hundred documents of part 1 were not drawn');
});

test('when a document cannot be drawn, the download is cut, and its beginning is no archive', async () => {
  moveTo('2027-06-10T12:00:00Z');
  const shop = await openShop(service, 2);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  await invoiced(shop);
  const { body } = await shop.order();
  await service.ctx.database.all(
    {
      name: 'test_broken_invoice',
      text: `with taken as (update invoice_series set next_number = next_number + 1 returning next_number - 1 as number)
        insert into invoice (account_id, order_id, number, document, issued_at)
        select $1, $2, number, '{"order_reference":"x","tax_point":"2027-06-10","customer":{"name":"","vat_number":""},"net_pence":0,"vat_pence":0,"duty_pence":0,"total_pence":0}', $3
        from taken`,
    },
    [shop.customer.accountId, parseId('ord', body.id) ?? '', service.ctx.clock.now()],
  );
  const answer = await fetch(address('month=2027-06'), { headers: headers(reader) });
  assert.equal(answer.status, 200);
  const parts: Uint8Array[] = [];
  await assert.rejects(async () => {
    for await (const part of answer.body ?? []) parts.push(part as Uint8Array);
  }, /terminated/);
  assert.ok(parts.length > 0);
  assert.throws(() => unzipSync(Buffer.concat(parts)));
});

test('refused: no month, one to come, one without documents, a part that it has not, and whoever has no session', async () => {
  moveTo('2027-07-10T12:00:00Z');
  const shop = await openShop(service, 1);
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  await invoiced(shop);
  for (const [query, problem] of [
    ['', 'month required'],
    ['month=2027-13', 'month time'],
    ['month=July', 'month pattern'],
    ['month=2027-08', 'month out_of_bounds'],
    ['month=2027-07&part=0', 'part pattern'],
    ['month=2027-07&part=2', 'part out_of_bounds'],
    ['month=2027-07&account=acct_x', 'account unknown_field'],
  ]) {
    const answer = await reader.request('GET', `/money/month/documents?${query}`);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]], query);
  }
  const empty = await reader.request('GET', '/money/month/documents?month=2027-02');
  assert.deepEqual([empty.status, empty.body.code], [409, 'conflict']);
  assert.equal((await fetch(address('month=2027-07'))).status, 401);
  const figures = await reader.request<MonthOfMoney>('GET', '/money/month?month=2027-02');
  assert.deepEqual([figures.body.parts, figures.body.invoices], [0, 0]);
});
