import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { resumeAccount, suspendAccount } from '../../../src/accounts/access/suspend-account.ts';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { eventually } from '../../harness/context.ts';
import {
  authorizePath,
  callEndpoint,
  obtainCode,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  reachPage,
  redeem,
  refresh,
  signInOn,
} from '../../harness/oauth.ts';
import { type Customer, startTestService } from '../../harness/service.ts';
import { openShop, problemsOf } from '../../harness/shop.ts';
import { everythingWritten, rows } from '../../harness/written.ts';
import {
  act,
  admin,
  assertUnknown,
  auditOf,
  closeAccess,
  isAccepted,
  openAccess,
  otherNode,
  service,
  untilUnknown,
} from './access.ts';

before(openAccess);
after(closeAccess);

const pathOf = ({ accountId }: { accountId: Customer['accountId'] }, verb: string): string =>
  `/accounts/${publicId('acct', accountId)}/${verb}`;

/** An answer of OAuth without what differs from request to request. */
const bytesOf = (answer: { status: number; headers: Headers; body: unknown }): string =>
  JSON.stringify([answer.status, answer.headers.get('www-authenticate'), answer.body]);

describe('operating: a suspended account is refused as an unknown one is, within two seconds on every node', () => {
  test('its personal tokens, those that were granted for it and those of its apps', async () => {
    const customer = await service.openCustomer();
    const person = await openPerson(service, customer.accountId);
    const app = await openApp(service, { accountId: customer.accountId });
    const elsewhere = await openApp(service);
    const granted = await obtainTokens(service, elsewhere, person);
    const own = (await callEndpoint(service, 'token', app, { grant_type: 'client_credentials' })).body;
    const guest = await obtainTokens(service, app, await openPerson(service));
    const tokens = [customer.token, granted.access_token, own.access_token, guest.access_token];
    for (const token of tokens) assert.ok(await isAccepted(token));
    const account = await act<OpsAccount>(pathOf(customer, 'suspend'), { reason: 'stolen card' });
    assert.deepEqual([account.suspended, account.suspended_reason], [true, 'stolen card']);
    assert.notEqual(account.suspended_at, null);
    for (const token of tokens) await untilUnknown(token);
    await act(pathOf(customer, 'resume'));
    for (const token of tokens) await eventually('it works again', () => isAccepted(token), 3_000);
  });

  test('oauth/token, refresh and revocation answer as to an unknown app, code or token; the consent page as to an unknown person', async () => {
    const customer = await service.openCustomer();
    const person = await openPerson(service, customer.accountId);
    const app = await openApp(service, { accountId: customer.accountId });
    const elsewhere = await openApp(service);
    const granted = await obtainTokens(service, elsewhere, person);
    const code = await obtainCode(service, elsewhere, person);
    const browser = openBrowser(service);
    const signedIn = await signInOn(browser, await reachPage(browser, authorizePath(elsewhere)), person);
    await act(pathOf(customer, 'suspend'), { reason: 'stolen card' });
    for (const node of [service, otherNode]) {
      const none = { ...app, clientId: publicId('client', customer.accountId) };
      const byItself = { grant_type: 'client_credentials' };
      assert.equal(
        bytesOf(await callEndpoint(node, 'token', app, byItself)),
        bytesOf(await callEndpoint(node, 'token', none, byItself)),
      );
      const never = `ort_${'0'.repeat(38)}`;
      const unknown = bytesOf(await refresh(node, elsewhere, never));
      assert.equal(bytesOf(await refresh(node, elsewhere, granted.refresh_token)), unknown);
      assert.equal(bytesOf(await redeem(node, elsewhere, code)), unknown);
    }
    assert.equal((await browser.get(signedIn.path)).status, 400);
    const fresh = openBrowser(otherNode);
    const question = await reachPage(fresh, authorizePath(elsewhere));
    const refused = await signInOn(fresh, question, person);
    const stranger = await signInOn(fresh, question, { email: 'nobody.here@example.com' });
    assert.equal(refused.page.status, 422);
    assert.equal(
      refused.page.text.replace(person.email, ''),
      stranger.page.text.replace('nobody.here@example.com', ''),
    );
    await act(pathOf(customer, 'resume'));
    assert.equal((await refresh(service, elsewhere, granted.refresh_token)).status, 200, 'nothing was used up');
  });

  test('its orders go on being made and its webhooks being sent', async () => {
    const whole = await startTestService();
    try {
      const shop = await openShop(whole, 3);
      const url = whole.stranger.url('/hooks-of-the-suspended');
      const created = await shop.customer.request('POST', '/webhooks', { url, events: ['order.on_hold'] });
      assert.equal(created.status, 201, created.text);
      const order = await shop.order();
      assert.equal(order.status, 201, order.text);
      const operator = await whole.openOperator('admin');
      const id = publicId('acct', shop.customer.accountId);
      assert.equal((await operator.request('POST', `/accounts/${id}/suspend`, { reason: 'late' })).status, 200);
      await eventually('it is refused', async () => (await shop.order()).status === 401, 3_000);
      const { id: orderId } = order.body;
      assert.equal((await operator.request('POST', `/orders/${orderId}/hold`, { reason: 'look' })).status, 200);
      await eventually('its webhook is sent', () =>
        whole.stranger.hits.some((hit) => hit.path === '/hooks-of-the-suspended'),
      );
      assert.equal((await operator.request('POST', `/orders/${orderId}/resume`)).status, 200);
      assert.equal((await operator.request('POST', `/orders/${orderId}/promote`)).status, 200);
    } finally {
      await whole.stop();
    }
  });
});

