import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mintToken } from '../../../../src/accounts/mint-token.ts';
import { openTask } from '../../../../src/accounts/open-task.ts';
import { OPS_ROUTES } from '../../../../src/app/ops-routes.ts';
import { creditAccount } from '../../../../src/billing/credit-account.ts';
import { newId, parseId, publicId } from '../../../../src/lib/ids.ts';
import { pence } from '../../../../src/lib/money.ts';
import { dayAfter } from '../../../../src/lib/seller-day.ts';
import type { TSchema } from '../../../../src/lib/typebox.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { setPaymentMethod } from '../../../../src/payments/method.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { callBack } from '../../../harness/card-shop.ts';
import { eventually } from '../../../harness/context.ts';
import { closeWindow, linesOf, openShippingShop, parcelOf, type ShippingShop, TOTE } from '../../../harness/floor.ts';
import {
  authorizePath,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  reachPage,
  signInOn,
} from '../../../harness/oauth.ts';
import { disputeOf, type FakeProvider, startProvider } from '../../../harness/provider.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let provider: FakeProvider;
let service: TestService;
let shop: ShippingShop;
let admin: OperatorClient;
before(async () => {
  provider = await startProvider();
  service = await startTestService({ env: provider.env });
  shop = await openShippingShop(service);
  admin = await service.openOperator('admin');
});
after(async () => {
  const broken = (await verify(service.ctx)).checks.flatMap(({ violations }) => violations);
  await service.stop();
  await provider.close();
  assert.deepEqual(broken, []);
});

type Asked = { readonly path: string; readonly body?: object };

/** An order of a connected shop that waits for a person. */
async function aShopOrder(): Promise<string> {
  const { accountId } = service.customer;
  const [channel, id] = [newId(), newId()];
  await service.ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
      values ('${accountId}', '${channel}', 'signed', 'Shop', 'active', now());
    insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, reason, content,
      digest, items, ordered_at, received_at)
      values ('${accountId}', '${id}', '${channel}', '1', '#1', now(), 'waiting', 'high_risk',
        '{"id": "1", "test": true, "ordered_at": "2026-11-26T12:00:00.000Z", "items": [], "shipping_address": {}}', '', '[]', now(), now())`);
  return publicId('sho', id);
}

/** An order of a linked shop, which is to be reported of it. */
async function aReportedOrder(): Promise<string> {
  const id = await aShopOrder();
  await service.ctx.database.script(`
    insert into channel_link (account_id, channel_id, address, sealed, since, next_sync_at)
      select account_id, channel_id, 'https://shop.example', '', now(), now() + interval '1 year' from channel_order
      where id = '${parseId('sho', id)}';
    insert into channel_report (account_id, shop_order_id, channel_id)
      select account_id, id, channel_id from channel_order where id = '${parseId('sho', id)}'`);
  return id;
}

/** A linked shop in which a product of the account is published. */
async function aLinkedShop(): Promise<string> {
  const channel = newId();
  await service.ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
      values ('${service.customer.accountId}', '${channel}', 'woocommerce', 'Shop', 'active', now());
    insert into channel_link (account_id, channel_id, address, sealed, since, next_sync_at, retry_at)
      values ('${service.customer.accountId}', '${channel}', 'https://shop.example', '', now(), now() + interval '1 year',
        now() + interval '1 year');
    insert into channel_product (account_id, channel_id, product_id, requested_at)
      values ('${service.customer.accountId}', '${channel}', '${parseId('prod', service.demo.products.fixed)}', now())`);
  return publicId('chan', channel);
}

/** An order of a customer whose balance does not cover it. */
async function unpaid(): Promise<{ customer: Customer; order: CreatedOrder }> {
  const customer = await service.openCustomer();
  const product_id = await addProduct(service, customer, 'TOTE-COTTON');
  const items = [{ product_id, variant_sku: TOTE, quantity: 1, print_jobs: [] }];
  const answer = await customer.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.deepEqual([answer.status, answer.body.payment_status], [201, 'failed']);
  return { customer, order: answer.body };
}

