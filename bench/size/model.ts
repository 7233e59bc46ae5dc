import { issueDueDocuments } from '../../src/invoices/issue-due.ts';
import { newId } from '../../src/lib/ids.ts';
import { fillRecent } from '../../src/orders/search/fill-search.ts';
import { lookAtExports } from '../../src/privacy/exports/watch-exports.ts';
import { countAwaiting } from '../../src/production/stock-overview/count-awaiting.ts';
import { eventually } from '../../test/harness/context.ts';
import { closeWindow } from '../../test/harness/floor.ts';
import type { Customer, TestService } from '../../test/harness/service.ts';
import { addProduct, HOME, servePicture } from '../../test/harness/shop.ts';
import { FATES, KINDS, live, openDay, PAYERS } from '../../test/harness/shop-day.ts';

// The orders that all others are copied from: real ones, which a running service has placed, made, shipped, undone and
// billed, so that a copy has every row that such an order has.

/** Blanks that no other order of the model takes: what is short of them stays short. */
export const SHORT_SKU = 'TEE-CLASSIC-NVY-M';
/** After so long sweeps take an order as settled. */
const SETTLED_MS = 180_000;
const HOOK = '/model';

/**
 * Has a service live through orders of every kind and fate, and leaves some in each state that is not the end.
 * `done` is how many of the former there are. Returns once every worker has done its part with them.
 */
export async function makeModel(service: TestService, done: number): Promise<void> {
  const { ctx } = service;
  service.stranger.serve(HOOK, { status: 204 });
  const day = await openDay(service);
  const { balance } = day.customers;
  const poor = await service.openCustomer();
  for (const customer of [service.customer, ...Object.values(day.customers), poor]) await subscribe(service, customer);
  for (let index = 0; index < done; index += 1) {
    const kind = KINDS[index % KINDS.length] ?? 'blank totes';
    const fate = FATES[(index * 3) % FATES.length] ?? 'straight through';
    const payer = PAYERS[Math.floor(index / 2) % PAYERS.length] ?? 'balance';
    await live(service, day, { index, kind, fate, payer });
  }

  const act = (path: string, body?: object): Promise<unknown> => day.act('production', path, body);
  const tee = (sku: string, quantity: number): object => ({
    product_id: balance.products['TEE-CLASSIC'] ?? '',
    variant_sku: sku,
    quantity,
    print_jobs: [],
  });
  const printed = (quantity: number): object => ({
    product_id: service.demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity,
    print_jobs: [{ area: 'front', method: 'dtg' }],
  });
  const brandOf = async (customer: Customer, name: string): Promise<string> => {
    const { status, text, body: made } = await customer.request<{ id: string }>('POST', '/brands', { name });
    if (status !== 201) throw new Error(`a brand of the model was refused: ${text}`);
    return made.id;
  };
  const [brand, archived] = [await brandOf(service.customer, 'Fern'), await brandOf(balance, 'Fable')];
  const place = async (customer: Customer, ...items: readonly object[]): Promise<Placed> => {
    const body = {
      ...(customer === service.customer ? { brand } : {}),
      items,
      shipping_address: HOME,
      external_reference: `OPEN-${Math.random().toString(36).slice(2)}`,
    };
    const { status, text, body: placed } = await customer.request<Placed>('POST', '/orders', body);
    if (status !== 201) throw new Error(`an order of the model was refused: ${text}`);
    return placed;
  };
  const promoted = async (...items: readonly object[]): Promise<Placed> => {
    const order = await place(service.customer, ...items);
    await act(`/orders/${order.id}/promote`);
    await eventually('its artwork is ready', async () =>
      (await day.see(order.id)).lines.every(({ artwork_ready: isReady }) => isReady),
    );
    return order;
  };

  // Waiting to be promoted, by far the most of what is open.
  for (const quantity of [1, 2, 3]) await place(service.customer, printed(quantity));
  await place(balance, tee('TEE-CLASSIC-WHT-M', 2));
  await service.customer.request('PATCH', `/brands/${brand}`, { message: 'Thank you.' });
  await balance.request('DELETE', `/brands/${archived}`);
  const held = await place(service.customer, printed(1));
  await act(`/orders/${held.id}/hold`, { reason: 'The logo looks wrong', code: 'artwork' });
  for (const quantity of [1, 2]) await promoted(printed(quantity), printed(1));
  const started = await promoted(printed(2), printed(1));
  await act(`/orders/${started.id}/lines/${lineOf(started, 0)}/start`);
  const paused = await promoted(printed(2));
  await act(`/orders/${paused.id}/lines/${lineOf(paused, 0)}/start`);
  await act(`/orders/${paused.id}/lines/${lineOf(paused, 0)}/pause`, { code: 'materials', reason: 'No ink' });
  await act('/stock/counts', { items: [{ sku: SHORT_SKU, on_hand: 2 }], reason: 'model' });
  const short = await place(balance, tee(SHORT_SKU, 2));
  await act(`/orders/${short.id}/promote`);
  await act(`/orders/${short.id}/lines/${lineOf(short, 0)}/start`);
  await act(`/orders/${short.id}/lines/${lineOf(short, 0)}/spoil`, { quantity: 1, reason: 'misprint' });
  const product = await addProduct(service, poor, 'TEE-CLASSIC');
  await place(poor, { product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs: [] });

  const photo = await servePicture(service, '/problem.png', { colour: 'grey' });
  let reported = 0;
  for (const customer of Object.values(day.customers)) {
    const { body: sent } = await customer.request<{ data: readonly Sent[] }>('GET', '/orders?status=dispatched');
    for (const { id, shipments } of sent.data) {
      const items = shipments[0]?.items.slice(0, 1) ?? [];
      const problem = { kind: 'damaged', text: 'The print has come off.', items, photos: [photo] };
      const { status, text, body: made } = await customer.request<Sent>('POST', `/orders/${id}/problems`, problem);
      if (status !== 201) throw new Error(`a problem of the model was refused: ${text}`);
      if (reported % 2 === 1) await act(`/problems/${made.id}/refuse`, { message: 'It was washed too hot.' });
      reported += 1;
    }
  }
  if (reported < 2) throw new Error('the model has too few problems');
  await connectShop(service);

  for (const order of [started, paused]) {
    await closeWindow(service, order);
    const path = `/orders/${order.id}/cancellation-request`;
    const answer = await service.customer.request<Sent>('POST', path, { reason: 'changed_mind' });
    if (answer.status !== 201) throw new Error(`a request of the model was refused: ${answer.text}`);
    const message = 'It is being printed.';
    if (order === paused) await act(`/cancellation-requests/${answer.body.id}/refuse`, { message });
  }

  await eventually('every delivery has ended', async () => {
    const name = 'size_deliveries_left';
    const text = `select 1 from webhook_delivery where state in ('pending', 'retrying') limit 1`;
    return (await ctx.database.all({ name, text }, [])).length === 0;
  });
  await fillRecent(ctx);
  service.shiftMs(SETTLED_MS);
  await untilDone(async () => (await issueDueDocuments(ctx)) > 0);
  await untilDone(() => lookAtExports(ctx));
  await untilDone(() => countAwaiting(ctx));
}

