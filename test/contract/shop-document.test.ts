import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../harness/service.ts';
import { type Json, lookUp, referencesIn } from './breaking-schema.ts';
import { committedShopDocument } from './committed.ts';

const { document: text, file } = committedShopDocument();
const document = JSON.parse(text) as Json;

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('the committed document of what shops call is the one that the code makes, and it is served to anyone', async () => {
  const isSame = existsSync(file) && readFileSync(file, 'utf8') === text;
  assert.ok(isSame, `${file} differs from the code. Run: npm run openapi`);
  const response = await fetch(`${service.url}/channels/openapi.json`);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
  assert.equal(await response.text(), JSON.stringify(document));
});

test('it leads every reference somewhere, and has each member that is taken', () => {
  const references = referencesIn(document);
  assert.ok(references.length > 10, `${references.length} references`);
  for (const reference of references) lookUp(document, reference);
  for (const name of ['sent_quantity', 'made_by_others', 'unknown_status', 'webhook-signature']) {
    assert.ok(text.includes(`"${name}"`), name);
  }
});

test('its example is an order as it is taken, and its refusal without a signature is the one that it says', async () => {
  const operation = lookUp(document, '#/paths/~1channels~1{id}~1orders/post') as {
    requestBody: { content: Record<string, { example: object }> };
    responses: Record<string, unknown>;
  };
  const example = operation.requestBody.content['application/json']?.example ?? assert.fail('it has an example');
  const response = await fetch(`${service.url}/channels/chan_00000000000000000000000000/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(example),
  });
  assert.equal(response.status, 401);
  assert.ok('401' in operation.responses && '202' in operation.responses && '422' in operation.responses);
});
