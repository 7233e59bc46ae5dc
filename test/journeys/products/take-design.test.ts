import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { collectUnusedBlobs } from '../../../src/app/collect-blobs.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { designTee, take } from './designing.ts';

let service: TestService;
let owner: PortalClient;
before(async () => {
  service = await startTestService({ role: 'api' });
  owner = await openRole(service, 'owner');
});
after(() => service.stop());

test('artwork that is taken in is stored once as a design of the account, and shown', async () => {
  const before = await counts();
  const [one, same] = [
    await take(owner, '/plum.png', { widthPx: 900, heightPx: 600, colour: 'plum' }),
    await take(owner, '/plum-too.png', { widthPx: 900, heightPx: 600, colour: 'plum' }),
  ];
  assert.deepEqual([one.width, one.height, one.has_transparency, one.colour_space], [900, 600, true, 'rgb']);
  assert.equal(one.design, same.design, 'the same bytes are one design');
  const now = await counts();
  assert.deepEqual([now.designs - before.designs, now.products - before.products], [1, 0]);
  const { pathname, search } = new URL(one.picture_url);
  const picture = sharp(Buffer.from(await (await fetch(service.url + pathname + search)).arrayBuffer()));
  assert.equal((await picture.metadata()).width, 800);
});

test('what is no picture, or no address, is refused in the words of a product, and nothing is stored', async () => {
  const before = await counts();
  service.stranger.serve('/page.png', { body: '<html>', headers: { 'content-type': 'image/png' } });
  for (const [artwork_url, code] of [
    [service.stranger.url('/page.png'), 'format'],
    [service.stranger.url('/nowhere'), 'fetch'],
    ['http://art.example/one.png', 'scheme'],
    ['https://169.254.169.254/latest', 'ssrf'],
  ] as const) {
    const refused = await owner.request('POST', '/designs', { body: { artwork_url } });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [`artwork_url ${code}`]]);
  }
  assert.deepEqual(await counts(), before);
});

test('people who only place orders or read take nothing in', async () => {
  const before = await counts();
  for (const role of ['orders', 'reader'] as const) {
    const refused = await (await openRole(service, role)).request('POST', '/designs', {
      body: { artwork_url: service.stranger.url('/plum.png') },
    });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  }
  assert.deepEqual(await counts(), before);
});

test('a design that no product has goes a day after its last use; one of a product stays', async () => {
  const loose = await take(owner, '/loose.png', { colour: '#123456' });
  const kept = await take(owner, '/kept.png', { colour: '#654321' });
  await designTee(owner, kept.design);
  const text = "update blob set last_used_at = last_used_at - interval '25 hours'";
  await service.ctx.database.all({ name: 'test_unused_for_a_day', text }, []);
  await collectUnusedBlobs(service.ctx, undefined);
  const left = await rows<{ hash: string }>(service, "select encode(hash, 'hex') as hash from design");
  const names = left.map(({ hash }) => hash);
  assert.deepEqual([names.includes(loose.design), names.includes(kept.design)], [false, true]);
});

async function counts(): Promise<{ designs: number; products: number }> {
  const [row] = await rows<{ designs: number; products: number }>(
    service,
    'select (select count(*)::int from design) as designs, (select count(*)::int from product) as products',
  );
  return row ?? { designs: -1, products: -1 };
}