describe('suspending and resuming', () => {
  test('the same again changes nothing: the first reason stays; the audit log has who, when and why of each', async () => {
    const customer = await service.openCustomer();
    const first = await act<OpsAccount>(pathOf(customer, 'suspend'), { reason: 'one' });
    const second = await act<OpsAccount>(pathOf(customer, 'suspend'), { reason: 'two' });
    assert.deepEqual(second, first);
    for (let round = 0; round < 2; round += 1) {
      const resumed = await act<OpsAccount>(pathOf(customer, 'resume'), { reason: 'paid' });
      assert.deepEqual([resumed.suspended, resumed.suspended_at, resumed.suspended_reason], [false, null, null]);
    }
    await suspendAccount(service.ctx, AT_THE_COMMAND_LINE, customer.accountId, 'three');
    const account_id = publicId('acct', customer.accountId);
    const entry = (action: string, reason: string) => ({ action, who: admin.email, detail: { account_id, reason } });
    assert.deepEqual(await auditOf(customer.accountId), [
      entry('suspend_account', 'one'),
      entry('suspend_account', 'two'),
      entry('resume_account', 'paid'),
      entry('resume_account', 'paid'),
      { action: 'suspend_account', who: null, detail: { account_id, reason: 'three', os_user: 'tester' } },
    ]);
    const { body } = await admin.request<{ data: { operator: string; action: string; at: string }[] }>(
      'GET',
      '/audit?limit=2',
    );
    assert.deepEqual(
      body.data.map(({ operator, action }) => [operator, action]),
      [
        ['command line', 'suspend_account'],
        [admin.email, 'resume_account'],
      ],
    );
  });

  test('at once, any number of times and on both nodes: it ends as the last of the log says, and each is there', async () => {
    const customer = await service.openCustomer();
    const others = await otherNode.openOperator('admin');
    const statuses = await Promise.all(
      Array.from({ length: 12 }, (_, at) => {
        const client = at % 2 === 0 ? admin : others;
        const verb = at % 3 === 0 ? 'resume' : 'suspend';
        return client.request('POST', pathOf(customer, verb), { reason: `round ${at}` });
      }),
    );
    assert.deepEqual([...new Set(statuses.map(({ status }) => status))], [200]);
    assert.equal((await auditOf(customer.accountId)).length, 12);
    const [row] = await rows<{ agrees: boolean }>(
      service,
      'select (suspended_at is null) = (suspended_reason is null) as agrees from account where id = $1',
      [customer.accountId],
    );
    assert.equal(row?.agrees, true);
    await resumeAccount(service.ctx, AT_THE_COMMAND_LINE, customer.accountId, undefined);
    await eventually('it works', () => isAccepted(customer.token), 3_000);
  });

  test('a reason is required; an unknown account is 404; nothing is written', async () => {
    const customer = await service.openCustomer();
    const before = await everythingWritten(service);
    for (const [body, problems] of [
      [{}, ['reason required']],
      [{ reason: '' }, ['reason out_of_bounds']],
      [{ reason: '  ' }, ['reason pattern']],
      [{ reason: 'x'.repeat(501) }, ['reason out_of_bounds']],
      [{ reason: 1 }, ['reason type']],
    ] as const) {
      const answer = await admin.request('POST', pathOf(customer, 'suspend'), body);
      assert.deepEqual([answer.status, problemsOf(answer)], [422, problems], answer.text);
    }
    assert.deepEqual(await everythingWritten(service), before);
    await assertUnknown((id) => `/accounts/${id}/suspend`, 'acct_', 'account', { reason: 'x' });
    assert.ok(await isAccepted(customer.token));
  });
});
