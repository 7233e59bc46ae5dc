import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Entrance } from '../../../src/accounts/joining/entrance-schema.ts';
import { call } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('without a mail server the page is told that no password can be mailed, and who asks for one is refused', async () => {
  const { body } = await call<Entrance>(service, 'GET', '/portal/api/v1/entrance');
  assert.deepEqual(body, { shop: 'Platen', sign_up: 'closed', password_reset: false });
  const refused = await call(service, 'POST', '/portal/api/v1/password-resets', {
    body: { email: 'a@shop.example' },
    headers: { origin: service.url },
  });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail, /No mail is sent from here/);
});
