import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectUnusedBlobs } from '../../../src/app/collect-blobs.ts';
import type { TemplatePicture } from '../../../src/products/template/template-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type ErrorReply, startTestService } from '../../harness/service.ts';
import { problemsOf, servePicture } from '../../harness/shop.ts';
import { createCap, LINE, motifOf, onFront, problemsIn, save, type TemplateReply } from './templates.ts';

const DAY_MS = 86_400_000;

test('a picture that is added stays as long as a draft has it, and is collected a day after none does', async () => {
  const service = await startTestService({ role: 'api' });
  try {
    const author = await openRole(service, 'owner');
    const cap = await createCap(author);
    const add = (by: PortalClient, url: string, id = cap.id) =>
      by.request<TemplatePicture & Partial<ErrorReply>>('POST', `/templates/${id}/pictures`, { body: { url } });
    const kept = await add(author, await servePicture(service, '/kept.png', { colour: '#204060' }));
    assert.equal(kept.status, 201, kept.text);
    assert.deepEqual([kept.body.width_px, kept.body.height_px], [600, 600]);
    const left = await add(author, await servePicture(service, '/left.png', { colour: '#604020' }));
    const { pathname, search } = new URL(kept.body.image_url);
    assert.equal((await fetch(`${service.url}${pathname}${search}`)).headers.get('content-type'), 'image/png');

    // What is refused stores nothing.
    service.stranger.serve('/page.html', { body: '<html></html>' });
    const page = await author.request('POST', `/templates/${cap.id}/pictures`, {
      body: { url: service.stranger.url('/page.html') },
    });
    assert.deepEqual([page.status, ...problemsOf(page)], [422, 'url format']);
    const reader = await openRole(service, 'orders');
    assert.equal((await add(reader, service.stranger.url('/kept.png'))).status, 403);
    const { accountId } = await service.openCustomer();
    const stranger = await openRole(service, 'owner', accountId);
    assert.equal((await add(stranger, service.stranger.url('/kept.png'))).status, 404);
    assert.equal((await add(author, service.stranger.url('/kept.png'), service.demo.products.fixed)).status, 404);

    const saved = await save(author, cap, onFront(LINE, motifOf(kept.body.design, left.body.design)));
    assert.equal(saved.status, 200, saved.text);
    const without = await save(author, saved.body, onFront(LINE, motifOf(kept.body.design)));
    assert.equal(without.status, 200, without.text);
    service.shiftMs(DAY_MS + 60_000);
    await collectUnusedBlobs(service.ctx, undefined);
    assert.equal(await service.ctx.blobs.has(kept.body.design), true, 'the draft has it');
    assert.equal(await service.ctx.blobs.has(left.body.design), false, 'nothing has it');

    const again = await openRole(service, 'owner');
    const { body } = await again.request<TemplateReply>('GET', `/templates/${cap.id}`);
    const lost = await save(again, body, onFront(LINE, motifOf(kept.body.design, left.body.design)));
    assert.deepEqual(problemsIn(lost), ['template.layers[1].options[1].design unknown_picture']);
  } finally {
    await service.stop();
  }
});
