import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPerson } from '../harness/oauth.ts';
import { openPortal } from '../harness/portal.ts';
import { rows } from '../harness/written.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, problemsOfColours, signIn } from './premises.ts';

let premises: Premises;
let webhook: string;
before(async () => {
  premises = await openPremises();
  const { service, person } = premises;
  const url = service.stranger.url('/hook');
  const made = await service.customer.request<{ id: string }>('POST', '/webhooks', { url, description: 'The shop' });
  webhook = made.body.id;
  const { accountId } = service.customer;
  await rows(
    service,
    `update webhook_subscription set active = false, failure_count = 15, disabled_reason = 'It failed too often.',
       failing_since = now() - interval '2 hours' where account_id = $1`,
    [accountId],
  );
  await rows(
    service,
    `insert into auto_top_up (account_id, threshold_pence, amount_pence, daily_cap_pence, state, failures, reason, not_before, updated_at)
     values ($1, 2000, 5000, 10000, 'stopped', 2, 'Your card has expired.', now(), now())`,
    [accountId],
  );
  const owner = await openPortal(service, person);
  const set = await owner.request('POST', '/money/low-balance-mail', { body: { threshold_gbp: 900_000 } });
  assert.equal(set.status, 200, set.text);
});
after(() => premises.close());

test('home leads by keyboard to a webhook that is disabled, to top-ups that have stopped and to a low balance', async () => {
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal');
  const needs = page.locator('section', { has: page.getByRole('heading', { name: 'Needs you' }) });
  await needs.getByText(/^Nothing is sent to this webhook any more: it failed too often, since .*\.$/).waitFor();
  await needs.getByText('Your card has expired. The balance is not topped up below £20.00 any more.').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await problemsOfColours(page), []);
  for (const [name, path] of [
    ['The shop', `/portal/developers/webhooks/${webhook}`],
    ['Automatic top-ups have stopped', '/portal/money'],
    ['The balance is below £900,000.00', '/portal/money'],
  ] as const) {
    await press(needs.getByRole('link', { name }));
    await page.waitForURL(`**${path}`);
    await page.goBack();
  }
  await needs.getByRole('link', { name: 'The shop' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('who has no page of webhooks is led to none', async () => {
  const { service } = premises;
  const orders = await openPerson(service, service.customer.accountId, 'orders');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(service, context, orders.email);
  await page.goto('/portal');
  await page.getByRole('link', { name: 'Automatic top-ups have stopped' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'The shop' }).count(), 0);
  await close();
});

test('top-ups that have stopped without a saved card are shown with the money, and ended there by keyboard', async () => {
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal');
  await press(page.getByRole('link', { name: 'Automatic top-ups have stopped' }));
  await page.getByText(/^Stopped: Your card has expired\. Save a card and set it anew, or stop it\.$/).waitFor();
  const method = page.locator('section', { has: page.getByRole('heading', { name: 'Payment method' }) });
  assert.equal(await method.getByRole('button', { name: 'Change it' }).count(), 0, 'it needs a card');
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Stop it' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Stop them' }));
  await page.getByRole('heading', { name: 'Top up by itself' }).waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  await page.getByRole('link', { name: 'Automatic top-ups have stopped' }).waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
  await close();
});
