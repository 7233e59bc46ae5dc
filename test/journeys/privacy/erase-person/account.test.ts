import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOauthClient } from '../../../../src/accounts/create-oauth-client.ts';
import { createUser } from '../../../../src/accounts/create-user.ts';
import { publicId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { setPaymentMethod } from '../../../../src/payments/method.ts';
import { runErasures } from '../../../../src/privacy/erase/worker.ts';
import type { ErasureReceipt } from '../../../../src/privacy/ops-schema.ts';
import { eventually } from '../../../harness/context.ts';
import { type Floor, openFloor } from '../../../harness/floor.ts';
import { type Mailbox, openMailbox } from '../../../harness/mailbox.ts';
import { openRole } from '../../../harness/portal.ts';
import { baseProductId } from '../../../harness/products.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { openShop, type Shop, servePicture } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { huntInDatabase } from '../hunt.ts';

const MARK = 'quagmire';
/** What it has proposed to an operator, and one that an operator has entered. */
const PROPOSED = 'DE123456788';
const ENTERED = 'FR83404833048';

let service: TestService;
let mailbox: Mailbox;
let floor: Floor;
let shop: Shop;
before(async () => {
  mailbox = await openMailbox();
  service = await startTestService({ env: mailbox.env });
  floor = await openFloor(service, 'admin');
  shop = await openShop(service, 2);
  const { ctx } = service;
  const { accountId } = shop.customer;
  await ctx.database.script(
    `update account set name = 'The ${MARK} works', vat_number = 'GB123456789' where id = '${accountId}'`,
  );
  await createUser(ctx, { accountId, email: `ada@${MARK}.example`, password: 'a password of the tests' });
  await createOauthClient(ctx, {
    accountId,
    name: `${MARK} app`,
    redirectUris: [`https://${MARK}.example/back`],
    scopes: ['orders:read'],
    isConfidential: true,
  });
  const entered = await floor.request('PATCH', `/accounts/${publicId('acct', accountId)}`, { vat_number: ENTERED });
  assert.equal(entered.status, 200, entered.text);
  const [mail] = await rows<{ once_key: string }>(service, "select once_key from mail where kind = 'vat_decided'");
  assert.ok(mail !== undefined && !mail.once_key.includes(ENTERED), mail?.once_key);
  const owner = await openRole(service, 'owner', accountId);
  const proposed = await owner.request('POST', '/company/vat-number', { body: { vat_number: PROPOSED } });
  assert.equal(proposed.status, 200, proposed.text);
  for (const isForAll of [true, false]) {
    const body = { page: 'orders', name: `${MARK} view`, filters: `number=${MARK}`, columns: [], is_for_all: isForAll };
    const saved = await owner.request('POST', '/views', { body });
    assert.equal(saved.status, 201, saved.text);
  }
  await setPaymentMethod(ctx, { accountId, kind: 'card', reference: `pm_${MARK}` });
  service.stranger.serve('/hook', { status: 500 });
  const url = `${service.stranger.url('/hook')}?${MARK}`;
  const hook = await shop.customer.request('POST', '/webhooks', { url, description: `${MARK} hook` });
  assert.equal(hook.status, 201, hook.text);
  const picture = await servePicture(service, '/own.png', { colour: '#13579b' });
  const product = await shop.customer.request('POST', '/products', {
    base_product_id: await baseProductId(service),
    variant_skus: ['TEE-CLASSIC-WHT-M'],
    name: `${MARK} tee`,
    description: `by ${MARK}`,
    tags: [MARK],
    decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: picture }] },
  });
  assert.equal(product.status, 201, product.text);
});
after(async () => {
  await service.stop();
  await mailbox.close();
});

const erase = (body: object = { whole_account: true }) =>
  floor.request<ErasureReceipt>('POST', `/accounts/${publicId('acct', shop.customer.accountId)}/erase`, body);

