import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { UploadValidation } from '../../src/artwork/schema.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { flat } from '../harness/pictures.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { basket, problemsOf, teeItem } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.stop());

const hitsOn = (path: string): number => service.stranger.hits.filter((hit) => hit.path === path).length;

const decorated = (url: string) =>
  basket(service, {
    items: [teeItem(service, { decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] } })],
  });

test('G118 a file that changes after it was checked: an order fetches it once, and the bytes that were judged are those that are printed', async () => {
  const [first, second] = await Promise.all(
    ['#112233', '#445566'].map((colour) => flat(600, 600, colour).png().toBuffer()),
  );
  assert.ok(first && second);
  let visits = 0;
  service.stranger.serve('/changing.png', (_hit, response) => {
    visits += 1;
    response.end(visits === 1 ? first : second);
  });
  const url = service.stranger.url('/changing.png');
  const placed = await service.customer.request<CreatedOrder>('POST', '/orders', decorated(url));
  assert.equal(placed.status, 201, placed.text);
  assert.equal(hitsOn('/changing.png'), 1);
  const [stored] = await rows<{ hash: string }>(
    service,
    `select encode(d.hash, 'hex') as hash from design d where d.account_id = $1 order by d.created_at desc limit 1`,
    [service.customer.accountId],
  );
  assert.equal(stored?.hash, createHash('sha256').update(first).digest('hex'));
});

test('G118 a file that was good when it was validated and is none when it is ordered is refused then: nothing of the check is trusted later', async () => {
  const good = await flat(600, 600, '#778899').png().toBuffer();
  let visits = 0;
  service.stranger.serve('/turning.png', (_hit, response) => {
    visits += 1;
    response.end(visits === 1 ? good : '<html>gone</html>');
  });
  const url = service.stranger.url('/turning.png');
  const checked = await service.customer.request<UploadValidation>('POST', '/uploads/validate', { url });
  assert.deepEqual([checked.status, checked.body.valid], [200, true]);
  const refused = await service.customer.request('POST', '/orders', decorated(url));
  assert.equal(refused.status, 422, refused.text);
  assert.deepEqual(problemsOf(refused), ['items[0].decoration.areas[0].artwork_url format']);
});

test('H138 an SVG that asks for more, by entities or by pictures, is refused unread: nobody else is asked', async () => {
  const other = service.stranger.url('/other.txt');
  service.stranger.serve('/other.txt', { body: 'secret' });
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  const texts = [
    `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "${other}">]><svg xmlns="http://www.w3.org/2000/svg">&x;</svg>`,
    `<svg xmlns="http://www.w3.org/2000/svg"><image href="${other}" width="9" height="9"/></svg>`,
    `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]><svg xmlns="http://www.w3.org/2000/svg"><text>&l9;</text></svg>`,
  ];
  for (const [index, text] of texts.entries()) {
    const path = `/drawing-${index}.png`;
    service.stranger.serve(path, { body: text, headers: { 'content-type': 'image/png' } });
    const answer = await service.customer.request<UploadValidation>('POST', '/uploads/validate', {
      url: service.stranger.url(path),
    });
    const [result] = answer.body.results;
    assert.ok(result !== undefined && 'code' in result);
    assert.equal(result.code, 'format', text);
    assert.equal(hitsOn(path), 1);
  }
  assert.equal(hitsOn('/other.txt'), 0);
});
