import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { confirm, entriesOf, type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('an export of a shop is read by its headings; what the account chose is remembered for its next file', async () => {
  const shop = await openShop();
  const headings =
    'Name;Lineitem name;Lineitem quantity;Shipping Name;Billing Name;Shipping Address1;Shipping City;Shipping Zip;Shipping Country';
  const content = `\uFEFF${headings}\n#1001;Fern tee - White / M;2;Ada Byron;Charles;"12 Mill Lane\nFlat 3";Leeds;LS1 4DY;GB\n`;
  const uploaded = await upload(shop, content);
  assert.equal((await takenOn(shop, uploaded)).counts.ready, 1);
  const [entry] = await entriesOf(shop, uploaded);
  assert.equal(entry?.external_reference, '#1001');
  const body = { prefix: 'acme-', columns: [{ field: 'contact_name', column: 4 }] };
  const changed = await shop.person.request<{ plan: number; prefix: string }>('PATCH', `/order-files/${uploaded.id}`, {
    body,
  });
  assert.deepEqual([changed.status, changed.body.plan, changed.body.prefix], [200, 2, 'acme-']);
  assert.equal((await takenOn(shop, uploaded)).counts.ready, 1);
  assert.equal((await entriesOf(shop, uploaded))[0]?.external_reference, 'acme-#1001');
  const next = await upload(shop, content);
  assert.deepEqual(
    [next.prefix, next.columns.find(({ field }) => field === 'contact_name')?.column],
    ['', 4],
    'a prefix that was only tried is not remembered',
  );
  assert.equal((await confirm(shop, { ...uploaded, plan: changed.body.plan })).status, 200);
  assert.equal((await upload(shop, content)).prefix, 'acme-');
});

test('a file that is read with another prefix, or by another number, places no order again unless that is chosen', async () => {
  const shop = await openShop();
  const content = [`${HEADINGS},id`, `${rowOf(shop, 'R-1')},9001`, `${rowOf(shop, 'R-2')},9002`].join('\n');
  const first = await takenOn(shop, await upload(shop, content));
  await confirm(shop, first);
  assert.equal((await takenOn(shop, first)).counts.placed, 2);
  const [placed] = await entriesOf(shop, first);
  const more = [content, `${rowOf(shop, 'R-3')},9003`].join('\n');
  for (const [text, body, ready] of [
    [more, { prefix: 'acme-' }, 1],
    [content, { columns: [{ field: 'number', column: 9 }] }, 0],
  ] as const) {
    const again = await upload(shop, text);
    const change = (changes: object) => shop.person.request('PATCH', `/order-files/${again.id}`, { body: changes });
    await change(body);
    const { counts } = await takenOn(shop, again);
    assert.deepEqual([counts.existing, counts.ready], [2, ready]);
    const [entry] = await entriesOf(shop, again);
    assert.deepEqual(entry?.order, placed?.order);
    assert.match(entry?.problems[0]?.message ?? '', /An earlier file placed it as "R-1", order PF-/);
    assert.equal((await change({ places_repeats: true })).status, 200);
    const chosen = await takenOn(shop, again);
    assert.deepEqual([chosen.places_repeats, chosen.counts.existing, chosen.counts.ready], [true, 0, 2 + ready]);
    // The next upload begins with what was chosen of the columns.
    await change({ columns: [{ field: 'number', column: 0 }] });
  }
});

test('of two plans that number the same orders otherwise only the first places them', async () => {
  const shop = await openShop();
  const content = [HEADINGS, rowOf(shop, 'V-1')].join('\n');
  const [one, other] = [await upload(shop, content), await upload(shop, content)];
  await shop.person.request('PATCH', `/order-files/${other.id}`, { body: { prefix: 'b-' } });
  const plans = [await takenOn(shop, one), await takenOn(shop, other)];
  assert.deepEqual(
    plans.map(({ counts }) => counts.ready),
    [1, 1],
  );
  for (const plan of plans) await confirm(shop, plan);
  assert.equal((await takenOn(shop, one)).counts.placed + (await takenOn(shop, other)).counts.placed, 1);
});

test('a column that there is not is refused, and so is any change once the file is confirmed', async () => {
  const shop = await openShop();
  const file = await takenOn(shop, await upload(shop, [HEADINGS, rowOf(shop, 'B-1')].join('\n')));
  const change = (body: object) => shop.person.request('PATCH', `/order-files/${file.id}`, { body });
  const refused = await change({ columns: [{ field: 'phone', column: 9 }] });
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['columns[0].column out_of_bounds']]);
  await confirm(shop, file);
  assert.deepEqual([(await change({ prefix: 'x' })).status, (await takenOn(shop, file)).counts.placed], [409, 1]);
});
