import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedAddresses } from '../../../src/orders/address-book/address-book-schema.ts';
import { COOKIE, openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME } from '../../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('addresses are found by all words of a search, the newest first, and only by their own account', async () => {
  const { accountId } = await service.openCustomer();
  const person = await openRole(service, 'orders', accountId);
  for (const [label, city] of [
    ['Studio', 'Leeds'],
    ['Archive 100%', 'York'],
    ['Shop', 'York'],
  ]) {
    await person.request('POST', '/addresses', { body: { label, address: { ...HOME, city, line2: label } } });
  }
  const find = async (search: string, by = person) =>
    (await by.request<SavedAddresses>('GET', `/addresses?search=${encodeURIComponent(search)}`)).body.data.map(
      ({ label }) => label,
    );
  assert.deepEqual(await find(' '), ['Shop', 'Archive 100%', 'Studio']);
  assert.deepEqual(await find('york BYRON'), ['Shop', 'Archive 100%']);
  assert.deepEqual(await find('0%'), ['Archive 100%']);
  assert.deepEqual(await find('%_'), []);
  assert.deepEqual(await find('york', await openRole(service, 'owner')), []);
});

test('the book is read a page at a time, and whole as CSV, in which no text runs as a formula', async () => {
  const { accountId } = await service.openCustomer();
  const person = await openRole(service, 'reader', accountId);
  const clerk = await openRole(service, 'orders', accountId);
  const total = 130;
  for (let kept = 0; kept < total; kept += 1) {
    const address = { ...HOME, line1: `${kept} Mill Lane` };
    const body = { label: kept === 0 ? '=1+1' : `Label ${kept}`, address };
    assert.equal((await clerk.request('POST', '/addresses', { body })).status, 201);
  }
  const page = await person.request<SavedAddresses>('GET', '/addresses?limit=100');
  assert.deepEqual([page.body.data.length, page.body.has_more], [100, true]);
  const rest = await person.request<SavedAddresses>('GET', `/addresses?limit=100&cursor=${page.body.next_cursor}`);
  assert.deepEqual([rest.body.data.length, rest.body.has_more], [30, false]);
  assert.equal(new Set([...page.body.data, ...rest.body.data].map(({ id }) => id)).size, total);
  assert.equal((await person.request('GET', '/addresses?cursor=ord_x')).status, 422);
  const read = async (query: string): Promise<string[]> => {
    const answer = await fetch(`${service.url}/portal/api/v1/addresses?format=csv${query}`, {
      headers: { cookie: `${COOKIE}=${person.secret}` },
    });
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8; header=present');
    return (await answer.text()).split('\r\n').slice(0, -1);
  };
  const [head = '', ...lines] = await read('');
  assert.match(head, /^id,label,address\.contact_name,/);
  assert.equal(lines.length, total);
  assert.match(lines.at(-1) ?? '', /^adr_[^,]+,'=1\+1,/);
  assert.equal((await read('&search=label+12')).length - 1, 12);
});
