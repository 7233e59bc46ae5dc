import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { revokeGrantRows } from '../../../src/accounts/access/app-sql.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { obtainTokens, openApp, openPerson } from '../../harness/oauth.ts';
import { problemsOf } from '../../harness/shop.ts';
import { act, admin, closeAccess, isAccepted, listed, openAccess, service, untilUnknown } from './access.ts';

before(openAccess);
after(closeAccess);

test('all of an account, all to an app, or the overlap of both; the others go on', async () => {
  const { accountId } = await service.openCustomer();
  const account = publicId('acct', accountId);
  const [own, guest] = [await openPerson(service, accountId), await openPerson(service)];
  const [one, other] = [await openApp(service), await openApp(service)];
  const grant = async (app: typeof one, person: typeof own): Promise<string> =>
    (await obtainTokens(service, app, person)).access_token;
  const [ownOne, ownOther, guestOne] = [await grant(one, own), await grant(other, own), await grant(one, guest)];
  assert.deepEqual(await act('/oauth-grants/revoke', { account, client: one.clientId }), {
    revoked: 1,
    has_more: false,
  });
  await untilUnknown(ownOne);
  assert.ok((await isAccepted(ownOther)) && (await isAccepted(guestOne)));
  assert.deepEqual(await act('/oauth-grants/revoke', { client: one.clientId }), { revoked: 1, has_more: false });
  await untilUnknown(guestOne);
  assert.deepEqual(await act('/oauth-grants/revoke', { account, reason: 'all of it' }), {
    revoked: 1,
    has_more: false,
  });
  await untilUnknown(ownOther);
  assert.deepEqual(await act('/oauth-grants/revoke', { account }), { revoked: 0, has_more: false });
});

test('a part at a time, the oldest first, until none is left', async () => {
  const app = await openApp(service);
  for (let made = 0; made < 3; made += 1) await obtainTokens(service, app, await openPerson(service));
  const of = { accountId: undefined, clientId: app.id };
  const counts: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    counts.push(await revokeGrantRows(service.ctx.database, of, 2, service.ctx.clock.now()));
  }
  assert.deepEqual(counts, [2, 1, 0]);
  assert.deepEqual(await listed(`/oauth-grants?client=${app.clientId}`), []);
});

test('neither is 422: nothing revokes all grants there are; an unknown account or app is 404', async () => {
  for (const body of [{}, { reason: 'all' }]) {
    const answer = await admin.request('POST', '/oauth-grants/revoke', body);
    assert.deepEqual([answer.status, problemsOf(answer)], [422, ['account required']]);
  }
  for (const body of [{ account: publicId('acct', admin.id) }, { client: publicId('client', admin.id) }]) {
    assert.equal((await admin.request('POST', '/oauth-grants/revoke', body)).status, 404);
  }
});