/** An order that a card paid and that was cancelled: its refund is to be made by hand. */
async function owed(): Promise<Asked> {
  const { customer, order } = await unpaid();
  await setPaymentMethod(service.ctx, { accountId: customer.accountId, kind: 'card', reference: `pm_${newId()}` });
  assert.equal((await admin.request('POST', `/orders/${order.id}/retry-payment`)).status, 200);
  const { body } = await admin.request<OpsOrder>('POST', `/orders/${order.id}/cancel`, { reason: 'asked for' });
  const payment = body.refunds.find(({ status }) => status === 'pending')?.payment_id;
  assert.ok(payment, 'nothing is owed');
  return { path: `/orders/${order.id}/refunds/${payment}/paid` };
}

/** An order whose payment by card is disputed. */
async function returned(): Promise<Asked> {
  const { customer, order } = await unpaid();
  await setPaymentMethod(service.ctx, { accountId: customer.accountId, kind: 'card', reference: `pm_${newId()}` });
  assert.equal((await admin.request('POST', `/orders/${order.id}/retry-payment`)).status, 200);
  const intent = provider.intents.at(-1);
  assert.ok(intent);
  await callBack({ service, provider }, 'charge.dispute.funds_withdrawn', disputeOf(intent));
  const { body } = await admin.request<OpsOrder>('GET', `/orders/${order.id}`);
  return { path: `/orders/${order.id}/payments/${body.payment_attempts[0]?.id}/recovered` };
}

/** An order whose charge nobody knows the end of, and that no worker looks at. */
async function unheard(): Promise<Asked> {
  const { customer, order } = await unpaid();
  await setPaymentMethod(service.ctx, { accountId: customer.accountId, kind: 'card', reference: `pm_${newId()}` });
  provider.fail('confirm', '500');
  assert.equal((await admin.request('POST', `/orders/${order.id}/retry-payment`)).status, 200);
  await service.ctx.database.script(
    `update payment_attempt set look_at = look_at + interval '1 day' where account_id = '${customer.accountId}'`,
  );
  const { body } = await admin.request<OpsOrder>('GET', `/orders/${order.id}`);
  const path = `/orders/${order.id}/payment-attempts/${body.payment_attempts[0]?.id}/resolve`;
  return { path, body: { outcome: 'failed', reason: 'The provider shows none.' } };
}

/** A sign-up that waits; how one comes to is in its own journeys. */
async function aSignUp(): Promise<string> {
  const id = newId();
  const text = `insert into sign_up (id, email, name, company, country_code, created_at, ends_at, confirmed_at, password_hash)
     values ($1, $2, 'Ada', 'Byron Ltd', 'GB', $3, $4, $3, 'x')`;
  const now = service.ctx.clock.now();
  const endsAt = new Date(now.getTime() + 86_400_000);
  await service.ctx.database.all({ name: 'test_sign_up', text }, [id, `${id}@shop.example`, now, endsAt]);
  return publicId('sup', id);
}

/** A problem with a tote that was sent. */
async function aProblem(): Promise<string> {
  const order = await shop.placeStarted([2]);
  await shop.ship(order, parcelOf(order, [2]));
  const items = [{ line_id: linesOf(order)[0], quantity: 1 }];
  const problem = { kind: 'damaged', text: 'It is torn.', items };
  const { status, text, body } = await shop.request<{ id: string }>('POST', `/orders/${order.id}/problems`, problem);
  assert.equal(status, 201, text);
  return body.id;
}

/** A request to cancel an order of totes, which nothing is done for yet. */
async function aRequest(): Promise<string> {
  const order = await shop.place([2]);
  await closeWindow(service, order);
  const path = `/orders/${order.id}/cancellation-request`;
  const { status, text, body } = await shop.request<{ id: string }>('POST', path, { reason: 'changed_mind' });
  assert.equal(status, 201, text);
  return body.id;
}