/** A connected shop with an order that waits. */
async function connectShop({ ctx, customer }: TestService): Promise<void> {
  const [channel, order] = [newId(), newId()];
  const address = '{"contact_name": "Ada Byron", "postcode": "LS1 4DY"}';
  await ctx.database.script(`
    insert into channel (account_id, id, platform, name, state, connected_at)
      values ('${customer.accountId}', '${channel}', 'signed', 'Shop', 'active', now());
    insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, reason, content, digest,
      items, ordered_at, received_at)
      values ('${customer.accountId}', '${order}', '${channel}', '1', '#1', now(), 'waiting', 'on_hold',
        '{"id": "1", "items": [], "shipping_address": ${address}}', '', '[]', now(), now())`);
}

/** Runs a round of a worker until it says that nothing is left. */
export async function untilDone(round: () => Promise<boolean>): Promise<void> {
  let isMore = true;
  while (isMore) isMore = await round();
}

type Placed = {
  readonly id: string;
  readonly reference: string;
  readonly items: { readonly lineItems: readonly { readonly id: string }[] };
};

type Sent = { readonly id: string; readonly shipments: readonly { readonly items: readonly object[] }[] };

function lineOf({ items }: Placed, index: number): string {
  const line = items.lineItems[index];
  if (line === undefined) throw new Error(`the order of the model has no line ${index}`);
  return line.id;
}

async function subscribe(service: TestService, customer: Customer): Promise<void> {
  const { status, text } = await customer.request('POST', '/webhooks', { url: service.stranger.url(HOOK) });
  if (status !== 201) throw new Error(`a subscription of the model was refused: ${text}`);
}
