import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NewInvitation } from '../../../src/accounts/portal/link-schema.ts';
import type { Session } from '../../../src/accounts/portal/schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { linkIn, type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { openPerson } from '../../harness/oauth.ts';
import { call, openRole, PASSWORD, signIn } from '../../harness/portal.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
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

const password = 'a password of their own';

function ask(email: string, at: TestService = service): Promise<Answer<ErrorReply>> {
  return call(at, 'POST', '/portal/api/v1/password-resets', { body: { email }, headers: { origin: at.url } });
}

function use(url: string): Promise<Answer<Session>> {
  const body = { token: new URL(url).hash.slice(1), password };
  return call(service, 'POST', '/portal/api/v1/links/accept', { body, headers: { origin: service.url } });
}

test('who forgot the password gets a mail with a link, which works once; the old one goes on until then', async () => {
  const person = await openPerson(service);
  const { status, text } = await ask(` ${person.email.toUpperCase()} `);
  assert.deepEqual([status, text], [202, '']);
  const mail = await mailbox.mailTo(person.email);
  assert.equal(mail.subject, 'A new password for Harbour Press');
  assert.match(mail.text, /Someone asked for a new password for your sign-in for Demo Print Club\./);
  assert.match(mail.text, /works once, until \d\d:\d\d UTC on \d{1,2} \w+ \d{4}\./);
  assert.ok(mail.html.includes(linkIn(mail)));
  assert.equal((await signIn(service, { email: person.email, password: PASSWORD })).status, 201);
  assert.equal((await use(linkIn(mail))).status, 201);
  assert.equal((await use(linkIn(mail))).status, 404);
  assert.equal((await signIn(service, { email: person.email, password: PASSWORD })).status, 401);
  const stored = await rows(service, "select * from mail where kind = 'password_reset'", []);
  assert.ok(!JSON.stringify(stored).includes(new URL(linkIn(mail)).hash.slice(1)));
});

test('an unknown address, a disabled person and a suspended account get the same answer and no mail', async () => {
  const disabled = await openRole(service, 'reader');
  const admin = await service.openOperator('admin');
  await admin.request('POST', `/users/${disabled.session.user.id}/disable`, {});
  const { accountId } = await service.openCustomer();
  const suspended = await openPerson(service, accountId);
  await admin.request('POST', `/accounts/${publicId('acct', accountId)}/suspend`, { reason: 'unpaid' });
  const known = await openPerson(service);
  const answers = [];
  for (const email of ['unknown@shop.example', disabled.person.email, suspended.email, known.email]) {
    const { status, text } = await ask(email);
    answers.push([status, text]);
  }
  assert.deepEqual(answers, Array(4).fill([202, '']));
  // The jobs run in their order, so this one is the last.
  await mailbox.mailTo(known.email);
  for (const email of ['unknown@shop.example', disabled.person.email, suspended.email]) {
    assert.deepEqual(mailbox.mailsTo(email), [], email);
  }
  assert.deepEqual(await rows(service, "select from job where kind = 'password_reset'", []), []);
});

test('the fourth request of an hour for an address is 429, known or not, and one of nonsense 422', async () => {
  const person = await openPerson(service);
  for (const email of [person.email, 'nobody-of-us@shop.example']) {
    const answers = [];
    for (let time = 0; time < 4; time += 1) answers.push(await ask(email));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 202, 429],
      email,
    );
    assert.equal(answers.at(-1)?.body.code, 'rate_limited');
    assert.ok(Number(answers.at(-1)?.headers.get('retry-after')) > 3_000);
  }
  assert.deepEqual(problemsOf(await ask('nonsense')), ['email pattern']);
  assert.ok(mailbox.mailsTo(person.email).length <= 3);
});

test('an invitation is mailed by name, and its link is not shown to the person who invites', async () => {
  const owner = await openRole(service, 'owner');
  const body = { email: 'bob@shop.example', role: 'orders' };
  const answer = await owner.request<NewInvitation>('POST', '/people/invitations', { body });
  assert.deepEqual([answer.status, answer.body.mailed, answer.body.url], [201, true, undefined]);
  const mail = await mailbox.mailTo('bob@shop.example');
  assert.equal(mail.subject, 'An invitation to sign in at Harbour Press', 'without what a customer calls itself');
  assert.match(mail.text, new RegExp(`${owner.person.email} invites you to sign in for Demo Print Club`));
  assert.match(mail.text, /as one who places and follows orders\./);
  const used = await use(linkIn(mail));
  assert.deepEqual([used.status, used.body.user.role], [201, 'orders']);
});

test('an operator has a link mailed and does not see it', async () => {
  const client = await openRole(service, 'manager');
  const admin = await service.openOperator('admin');
  type Made = { url: string | null; mailed: boolean };
  const path = `/users/${client.session.user.id}/password-link`;
  const { body } = await admin.request<Made>('POST', path, { reason: 'forgotten' });
  assert.deepEqual([body.url, body.mailed], [null, true]);
  const mail = await mailbox.mailTo(client.person.email);
  assert.match(mail.text, /Harbour Press sends you a link to a new password for Demo Print Club\./);
  assert.equal((await use(linkIn(mail))).body.user.role, 'manager');
});