/** For each operation a request that does what it is for. */
const VALID: Readonly<Record<string, () => Promise<Asked>>> = {
  cancelOrder: async () => ({
    path: `/orders/${(await shop.place([1])).id}/cancel`,
    body: { reason: 'asked by phone' },
  }),
  refundOrder: async () => ({
    path: `/orders/${(await shop.place([1])).id}/refunds`,
    body: { amount_gbp: 1.5, reason: 'late' },
  }),
  markRefundPaid: owed,
  changeAccount: async () => {
    const { accountId } = await service.openCustomer();
    return { path: `/accounts/${publicId('acct', accountId)}`, body: { vat_number: 'GB123456789' } };
  },
  resolvePaymentAttempt: unheard,
  creditAccount: async () => {
    const { accountId } = await service.openCustomer();
    return { path: `/accounts/${publicId('acct', accountId)}/credits`, body: { amount_gbp: 5, reference: newId() } };
  },
  correctEntry: async () => ({
    path: '/books/corrections',
    body: { entry_id: await anEntry(), reason: 'typed wrongly' },
  }),
  recordEntry: async () => ({ path: '/books/entries', body: bankCharge() }),
  approveEntry: async () => ({ path: `/books/entries/${await aProposal()}/approve` }),
  refuseEntry: async () => ({ path: `/books/entries/${await aProposal()}/refuse`, body: { reason: 'not right' } }),
  makeJournal: async () => ({ path: '/books/journals', body: { to: await nextJournalDay() } }),
  withdrawBalance: async () => ({
    path: `${await anAccountWithBalance()}/withdrawals`,
    body: { amount_gbp: 5, reference: newId(), reason: 'The customer leaves.' },
  }),
  writeOff: async () => ({
    path: `${await anAccountWithBalance()}/write-offs`,
    body: { of: 'balance', amount_gbp: 5, reason: 'unclaimed for six years' },
  }),
  markPaymentRecovered: returned,
  settleOrder: async () => ({ path: `/orders/${(await unpaid()).order.id}/settle` }),
  retryPayment: async () => {
    const { customer, order } = await unpaid();
    const credit = { accountId: customer.accountId, amountPence: pence(1_000_000), reference: 'R' };
    await creditAccount(service.ctx, credit);
    return { path: `/orders/${order.id}/retry-payment` };
  },
  promoteOrders: async () => ({ path: '/orders/promote', body: { ids: [(await shop.place([1])).id] } }),
  promoteOrder: async () => ({ path: `/orders/${(await shop.place([1])).id}/promote` }),
  holdOrder: async () => ({
    path: `/orders/${(await shop.place([1])).id}/hold`,
    body: { reason: 'looks wrong', code: 'artwork' },
  }),
  resumeOrder: async () => {
    const { id } = await shop.place([1]);
    await admin.request('POST', `/orders/${id}/hold`, { reason: 'looks wrong' });
    return { path: `/orders/${id}/resume` };
  },
  pauseLine: async () => {
    const order = await shop.placeStarted([2]);
    return {
      path: `/orders/${order.id}/lines/${linesOf(order)[0]}/pause`,
      body: { reason: 'ink is late', code: 'ink' },
    };
  },
  resumeLine: async () => {
    const order = await shop.placeStarted([2]);
    const at = `/orders/${order.id}/lines/${linesOf(order)[0]}`;
    await admin.request('POST', `${at}/pause`, { reason: 'ink is late' });
    return { path: `${at}/resume` };
  },
  startLine: async () => {
    const order = await shop.place([1]);
    await admin.request('POST', `/orders/${order.id}/promote`);
    return { path: `/orders/${order.id}/lines/${linesOf(order)[0]}/start` };
  },
  startLines: async () => {
    const order = await shop.place([1, 2]);
    await admin.request('POST', `/orders/${order.id}/promote`);
    return { path: `/orders/${order.id}/start`, body: { line_ids: linesOf(order) } };
  },
  retryPrintFiles: async () => {
    const placed = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
    assert.equal(placed.status, 201);
    await eventually('its print file is made, and then lost', async () => {
      const lost = await rows(
        service,
        `update print_file set state = 'failed', output_hash = null, ready_at = null, failure = 'lost' where state = 'ready' and key = (
           select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $1) returning 1`,
        [placed.body.reference],
      );
      return lost.length > 0;
    });
    return { path: `/orders/${placed.body.id}/print-files/retry` };
  },
  finishPieces: async () => {
    const { id } = await shop.placeStarted([2]);
    const order = await shop.see({ id });
    return { path: `/orders/${id}/lines/${order.lines[0]?.id}/finish`, body: { quantity: 1 } };
  },
  spoilPieces: async () => {
    const order = await shop.placeStarted([2]);
    return { path: `/orders/${order.id}/lines/${linesOf(order)[0]}/spoil`, body: { quantity: 1, reason: 'torn' } };
  },
  replacePieces: async () => {
    const order = await shop.placeStarted([2]);
    await shop.ship(order, parcelOf(order, [2]));
    const items = [{ line_id: linesOf(order)[0], quantity: 1 }];
    return { path: `/orders/${order.id}/replacement`, body: { items, reason: 'arrived torn' } };
  },
  replaceForProblem: async () => ({ path: `/problems/${await aProblem()}/replace`, body: { message: 'Another one.' } }),
  refundForProblem: async () => ({
    path: `/problems/${await aProblem()}/refund`,
    body: { amount_gbp: 1, message: 'It was torn.' },
  }),
  placeShopOrder: async () => ({ path: `/shop-orders/${await aShopOrder()}/place` }),
  ignoreShopOrder: async () => ({ path: `/shop-orders/${await aShopOrder()}/ignore` }),
  reportShopOrder: async () => ({ path: `/shop-orders/${await aReportedOrder()}/report` }),
  correctShopAddress: async () => ({ path: `/shop-orders/${await aShopOrder()}/address`, body: HOME }),
  changeChannel: async () => ({ path: `/channels/${await aLinkedShop()}`, body: { needs_approval: true } }),
  setChannelItem: async () => ({
    path: `/channels/${await aLinkedShop()}/items`,
    body: { key: 'variant 1', title: 'A mug', not_ours: true },
  }),
  forgetChannelItem: async () => ({
    path: `/channels/${await aLinkedShop()}/items/forget`,
    body: { key: 'variant 1' },
  }),
  pauseChannel: async () => ({ path: `/channels/${await aLinkedShop()}/pause` }),
  resumeChannel: async () => ({ path: `/channels/${await aLinkedShop()}/resume` }),
  syncChannel: async () => ({ path: `/channels/${await aLinkedShop()}/sync` }),
  disconnectChannel: async () => ({ path: `/channels/${await aLinkedShop()}/disconnect` }),
  retryChannelProduct: async () => ({
    path: `/channels/${await aLinkedShop()}/products/${service.demo.products.fixed}/retry`,
  }),
  acceptCancellationRequest: async () => ({
    path: `/cancellation-requests/${await aRequest()}/accept`,
    body: { message: 'It is cancelled.' },
  }),
  refuseCancellationRequest: async () => ({
    path: `/cancellation-requests/${await aRequest()}/refuse`,
    body: { message: 'It is packed.' },
  }),
  refuseProblem: async () => ({ path: `/problems/${await aProblem()}/refuse`, body: { message: 'It is as ordered.' } }),
  shipOrder: async () => {
    const order = await shop.placeStarted([2]);
    return { path: `/orders/${order.id}/shipments`, body: parcelOf(order, [1]) };
  },
  correctShipment: async () => {
    const order = await shop.placeStarted([2]);
    const { body } = await shop.ship(order, parcelOf(order, [1]));
    return { path: `/orders/${order.id}/shipments/${body.shipment_id}`, body: { tracking_number: 'RM2' } };
  },
  changeAddress: async () => ({
    path: `/orders/${(await shop.place([1])).id}/address`,
    body: { line1: '14 Mill Lane' },
  }),
  receiveStock: async () => ({
    path: '/stock/receipts',
    body: { items: [{ sku: TOTE, quantity: 5 }], reference: 'DN-1' },
  }),
  countStock: async () => ({
    path: '/stock/counts',
    body: { items: [{ sku: TOTE, on_hand: 5_000 }], reason: 'counted' },
  }),
  adjustStock: async () => ({
    path: '/stock/adjustments',
    body: { items: [{ sku: TOTE, change: 1 }], reason: 'found' },
  }),
  retryAllPrintFiles: async () => ({ path: '/print-files/retry' }),
  flushWebhooks: async () => ({ path: '/webhooks/flush' }),
  closeTask: async () => {
    const task = { accountId: shop.accountId, orderId: null, kind: 'look', note: 'Look at it.' };
    const id = await openTask(service.ctx.database, task, service.ctx.clock.now());
    return { path: `/tasks/${publicId('task', id)}/close` };
  },
  erasePerson: async () => ({
    path: `/accounts/${publicId('acct', shop.accountId)}/erase`,
    body: { order: (await shop.place([1])).id, reason: 'request 7' },
  }),
  exportPerson: async () => ({
    path: `/accounts/${publicId('acct', shop.accountId)}/export-person`,
    body: { order: (await shop.place([1])).id },
  }),
  suspendAccount: async () => ({ path: `${await anAccount()}/suspend`, body: { reason: 'unpaid' } }),
  resumeAccount: async () => ({ path: `${await anAccount()}/resume`, body: { reason: 'paid' } }),
  revokeToken: async () => {
    const { id } = await mintToken(service.ctx, { accountId: shop.accountId });
    return { path: `/tokens/${publicId('tok', id)}/revoke`, body: { reason: 'leaked' } };
  },
  revokeOperatorToken: async () => {
    const { email } = await service.openOperator('viewer');
    const { body } = await admin.request<{ data: { id: string }[] }>('GET', `/operator-tokens?email=${email}`);
    return { path: `/operator-tokens/${body.data[0]?.id}/revoke`, body: { reason: 'leaked' } };
  },
  disableOperator: async () => {
    const { email } = await service.openOperator('viewer');
    return { path: '/operators/disable', body: { email, reason: 'left' } };
  },
  enableOperator: async () => {
    const { email } = await service.openOperator('viewer');
    return { path: '/operators/enable', body: { email, reason: 'came back' } };
  },
  changeBilling: async () => ({
    path: `${await anAccount()}/billing`,
    body: {
      legal_name: 'Byron Ltd',
      address: { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' },
    },
  }),
  disableUser: async () => ({ path: `${await aUser()}/disable`, body: { reason: 'left' } }),
  enableUser: async () => ({ path: `${await aUser()}/enable`, body: { reason: 'is back' } }),
  setUserPassword: async () => ({
    path: `${await aUser()}/password`,
    body: { password: 'another long password', reason: 'forgotten' },
  }),
  removeSecondFactor: async () => ({ path: `${await aUser()}/remove-second-factor`, body: { reason: 'lost' } }),
  approveSignUp: async () => ({ path: `/sign-ups/${await aSignUp()}/approve`, body: { reason: 'a good shop' } }),
  refuseSignUp: async () => ({ path: `/sign-ups/${await aSignUp()}/refuse`, body: { reason: 'no shop' } }),
  inviteUser: async () => ({
    path: `${await anAccount()}/invitations`,
    body: { email: 'invited@example.com', role: 'owner', reason: 'a new customer' },
  }),
  withdrawUserInvitation: async () => {
    const invited = { email: 'invited@example.com', role: 'owner' };
    const { body } = await admin.request<{ id: string }>('POST', `${await anAccount()}/invitations`, invited);
    return { path: `/invitations/${body.id}/withdraw`, body: { reason: 'a wrong address' } };
  },
  makePasswordLink: async () => ({ path: `${await aUser()}/password-link`, body: { reason: 'forgotten' } }),
  revokeSession: async () => {
    const person = await openPerson(service, shop.accountId);
    const browser = openBrowser(service);
    const question = await reachPage(browser, authorizePath(await openApp(service)));
    await signInOn(browser, question, person);
    const account = publicId('acct', shop.accountId);
    const { body } = await admin.request<{ data: { id: string }[] }>('GET', `/accounts/${account}/sessions`);
    return { path: `/sessions/${body.data[0]?.id}/revoke`, body: { reason: 'left open' } };
  },
  rotateOauthClient: async () => ({ path: `${await anApp()}/rotate`, body: { reason: 'leaked' } }),
  removeOauthClient: async () => ({ path: `${await anApp()}/remove`, body: { reason: 'sold' } }),
  revokeOauthGrant: async () => {
    const app = await openApp(service);
    await obtainTokens(service, app, await openPerson(service));
    const { body } = await admin.request<{ data: { id: string }[] }>('GET', `/oauth-grants?client=${app.clientId}`);
    return { path: `/oauth-grants/${body.data[0]?.id}/revoke`, body: { reason: 'asked for' } };
  },
  revokeOauthGrants: async () => ({
    path: '/oauth-grants/revoke',
    body: { account: publicId('acct', shop.accountId), reason: 'asked for' },
  }),
};

/** The day that the next journal begins on; the first has a day in the past. */
async function nextJournalDay(): Promise<string> {
  const { body } = await admin.request<{ data: { to: string }[] }>('GET', '/books/journals?limit=1');
  const last = body.data[0]?.to;
  if (last !== undefined) return dayAfter(last);
  const first = { from: '2026-01-01', to: '2026-01-01' };
  assert.equal((await admin.request('POST', '/books/journals', first)).status, 201);
  return '2026-01-02';
}

const bankCharge = () => ({ kind: 'bank_charge', amount_gbp: 5, reference: newId(), reason: 'account fee' });

async function anEntry(): Promise<string> {
  const { body } = await admin.request<{ id: string }>('POST', '/books/entries', bankCharge());
  return body.id;
}

async function aProposal(): Promise<string> {
  const adjustment = { kind: 'adjustment', debit: 'suspense', credit: 'bank', amount_gbp: 900 };
  const asked = { ...adjustment, reference: newId(), reason: 'unknown' };
  const { body } = await admin.request<{ id: string; status: string }>('POST', '/books/entries', asked);
  assert.equal(body.status, 'proposed');
  return body.id;
}

async function anAccountWithBalance(): Promise<string> {
  const { accountId } = await service.openCustomer();
  await creditAccount(service.ctx, { accountId, amountPence: pence(10_000), reference: 'R' });
  return `/accounts/${publicId('acct', accountId)}`;
}

const anAccount = async (): Promise<string> =>
  `/accounts/${publicId('acct', (await service.openCustomer()).accountId)}`;

const aUser = async (): Promise<string> => `/users/${publicId('user', (await openPerson(service)).id)}`;

const anApp = async (): Promise<string> => `/oauth-clients/${(await openApp(service)).clientId}`;

type Row = { action: string; order_id: string | null; detail: object; idempotency_key: string | null };

const auditOf = async (operator: OperatorClient): Promise<readonly Row[]> =>
  rows<Row>(
    service,
    `select action, order_id, detail, idempotency_key from operator_action where operator_id = $1 and idempotency_key !~ ' '
     order by id`,
    [operator.id],
  );

/** How much there is of what an action can write. */
async function trace(): Promise<unknown> {
  const counted = ['orders', 'order_history', 'posting', 'event', 'refund', 'shipment', 'stock_movement', 'allocation'];
  const counts = counted.map((table) => `(select count(*) from ${table}) as ${table}`).join(', ');
  return (await rows(service, `select ${counts}`))[0];
}

describe('every action of an operator is in the audit log, once, however often it is asked for', () => {
  for (const route of OPS_ROUTES.filter(({ method }) => method !== 'GET')) {
    test(`${route.method} ${route.path}: one entry with its effect, none for a repeat, 409 for another request under the key`, async () => {
      const ask = VALID[route.operationId];
      assert.ok(ask !== undefined, `${route.operationId} has no valid request here`);
      const { path, body } = await ask();
      const operator = await service.openOperator('admin');
      const key = `key-${newId()}`;
      const send = (changed: object | undefined = body, to = path) =>
        operator.request<Record<string, unknown> | undefined>(route.method, to, changed, { 'idempotency-key': key });

      const unknown = await send({ ...body, card_number: '4111' });
      assert.deepEqual([unknown.status, unknown.body?.code], [422, 'validation_failed'], unknown.text);
      assert.deepEqual(await auditOf(operator), [], 'a refusal leaves its key free, and no entry');
      const first = await send();
      assert.ok([200, 201].includes(first.status), first.text);
      const [entry, ...others] = await auditOf(operator);
      assert.ok(entry !== undefined && others.length === 0, 'one entry');
      assert.match(entry.action, /^[a-z]+(_[a-z]+)*$/);
      assert.equal(entry.idempotency_key, key);
      assert.equal(
        entry.order_id !== null,
        /^\/(orders|problems|cancellation-requests)\/:id/.test(route.path),
        'the order is named',
      );

      const written = await trace();
      const second = await send();
      assert.equal(second.status, first.status, second.text);
      // A file stands in the text alone.
      assert.equal(second.body?.id, first.body?.id);
      assert.deepEqual(await trace(), written, 'the repeat wrote something');
      const other = await valid(ask, route.body);
      const third = await send(other.body, other.path);
      assert.deepEqual([third.status, third.body?.code], [409, 'conflict'], third.text);
      assert.equal((await auditOf(operator)).length, 1);
    });
  }

  /** Another request of the same kind: for another order, or with another body. */
  async function valid(ask: () => Promise<Asked>, schema: TSchema | undefined): Promise<Asked> {
    const asked = await ask();
    if (/^\/(orders|tasks)\//.test(asked.path) && asked.path !== '/orders/promote') return asked;
    if (asked.body === undefined) return VALID.closeTask?.() ?? asked;
    const known = schema !== undefined && 'properties' in schema ? Object.keys(schema.properties as object) : [];
    const changes = {
      reference: 'other',
      reason: 'other',
      message: 'other',
      ids: ['x'],
      vat_number: null,
      company_number: '7',
      delay_minutes: 7,
      key: 'other',
      line1: 'other',
      to: '2026-01-31',
    };
    const own = Object.entries(changes).filter(([name]) => known.includes(name));
    assert.ok(own.length > 0, 'nothing to change in the body');
    return { ...asked, body: { ...asked.body, ...Object.fromEntries(own) } };
  }

  test('what is refused leaves no entry, and its key may be used again', async () => {
    const operator = await service.openOperator('production');
    const order = await shop.place([1]);
    const headers = { 'idempotency-key': 'again' };
    const resume = () => operator.request('POST', `/orders/${order.id}/resume`, undefined, headers);
    assert.equal((await resume()).status, 409);
    assert.deepEqual(await auditOf(operator), []);
    assert.equal((await operator.request('POST', `/orders/${order.id}/hold`, { reason: 'wait' }, headers)).status, 200);
    assert.equal((await auditOf(operator)).length, 1);
  });
});
