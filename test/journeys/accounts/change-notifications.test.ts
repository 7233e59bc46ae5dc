import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NoticeRecipient } from '../../../src/accounts/notices/choices-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { openFloor, placeOrder } from '../../harness/floor.ts';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { call, openPortal, openRole, PASSWORD, signIn } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let mailbox: Mailbox;
let service: TestService;
before(async () => {
  mailbox = await openMailbox();
  service = await startTestService({ env: { ...mailbox.env, SELLER_NAME: 'Harbour Press' } });
});
after(async () => {
  await service.stop();
  await mailbox.close();
});

const place = (): Promise<CreatedOrder> =>
  placeOrder(service, {
    items: [{ product_id: service.demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs: [] }],
  });

test('an order on hold is mailed to those who want it, once, and not to who has said no', async () => {
  const owner = await openRole(service, 'owner');
  const orders = await openRole(service, 'orders');
  const reader = await openRole(service, 'reader');
  const choose = (wants: object, id: string) =>
    owner.request<NoticeRecipient>('PATCH', `/notifications/${id}`, { body: { wants } });
  assert.equal((await choose({ order_on_hold: false }, orders.session.user.id)).status, 200);
  const chosen = await choose({ order_on_hold: true }, reader.session.user.id);
  assert.deepEqual([chosen.body.id, chosen.body.wants], [reader.session.user.id, ['order_on_hold']]);
  const floor = await openFloor(service, 'admin');
  const order = await place();
  await floor.post(`/orders/${order.id}/hold`, { reason: 'The street has no number.' });
  const mail = await mailbox.mailTo(reader.person.email);
  assert.equal(mail.subject, `Order ${order.reference} is on hold`);
  assert.match(
    mail.text,
    /Harbour Press has put the order \S+ on hold, before its production: The street has no number\./,
  );
  assert.ok(mail.text.includes(`${service.ctx.config.baseUrl}/portal/orders/${order.reference}`));
  assert.ok(mail.text.includes('/portal/notifications'));
  await mailbox.mailTo(owner.person.email);
  assert.deepEqual(mailbox.mailsTo(orders.person.email), []);
  const made = "select recipient from mail where kind = 'order_on_hold' and recipient = $1";
  assert.equal((await rows(service, made, [reader.person.email])).length, 1);
});

test('a hold that is refused mails nothing: the mail is of its transaction', async () => {
  const floor = await openFloor(service, 'admin');
  const order = await place();
  assert.equal((await service.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
  const before = await rows(service, 'select id from mail', []);
  assert.equal((await floor.request('POST', `/orders/${order.id}/hold`, { reason: 'too late' })).status, 409);
  assert.deepEqual(await rows(service, 'select id from mail', []), before);
});

test('what happens to the own sign-in is always mailed, and to that person alone', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const manager = await openRole(service, 'manager', accountId);
  const changed = await manager.request('POST', '/password', {
    body: { current: PASSWORD, new: 'another long password' },
  });
  assert.equal(changed.status, 204, changed.text);
  assert.match((await mailbox.mailTo(manager.person.email)).subject, /^Your password was changed$/);
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux) Firefox/140' };
  const again = { email: manager.person.email, password: 'another long password' };
  assert.equal((await signIn(service, again, headers)).status, 201);
  const other = await mailbox.mailTo(manager.person.email, 2);
  assert.equal(other.subject, 'A sign-in with another browser');
  assert.match(other.text, /Firefox\/140/);
  assert.equal((await signIn(service, again, headers)).status, 201);
  await openPortal(service, owner.person);
  const made = "select recipient from mail where kind = 'security' and account_id = $1";
  assert.deepEqual(await rows(service, made, [accountId]), [
    { recipient: manager.person.email },
    { recipient: manager.person.email },
  ]);
});

test('others choose only for themselves, and nothing that there is not', async () => {
  const owner = await openRole(service, 'owner');
  const manager = await openRole(service, 'manager');
  const reader = await openRole(service, 'reader');
  const { accountId } = await service.openCustomer();
  const elsewhere = await openRole(service, 'owner', accountId);
  const path = `/notifications/${owner.session.user.id}`;
  const body = { wants: { payment_failed: false } };
  assert.equal((await manager.request('PATCH', path, { body })).status, 403);
  assert.equal((await reader.request('PATCH', path, { body })).status, 404);
  assert.equal((await elsewhere.request('PATCH', path, { body })).status, 404);
  assert.equal((await reader.request('PATCH', `/notifications/${publicId('user', accountId)}`, { body })).status, 404);
  const unknown = await owner.request('PATCH', path, { body: { wants: { security: false } } });
  assert.deepEqual([unknown.status, problemsOf(unknown)], [422, ['wants.security unknown_field']]);
});

/** Mails of an account that wait, and that no worker looks at. */
async function wait(accountId: string, kind: string, count: number): Promise<void> {
  const insert = `insert into mail (account_id, id, kind, recipient, created_at, useless_at)
    select $1, uuid_v7(now()), $2, 'x@shop.example', now(), now() + interval '1 day' from generate_series(1, $3::integer)`;
  await rows(service, insert, [accountId, kind, count]);
}

test('notices that wait keep back no mail about security and none with a link', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  await wait(accountId, 'artwork_failed', 200);
  const changed = await owner.request('POST', '/password', {
    body: { current: PASSWORD, new: 'another long password' },
  });
  assert.equal(changed.status, 204, changed.text);
  assert.equal((await mailbox.mailTo(owner.person.email)).subject, 'Your password was changed');
  const headers = { origin: service.url };
  const body = { email: owner.person.email };
  assert.equal((await call(service, 'POST', '/portal/api/v1/password-resets', { body, headers })).status, 202);
  assert.equal((await mailbox.mailTo(owner.person.email, 2)).subject, 'A new password for Harbour Press');
});

test('while too many invitations wait another one is refused, and its link is not shown', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  await wait(accountId, 'invitation', 1_000);
  const body = { email: 'late@shop.example', role: 'orders' };
  const refused = await owner.request<{ url?: string; detail?: string }>('POST', '/people/invitations', { body });
  assert.deepEqual([refused.status, refused.headers.get('retry-after'), refused.body.url], [429, '600', undefined]);
  assert.match(refused.body.detail ?? '', /no one was invited\. Try again in ten minutes/);
  assert.deepEqual(await rows(service, "select from account_link where email = 'late@shop.example'", []), []);
});
