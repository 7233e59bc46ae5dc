import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import type { TemplateReply } from './templates.ts';

test('a template that was stored before can be designed; a fixed product and another account’s are unknown', async () => {
  const service = await startTestService({ role: 'api' });
  try {
    const { fixed, personalised } = service.demo.products;
    const reader = await openRole(service, 'reader');
    const { status, body, text } = await reader.request<TemplateReply>('GET', `/templates/${personalised}`);
    assert.equal(status, 200, text);
    assert.deepEqual([body.published_version, body.published_at, body.is_changed], [1, null, false]);
    assert.deepEqual(body.template, body.published);
    assert.deepEqual(body.problems, []);
    const options = body.template.layers.flatMap((layer) => (layer.type === 'image_select' ? layer.options : []));
    assert.deepEqual(
      body.pictures.map(({ design }) => design).toSorted(),
      [...new Set(options.map(({ design }) => design))].toSorted(),
    );
    for (const { image_url: url } of body.pictures) {
      const { pathname, search } = new URL(url);
      assert.equal((await fetch(`${service.url}${pathname}${search}`)).status, 200);
    }
    const { accountId } = await service.openCustomer();
    const stranger = await openRole(service, 'owner', accountId);
    for (const [person, id] of [
      [reader, fixed],
      [reader, 'prod_00000000000000000000000000'],
      [reader, 'no-id'],
      [stranger, personalised],
    ] as const) {
      const refused = await person.request('GET', `/templates/${id}`);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
  } finally {
    await service.stop();
  }
});