describe('an account that is erased', () => {
  let first: CreatedOrder;
  let second: CreatedOrder;

  test('must say so: nothing, or two subjects, is refused and changes nothing', async () => {
    const refusals = [
      [{}, /exactly one of order, recipient and whole_account/],
      [{ whole_account: true, order: 'PF-AAAAAAAA' }, /exactly one/],
      [{ recipient: { name: 'Ada' } }, /recipient\.postcode/],
      [{ recipient: { postcode: 'LS1 4DY' } }, /recipient\.name/],
      [{ recipient: { email: 'a@b.c', phone: '12345678' } }, /name with postcode, or email, or phone/],
      [{ recipient: { phone: '0' } }, /recipient\.phone/],
      [{ recipient: { name: '...', postcode: 'LS1' } }, /must name a person/],
      [{ whole_account: false }, /whole_account/],
    ] as const;
    for (const [body, says] of refusals) {
      const answer = await erase(body);
      assert.equal(answer.status, 422, answer.text);
      assert.match(answer.body.detail ?? '', says);
    }
    const unknown = await floor.request('POST', '/accounts/acct_00000000000000000000000000/erase', {
      whole_account: true,
    });
    assert.equal(unknown.status, 404);
    const foreign = await erase({
      order: (await service.customer.request<CreatedOrder>('POST', '/orders', {})).body.id ?? 'PF-AAAAAAAA',
    });
    assert.equal(foreign.status, 404);
    assert.deepEqual(await rows(service, 'select id from erasure'), []);
  });

  test('is refused while it has a balance: the refusal says what to settle first', async () => {
    const answer = await erase();
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    assert.match(answer.body.detail ?? '', /pay out its balance of £\d/);
    assert.equal((await shop.customer.request('GET', '/orders')).status, 200, 'it is not suspended');
  });

  test('is suspended at once; what orders that are being made need stays until they have ended', async () => {
    for (const notes of [`first ${MARK}`, `second ${MARK}`]) {
      const placed = await shop.order({ notes });
      assert.deepEqual([placed.status, placed.body.payment_status], [201, 'paid'], placed.text);
      if (notes.startsWith('first')) first = placed.body;
      else second = placed.body;
    }
    const failed = 'select id from webhook_delivery where account_id = $1 and error is not null';
    await eventually('a failure', async () => (await rows(service, failed, [shop.customer.accountId])).length > 0);
    // Of a host that the operator trusts no answer is kept; of any other it would be this.
    await service.ctx.database.all(
      {
        name: 'test_answer',
        text: 'update webhook_delivery set answer = $2 where account_id = $1 and error is not null',
      },
      [shop.customer.accountId, `${MARK} in an answer`],
    );
    await floor.post(`/orders/${first.id}/promote`, {});
    const [line] = first.items.lineItems;
    await floor.post(`/orders/${first.id}/lines/${line?.id}/start`, {});
    const items = [{ line_id: line?.id, quantity: line?.quantity }];
    await floor.post(`/orders/${first.id}/shipments`, { carrier: 'RM', tracking_number: 'A1', items }, 201);
    const { status, body } = await erase();
    assert.equal(status, 200);
    assert.deepEqual(
      [body.scope, body.state, body.orders_erased, body.waiting_for],
      ['account', 'in_progress', 1, [second.reference]],
    );
    // A look-up of a token counts for a second.
    const isRefused = async () => (await shop.customer.request('GET', '/orders')).status === 401;
    await eventually('the token is refused', isRefused, 2_000);
    const [account] = await rows<{ name: string }>(service, 'select name from account where id = $1', [
      shop.customer.accountId,
    ]);
    assert.equal(account?.name, `The ${MARK} works`, 'the invoice of the second order needs it');
    assert.deepEqual(
      await rows(service, 'select id from account_user where account_id = $1', [shop.customer.accountId]),
      [],
    );
  });

  test('is gone from every table once they have ended, but for what its documents and books must keep', async () => {
    await floor.post(`/orders/${second.id}/promote`, {});
    const [line] = second.items.lineItems;
    await floor.post(`/orders/${second.id}/lines/${line?.id}/start`, {});
    const items = [{ line_id: line?.id, quantity: line?.quantity }];
    await floor.post(`/orders/${second.id}/shipments`, { carrier: 'RM', tracking_number: 'A2', items }, 201);
    service.shiftMs(11 * 60_000);
    await runErasures(service.ctx);
    const { body } = await erase();
    assert.deepEqual([body.state, body.orders_erased, body.files_waiting], ['done', 2, 0]);
    assert.deepEqual(
      await huntInDatabase(service.ctx.database, MARK),
      ['invoice.document'],
      'the buyer of the invoice',
    );
    assert.deepEqual(await huntInDatabase(service.ctx.database, PROPOSED), [], 'what it has proposed');
    assert.deepEqual(await huntInDatabase(service.ctx.database, ENTERED), ['invoice.document']);
    const open = 'select kind from ops_task where account_id = $1 and order_id is null and closed_at is null';
    assert.deepEqual(await rows(service, open, [shop.customer.accountId]), [], 'nobody is asked about it any more');
    const left = await rows<{ count: number }>(
      service,
      `select (select count(*) from design where account_id = $1) + (select count(*) from access_token where account_id = $1)
         + (select count(*) from payment_method where account_id = $1) + (select count(*) from product_area where account_id = $1) as count`,
      [shop.customer.accountId],
    );
    assert.equal(left[0]?.count, 0);
    await assertSound(service);
  });

  test('has its receipt in the list of erasures, and by its id', async () => {
    const list = await floor.request<{ data: ErasureReceipt[] }>('GET', '/erasures?limit=1');
    const { body } = await erase();
    assert.deepEqual(list.body.data, [body]);
    const one = await floor.request<ErasureReceipt>('GET', `/erasures/${body.id}`);
    assert.deepEqual(one.body, body);
  });
});
