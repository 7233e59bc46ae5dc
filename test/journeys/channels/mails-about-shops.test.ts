import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sampleFigures } from '../../../src/app/sample-figures.ts';
import { mailAboutShops } from '../../../src/channels/mails/mail-about-shops.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { closeWindow, openFloor, ship } from '../../harness/floor.ts';
import { type Mailbox, openMailbox } from '../../harness/mailbox.ts';
import { openRole } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import {
  closeShops,
  connectShop,
  lookAgain,
  mystery,
  openShops,
  ourItem,
  seen,
  send,
  sendAndLook,
  service,
  setItem,
  shopOrder,
} from './shops.ts';
import { channelOfLinked, linkShop, passTime, switchOff } from './woo-shops.ts';

// What needs the people of a shop is mailed to them, and no more often than they can bear.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let mailbox: Mailbox;
before(async () => {
  mailbox = await openMailbox();
  await openShops('all', mailbox.env);
});
after(async () => {
  await closeShops();
  await mailbox.close();
});

const look = (): Promise<void> => mailAboutShops(service.ctx);

/** The subjects of what has been mailed to a person once nothing more is on its way. */
async function subjects(address: string, count: number): Promise<string[]> {
  if (count > 0) await mailbox.mailTo(address, count);
  return mailbox.mailsTo(address).map(({ subject }) => subject);
}

test('orders that wait for people are mailed together after a quarter of an hour, and not again before another waits', async () => {
  const shop = await connectShop(10);
  const { email } = shop.owner.person;
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  for (const id of ['a', 'b']) {
    const { reason } = await sendAndLook(shop, shopOrder(shop, { id, items: [mystery] }));
    assert.equal(reason, 'needs_mapping');
  }
  const nowhere = { ...shopOrder(shop).shipping_address, country_code: 'Atlantis' };
  const refused = await sendAndLook(shop, shopOrder(shop, { id: 'c', shipping_address: nowhere }));
  assert.equal(refused.reason, 'address_refused');
  // What waits for the shop itself is nothing for its people here.
  assert.equal((await sendAndLook(shop, shopOrder(shop, { id: 'd', unpaid: true }))).reason, 'unpaid');
  await look();
  assert.deepEqual(await subjects(email, 0), [], 'it may be answered soon');

  passTime(16 * MINUTE_MS);
  await look();
  assert.deepEqual(await subjects(email, 1), ['3 orders of Fern and Thread wait for you']);
  const { text } = await mailbox.mailTo(email);
  assert.match(
    text,
    /2 orders with items that are not known here yet; one order with an address that we cannot send to\./,
  );
  assert.ok(text.includes(`${service.ctx.config.baseUrl}/portal/shop-orders`));
  assert.deepEqual(mailbox.mailsTo(reader.person.email), [], 'who only reads answers nothing');

  // Looked at again for the same reason it is no news; another of the same day waits until the day is over.
  passTime(2 * HOUR_MS);
  await look();
  await sendAndLook(shop, shopOrder(shop, { id: 'e', items: [mystery] }));
  passTime(HOUR_MS);
  await look();
  assert.equal(mailbox.mailsTo(email).length, 1);
  passTime(DAY_MS);
  await look();
  assert.deepEqual((await subjects(email, 2)).slice(1), ['4 orders of Fern and Thread wait for you']);

  passTime(2 * DAY_MS);
  await lookAgain();
  await look();
  assert.equal(mailbox.mailsTo(email).length, 2, 'nothing new waits');
});

test('what is answered before the mail is due is not mailed, and nobody else’s shop is in it', async () => {
  const [shop, other] = [await connectShop(), await connectShop()];
  const waiting = await sendAndLook(shop, shopOrder(shop, { id: 'a', items: [mystery] }));
  await sendAndLook(other, shopOrder(other, { id: 'a', items: [mystery] }));
  const known = { key: 'variant 9001', title: 'Fern tee', product_id: shop.productId, variant_sku: shop.sku };
  assert.equal((await setItem(shop, known)).status, 204);
  await eventually('it is placed', async () => {
    const { body } = await shop.owner.request<{ state: string }>('GET', `/shop-orders/${waiting.id}`);
    return body.state === 'placed';
  });
  passTime(16 * MINUTE_MS);
  await look();
  assert.deepEqual(await subjects(other.owner.person.email, 1), ['One order of Fern and Thread waits for you']);
  assert.deepEqual(mailbox.mailsTo(shop.owner.person.email), []);
});

