import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import type { Message } from '../../../src/lib/mail/message.ts';
import type { Operator } from '../../../src/lib/operator.ts';
import { cancelByOps } from '../../../src/refunds/cancel-by-ops.ts';
import { dyingAt } from '../../harness/dying.ts';
import { linesOf } from '../../harness/floor.ts';
import { openPerson } from '../../harness/oauth.ts';
import type { TestService } from '../../harness/service.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { type AskingShop, openAsking } from './asking.ts';

let at: AskingShop;
let admin: Awaited<ReturnType<TestService['openOperator']>>;
let owner: string;
before(async () => {
  // Nothing is sent: what is recorded is looked at.
  at = await openAsking({
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'shop@print.example',
    SELLER_NAME: 'Harbour Press',
  });
  admin = await at.service.openOperator('admin');
  owner = (await openPerson(at.service, at.shop.accountId, 'owner')).email;
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

type Mailed = { readonly kind: string; readonly recipient: string; readonly message: Message };

/** The mails that name an order, the first ones first. */
async function mailsAbout(order: { reference: string }): Promise<readonly Mailed[]> {
  const found = await rows<{ kind: string; recipient: string; sealed: Buffer; sealed_with: string }>(
    at.service,
    `select m.kind, m.recipient, c.sealed, c.sealed_with from mail m
     join mail_content c on c.account_id = m.account_id and c.mail_id = m.id order by m.id`,
  );
  return found
    .map(({ kind, recipient, sealed: bytes, sealed_with: keyId }) => ({
      kind,
      recipient,
      message: JSON.parse(at.service.ctx.secrets.unseal({ bytes, keyId })) as Message,
    }))
    .filter(({ message }) => JSON.stringify(message).includes(order.reference));
}

const act = (order: { id: string }, path: string, body: object, key: string = newId()) =>
  admin.request('POST', `/orders/${order.id}/${path}`, body, { 'idempotency-key': key });

test('an order that operators cancel is mailed with their reason, once for their Idempotency-Key', async () => {
  const order = await at.shop.place([2]);
  const cancel = () => act(order, 'cancel', { reason: 'The blank is gone.' }, 'undone-1');
  assert.equal((await cancel()).status, 200);
  assert.equal((await cancel()).status, 200);
  assert.equal((await act(order, 'cancel', { reason: 'Again.' })).status, 200, 'it is cancelled already');
  const [mail, ...more] = await mailsAbout(order);
  assert.deepEqual([mail?.kind, mail?.recipient, more], ['order_undone', owner, []]);
  assert.deepEqual(mail?.message.paragraphs, [
    `Harbour Press has cancelled the order ${order.reference}: The blank is gone.`,
    'What was refunded for it stands with the order.',
  ]);
  assert.ok(mail?.message.action?.url.endsWith(`/portal/orders/${order.reference}`));
});

test('so are pieces, the last of them as the order, and money that is kept', async () => {
  const order = await at.shop.place([3]);
  const [line] = linesOf(order);
  const pieces = { items: [{ line_id: line, quantity: 1 }], reason: 'Only two are left.' };
  assert.equal((await act(order, 'cancel', pieces)).status, 200);
  assert.equal((await act(order, 'cancel', { line_ids: [line], reason: 'None is left.', refund: 'none' })).status, 200);
  assert.deepEqual(
    (await mailsAbout(order)).map(({ message }) => message.paragraphs),
    [
      [
        `Harbour Press has cancelled pieces of the order ${order.reference}: Only two are left.`,
        'What was refunded for it stands with the order.',
      ],
      [`Harbour Press has cancelled the order ${order.reference}: None is left.`, 'Nothing is refunded for it.'],
    ],
  );
});

test('each refund of a part is mailed with its amount', async () => {
  const order = await at.shop.place([2]);
  for (const amount of [1.5, 1.5]) {
    assert.equal((await act(order, 'refunds', { amount_gbp: amount, reason: 'It came late.' })).status, 200);
  }
  const mails = await mailsAbout(order);
  assert.deepEqual(
    mails.map(({ kind, message }) => [kind, message.paragraphs]),
    [1, 2].map(() => [
      'order_undone',
      [`Harbour Press has refunded £1.50 of the order ${order.reference}: It came late.`],
    ]),
  );
});

test('what the customer did, or asked for, has no mail of this kind', async () => {
  const own = await at.shop.place([1]);
  assert.equal((await at.shop.request('POST', `/orders/${own.id}/cancel`)).status, 200);
  assert.deepEqual(await mailsAbout(own), []);
  const asked = await at.late([1]);
  const request = await at.asked(asked);
  assert.equal((await at.answer(request, 'accept', { message: 'As you asked.' })).status, 200);
  assert.deepEqual(
    (await mailsAbout(asked)).map(({ kind }) => kind),
    ['cancellation_answered'],
  );
});

test('a refusal mails nothing: the mail is of its transaction', async () => {
  const order = await at.shop.place([1]);
  const refused = [
    await act(order, 'refunds', { amount_gbp: 9_999, reason: 'x' }),
    await act(order, 'cancel', { line_ids: ['line_00000000000000000000000000'], reason: 'x' }),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [422, 422],
  );
  const production = await at.service.openOperator('production');
  const body = { amount_gbp: 1, reason: 'x' };
  assert.equal((await production.request('POST', `/orders/${order.id}/refunds`, body)).status, 403);
  assert.deepEqual(await mailsAbout(order), []);
});

test('N a process that dies in a cancel leaves no mail, and the same request again leaves one', async () => {
  const { email } = await at.service.openOperator('admin');
  const [row] = await rows<Pick<Operator, 'id'>>(at.service, 'select id from operator where email = $1', [email]);
  assert.ok(row);
  const operator: Operator = { id: row.id, tokenId: row.id, email, role: 'admin' };
  let survived = false;
  for (let statement = 1; !survived; statement += 1) {
    assert.ok(statement < 60, 'it ends');
    const order = await at.shop.place([1]);
    const request = {
      body: { reason: 'The blank is gone.' },
      once: { key: newId(), requestHash: Buffer.from('the same request') },
    };
    const { database, hasDied } = dyingAt(at.service.ctx.database, statement);
    await cancelByOps({ ...at.service.ctx, database }, operator, order.id, request).catch(() => undefined);
    survived = !hasDied();
    if (!survived) assert.deepEqual(await mailsAbout(order), [], `statement ${statement}`);
    await cancelByOps(at.service.ctx, operator, order.id, request);
    assert.equal((await mailsAbout(order)).length, 1, `statement ${statement}`);
  }
});
