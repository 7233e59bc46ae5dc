import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonalisationPreview } from '../../../src/checkout/personalisation/preview-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { type ErrorReply, startTestService } from '../../harness/service.ts';
import { createCap, LINE, onFront, problemsIn, save } from '../products/templates.ts';

test('a draft is tried with the refusals and the proof that an order would have, before anything is published', async () => {
  const service = await startTestService({ role: 'api' });
  try {
    const author = await openRole(service, 'owner');
    const cap = await createCap(author);
    const ask = (inputs: object, by = author, id = cap.id) =>
      by.request<PersonalisationPreview & Partial<Pick<ErrorReply, 'errors'>>>('POST', `/templates/${id}/preview`, {
        body: { inputs },
      });
    assert.deepEqual(problemsIn(await ask({})), ['template.layers out_of_bounds'], 'what publishing would refuse');
    const saved = await save(author, cap, onFront(LINE));
    assert.equal(saved.status, 200, saved.text);

    const proof = await ask({ line: 'Ada' });
    assert.equal(proof.status, 200, proof.text);
    assert.deepEqual([proof.body.print_area, proof.body.warnings], ['front', []]);
    const { pathname, search } = new URL(proof.body.proof_url);
    const shown = await fetch(`${service.url}${pathname}${search}`);
    assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/jpeg']);

    assert.deepEqual(problemsIn(await ask({ line: 'x'.repeat(41) })), ['inputs.line out_of_bounds']);
    assert.deepEqual(problemsIn(await ask({ line: '한글' })), ['inputs.line unsupported_character']);
    assert.deepEqual(problemsIn(await ask({ line: 'W'.repeat(40) })), ['inputs.line does_not_fit']);
    assert.deepEqual(problemsIn(await ask({})), ['inputs.line required']);
    const published = await author.api<{ layers: unknown[] }>('GET', `/products/${cap.id}/personalisation`);
    assert.deepEqual(published.body.layers, [], 'orders are read by what is published');

    assert.equal((await ask({ line: 'Ada' }, await openRole(service, 'reader'))).status, 200);
    const { accountId } = await service.openCustomer();
    assert.equal((await ask({ line: 'Ada' }, await openRole(service, 'owner', accountId))).status, 404);
    assert.equal((await ask({}, author, service.demo.products.fixed)).status, 404);
  } finally {
    await service.stop();
  }
});
