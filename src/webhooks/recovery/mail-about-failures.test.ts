import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openAccount, type TestContext } from '../../../test/harness/context.ts';
import { openReceiverWorld, type ReceiverWorld, subscriptionId } from '../../../test/harness/receiver.ts';
import { createUser } from '../../accounts/create-user.ts';
import type { PersonRole } from '../../lib/caller.ts';
import { statement } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Message } from '../../lib/mail/message.ts';
import { changeSubscription } from '../change-subscription.ts';
import { createRecorder } from '../record.ts';

let world: ReceiverWorld;
let ctx: TestContext;
const sender = { url: new URL('smtp://127.0.0.1:1'), from: 'Platen <shop@print.example>' };
before(async () => {
  world = await openReceiverWorld();
  // Nothing is sent here: what is recorded is looked at.
  ctx = { ...world.ctx, config: { ...world.ctx.config, mail: sender as unknown as TestContext['config']['mail'] } };
});
after(() => world.close());
beforeEach(() => ctx.database.script('delete from mail'));

const MAILS = statement<{ kind: string; recipient: string; sealed: Buffer; sealed_with: string; jobs: number }>(
  'test_mails_of_webhooks',
  `select m.kind, m.recipient, c.sealed, c.sealed_with, (select count(*)::integer from job j where j.kind = 'mail') as jobs
   from mail m join mail_content c on c.account_id = m.account_id and c.mail_id = m.id
   where m.account_id = $1 order by m.id`,
);
const CLAIM = statement<{ id: Uuid }>(
  'test_claim_one',
  `update webhook_delivery set lease_token = $2
   where id = (select id from webhook_delivery where account_id = $1 and state = 'pending' and lease_token is null limit 1)
   returning id`,
);

/** A subscription of an account with people of these roles, and what records results of its attempts. */
async function subscribed(roles: readonly PersonRole[] = ['owner', 'manager', 'orders', 'reader']) {
  const caller = await openAccount(ctx);
  for (const role of roles) {
    await createUser(ctx, { ...caller, email: `${role}-${newId()}@shop.example`, password: 'a long password', role });
  }
  const subscription = await world.subscribe(caller, '/hooks/with-a-secret-path');
  const recorder = createRecorder(ctx, new AbortController().signal);
  const attempt = async (succeeded: boolean): Promise<void> => {
    await world.publish(caller);
    const leaseToken = newId();
    const claimed = await ctx.database.one(CLAIM, [caller.accountId, leaseToken]);
    assert.ok(claimed);
    await recorder.record({
      kind: 'attempted',
      outcome: {
        account: caller.accountId,
        delivery: claimed.id,
        subscription: subscriptionId(subscription),
        leaseToken,
        succeeded,
        attemptedAt: ctx.clock.now(),
        answer: null,
        responseCode: succeeded ? 204 : 500,
        error: succeeded ? null : 'The receiver answered 500; only 2xx counts as delivered.',
        retryAt: null,
      },
    });
  };
  const fail = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) await attempt(false);
  };
  const mails = async () =>
    (await ctx.database.all(MAILS, [caller.accountId])).map(({ kind, recipient, sealed, sealed_with: keyId }) => ({
      kind,
      role: recipient.split('-')[0],
      message: JSON.parse(ctx.secrets.unseal({ bytes: sealed, keyId })) as Message,
    }));
  const kinds = async () => (await mails()).map(({ kind, role }) => `${kind} ${role}`);
  return { caller, subscription, attempt, fail, mails, kinds };
}

test('owners and managers are warned at the tenth failure in a row, and get word when it is disabled', async () => {
  const { subscription, fail, mails, kinds } = await subscribed();
  await fail(9);
  assert.deepEqual(await kinds(), []);
  await fail(1);
  const warned = ['webhook_failing owner', 'webhook_failing manager'];
  assert.deepEqual(await kinds(), warned);
  await fail(4);
  assert.deepEqual(await kinds(), warned, 'once a run of failures');
  await fail(1);
  assert.deepEqual(await kinds(), [...warned, 'webhook_disabled owner', 'webhook_disabled manager']);
  const texts = (await mails()).map(({ message }) => [message.subject, ...message.paragraphs].join('\n'));
  assert.match(texts[0] ?? '', /^Your webhook at hooks\.example\.test:\d+ fails\n10 deliveries in a row/);
  assert.match(texts[2] ?? '', /was disabled\n15 deliveries in a row/);
  for (const text of texts) {
    assert.ok(text.includes(subscription.id) && text.includes('The receiver answered 500'));
    assert.ok(!text.includes('with-a-secret-path') && !text.includes(subscription.secret));
  }
});

test('a receiver that fails and recovers is reported once a day, and each disabling by itself', async () => {
  const { caller, subscription, attempt, fail, kinds } = await subscribed(['owner']);
  await fail(10);
  await attempt(true);
  await fail(10);
  assert.deepEqual(await kinds(), ['webhook_failing owner']);
  await fail(5);
  const resume = { body: { active: true }, unknownFields: [] };
  await changeSubscription(ctx, caller, subscription.id, resume);
  await fail(15);
  assert.deepEqual(await kinds(), ['webhook_failing owner', 'webhook_disabled owner', 'webhook_disabled owner']);
});

test('the matrix of mails says who gets them: one who wants none gets none, and a suspended account has none', async () => {
  const { caller, fail, mails, kinds } = await subscribed();
  const choose = (role: string, kind: string, isWanted: boolean) =>
    ctx.database.all(
      statement(
        'test_choose_mail',
        `insert into mail_choice (account_id, user_id, kind, is_wanted)
         select account_id, id, $3, $4 from account_user where account_id = $1 and role = $2`,
      ),
      [caller.accountId, role, kind, isWanted],
    );
  await choose('owner', 'webhook_failing', false);
  await choose('reader', 'webhook_failing', true);
  await choose('manager', 'webhook_disabled', false);
  await fail(15);
  assert.deepEqual(await kinds(), ['webhook_failing reader', 'webhook_failing manager', 'webhook_disabled owner']);
  const [footer] = (await mails()).map(({ message }) => message.footer);
  assert.match(footer ?? '', /Choose your mails: .*\/portal\/notifications$/);

  const suspended = await subscribed(['owner']);
  await ctx.database.all(statement('test_suspend', 'update account set suspended_at = $2 where id = $1'), [
    suspended.caller.accountId,
    ctx.clock.now(),
  ]);
  await suspended.fail(15);
  assert.deepEqual(await suspended.kinds(), []);
});

test('without a mail server failures are counted and nothing is recorded', async () => {
  const { caller, subscription, fail, kinds } = await subscribed(['owner']);
  const { mail } = ctx.config;
  ctx = { ...ctx, config: { ...ctx.config, mail: undefined } };
  const silent = await subscribed(['owner']);
  await silent.fail(15);
  ctx = { ...ctx, config: { ...ctx.config, mail } };
  assert.deepEqual(await silent.kinds(), []);
  assert.equal((await world.look(silent.caller, silent.subscription)).active, false);
  await fail(1);
  assert.deepEqual([await kinds(), (await world.look(caller, subscription)).failure_count], [[], 1]);
});