test('a disconnected shop is mailed about no more, and several looks at once are one mail', async () => {
  const [gone, shop] = [await connectShop(), await connectShop()];
  for (const one of [gone, shop]) await sendAndLook(one, shopOrder(one, { id: 'a', items: [mystery] }));
  const { email } = gone.owner.person;
  const ended = await gone.owner.request('POST', `/channels/${gone.channelId}/disconnect`);
  assert.equal(ended.status, 200, ended.text);
  passTime(16 * MINUTE_MS);
  await Promise.all(Array.from({ length: 4 }, look));
  assert.deepEqual(await subjects(shop.owner.person.email, 1), ['One order of Fern and Thread waits for you']);
  assert.deepEqual(mailbox.mailsTo(email), []);
});

test('a change of the shop that cannot be done here is mailed at once', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop, { id: 'a', items: [ourItem(shop)] });
  const placed = await sendAndLook(shop, order);
  assert.equal(placed.state, 'placed');
  const later = new Date(service.ctx.clock.now().getTime() + 1_000).toISOString();
  await sendAndLook(shop, {
    ...order,
    updated_at: later,
    items: [ourItem(shop, { properties: [{ name: 'Name', value: 'Ada' }] })],
  });
  const mail = await mailbox.mailTo(shop.owner.person.email);
  assert.equal(mail.subject, 'Fern and Thread has changed its order #1001, which goes on here as it was');
});

test('a cancel of the shop that is refused here, as the order has left, is mailed at once and says so in the inbox', async () => {
  const shop = await connectShop();
  const order = shopOrder(shop, { id: 'left' });
  const placed = await sendAndLook(shop, order);
  const { id, reference } = placed.order ?? assert.fail('it is placed');
  const floor = await openFloor(service);
  await closeWindow(service, { reference });
  await floor.post(`/orders/${id}/promote`);
  const { body } = await shop.owner.api<Order>('GET', `/orders/${id}`);
  const [line = assert.fail()] = body.items;
  await floor.post(`/orders/${id}/lines/${line.id}/start`);
  await ship(floor, id, [{ line_id: line.id, quantity: 1 }]);
  const later = new Date(service.ctx.clock.now().getTime() + 1_000).toISOString();
  await send(shop, { ...order, updated_at: later, cancelled: true });
  await eventually('it is refused', async () => (await seen(shop, placed.id)).reason === 'cancel_refused');
  const mail = await mailbox.mailTo(shop.owner.person.email);
  assert.equal(mail.subject, 'Fern and Thread has cancelled its order #1001, which goes on here');
  assert.ok(mail.text.includes(`/portal/orders/${reference}`), mail.text);
});

test('a shop that fails for an hour is mailed once, and each week that it lasts; operators have figures of it', async () => {
  const shop = await linkShop();
  const { email } = shop.owner.person;
  const figures = async (): Promise<string[]> => {
    await sampleFigures(service.ctx, []);
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return [...text.matchAll(/^platen_shops?(?:_faulty_seconds|\{.*\}) (\d+)/gm)].map(([, figure = '']) => figure);
  };
  const failing = async (): Promise<void> => {
    passTime();
    await eventually('it fails', async () => (await channelOfLinked(shop)).link?.fault !== null);
  };
  switchOff(shop);
  await failing();
  await look();
  assert.deepEqual(await subjects(email, 0), []);
  assert.deepEqual(await figures(), ['1', '0', '0']);

  passTime(HOUR_MS);
  await look();
  const [subject = ''] = await subjects(email, 1);
  assert.match(subject, /^Fern and Thread has failed since \d\d:\d\d UTC on /);
  const { text } = await mailbox.mailTo(email);
  assert.ok(text.includes(`/portal/shops/${shop.channelId}`), text);
  const [linked, faulty, seconds] = await figures();
  assert.deepEqual([linked, faulty], ['1', '1']);
  assert.ok(Number(seconds) >= 3_600, seconds);

  passTime(2 * DAY_MS);
  await look();
  assert.equal(mailbox.mailsTo(email).length, 1);
  passTime(6 * DAY_MS);
  await Promise.all(Array.from({ length: 4 }, look));
  assert.equal((await subjects(email, 2)).length, 2, 'it has lasted for a week');

  shop.woo.mend();
  passTime(HOUR_MS);
  // The person's session has ended meanwhile.
  const isWell = 'select from channel_link where fault is null and failures = 0';
  await eventually('it is well', async () => (await rows(service, isWell)).length === 1);
  assert.deepEqual(await figures(), ['1', '0', '0']);
  await look();
  assert.equal(mailbox.mailsTo(email).length, 2);
});
