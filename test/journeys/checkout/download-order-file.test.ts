import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readCsv } from '../../../src/lib/text/read-csv.ts';
import type { TestService } from '../../harness/service.ts';
import { type FileShop, HEADINGS, openFileService, rowOf, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('a result has the columns that came, by the separator that came, and runs no formula', async () => {
  const shop = await openShop();
  const content = [HEADINGS, rowOf(shop, '=1+1', { quantity: '0' })].join('\n').replaceAll(',', ';');
  const file = await takenOn(shop, await upload(shop, content));
  const headers = { cookie: `platen_session=${shop.person.secret}` };
  const answer = await fetch(`${service.url}/portal/api/v1/order-files/${file.id}/rows?rows=open`, { headers });
  const text = await answer.text();
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(text, /\r\n'=1\+1;/);
  const read = readCsv(text);
  const [headings, row] = read.kind === 'read' ? read.records : [];
  assert.deepEqual(headings?.slice(-3), ['Platen status', 'Platen order', 'Platen problem']);
  assert.deepEqual(row?.slice(0, 4), ['=1+1', shop.productId, 'TEE-CLASSIC-WHT-M', '0']);
});
