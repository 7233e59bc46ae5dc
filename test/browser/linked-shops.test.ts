import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderView } from '../../src/channels/inbox-schema.ts';
import { eventually, eventuallyLater } from '../harness/context.ts';
import { openPortal } from '../harness/portal.ts';
import { TEE_WHITE_M } from '../harness/shop.ts';
import type { Handler } from '../harness/stranger.ts';
import { openWooDouble } from '../harness/woo-double.ts';
import { rows } from '../harness/written.ts';
import { choose, openPremises, type Premises, problemsOfAxe } from './premises.ts';

// A shop of a platform that a person links, and what they see of it.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

test('a shop is linked by its own page of consent, shows how it does, and is asked again when it has shut us out', async () => {
  const { service } = premises;
  const woo = openWooDouble(service);
  const { page, faults, close } = await premises.openWindow();
  const consents: string[] = [];
  await page.route(`${woo.address}/wc-auth/**`, async (route) => {
    const url = route.request().url();
    consents.push(url);
    const isAllowed = consents.length > 1;
    if (isAllowed) assert.equal(await woo.consent(url), 200);
    const back = new URL(new URL(url).searchParams.get('return_url') ?? '').pathname;
    const location = `${service.url}${back}?success=${isAllowed ? 1 : 0}&user_id=x`;
    await route.fulfill({ status: 302, headers: { location } });
  });
  const link = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Connect a shop' }).click();
    const form = page.getByRole('dialog', { name: 'Connect a shop' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.type('Woodland');
    await form.getByLabel('Address of the shop').fill(woo.address);
    assert.deepEqual(await problemsOfAxe(page), []);
    await form.getByRole('button', { name: 'Go to the shop and allow it' }).click();
  };

  await page.goto('/portal/shops');
  await page.getByRole('button', { name: 'Connect a shop' }).click();
  const form = page.getByRole('dialog', { name: 'Connect a shop' });
  await form.getByLabel('Name').fill('Nowhere');
  await form.getByLabel('Address of the shop').fill('https://10.0.0.1');
  await form.getByRole('button', { name: 'Go to the shop and allow it' }).click();
  await form.getByText('address: The URL must name a host on the public internet.').waitFor();
  const alert = form.getByRole('alert');
  const [words, box] = [await alert.getByText('address: The URL').boundingBox(), await alert.boundingBox()];
  assert.ok(words !== null && box !== null);
  assert.ok(words.x + words.width <= box.x + box.width, 'its words are not cut off');
  await page.keyboard.press('Escape');

  await link();
  await page.getByText('The shop did not allow it, and nothing is connected.').waitFor();
  await page.getByText('No shop is connected.').waitFor();
  await link();
  await page.getByText('The shop allows it. Its orders are read from now on.').waitFor();
  await page.waitForURL('**/portal/shops');
  await page.getByRole('link', { name: 'Woodland' }).click();
  await page.getByText(/All its changes were read .* it knows of every parcel/).waitFor();
  await page.getByText('WooCommerce at').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Replace the secret' }).count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);

  const rule = page.getByLabel('Refund the buyer of what is cancelled here');
  assert.equal(await rule.isChecked(), false, 'money is given back by a rule alone');
  await rule.check();
  await page.getByRole('button', { name: 'Save the rules' }).click();
  await page.getByText('The rules are changed.').waitFor();
  await page.reload();
  await eventually('the rule is kept', () => rule.isChecked());

  const order = woo.order({
    status: 'on-hold',
    line_items: [{ id: 1, name: 'Tee', product_id: 5, variation_id: 0, sku: '', quantity: 1, meta_data: [] }],
  });
  await woo.tell(order);
  await page.getByText('The shop holds it').waitFor();
  woo.revoke();
  await woo.tell(order);
  await page.getByText(/does not let the print shop in any more \(401\)\. Connect it again\./).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await choose(page, 'Ask the shop for access again');
  await page.getByText('The shop allows it. Its orders are read from now on.').waitFor();
  await page.getByRole('link', { name: 'Woodland' }).click();
  await eventually('the fault is over', async () => (await page.getByText(/any more \(401\)/).count()) === 0);
  // The shop's own page is not ours.
  const refusals = /status of 422|foreign host: https:.*wc-auth/;
  assert.deepEqual(
    faults.filter((fault) => !refusals.test(fault)),
    [],
  );
  await close();
});

test('an order whose cancel its shop refuses leads from the page of the shop to the button that reports it again', async () => {
  const { service } = premises;
  const woo = openWooDouble(service);
  const owner = await openPortal(service, premises.person);
  const link = { platform: 'woocommerce', name: 'Mossery', address: woo.address };
  const begun = await owner.request<{ consent_url: string }>('POST', '/channels/links', { body: link });
  assert.equal(await woo.consent(begun.body.consent_url), 200);
  const sku = `${service.demo.products.fixed}/${TEE_WHITE_M}`;
  const order = woo.order({
    line_items: [{ id: 1, name: 'Tee', product_id: 5, variation_id: 0, sku, quantity: 1, meta_data: [] }],
  });
  await woo.tell(order);
  const placed = await eventually('it is placed', async () => {
    const { data } = (await owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?state=placed')).body;
    return data.find(({ shop_order_id: id }) => id === String(order.id))?.order ?? undefined;
  });
  const refusal: Handler = (_hit, response) => void response.writeHead(400).end('{}');
  woo.fail({ times: 1_000, only: /^POST .*\/notes$/, how: refusal });
  assert.equal((await owner.api('POST', `/orders/${placed.id}/cancel`)).status, 200);
  const hasRefused = async (): Promise<boolean> =>
    (await rows(service, 'select from channel_report where failed_at is not null')).length === 1;
  await eventuallyLater(service, 'the shop refuses it for good', hasRefused, 1_000_000);

  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/shops');
  await page.getByRole('link', { name: 'Mossery' }).click();
  await page.getByText(/: the shop takes no news\. Each says why/).waitFor();
  await page.getByRole('link', { name: '1 order', exact: true }).click();
  await page.getByRole('link', { name: `#${order.number}`, exact: true }).press('Enter');
  const again = page.getByRole('button', { name: 'Report it again' });
  await again.waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  woo.mend();
  await again.press('Enter');
  await page.getByText('It is reported to the shop again.').waitFor();
  await eventually('the shop has its note', () => woo.notes.get(order.id)?.length === 1);
  await page.getByText('It knows all of this').waitFor();
  assert.equal(await again.count(), 0);
  assert.deepEqual(faults, []);
  await close();
});
