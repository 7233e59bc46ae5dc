import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../harness/context.ts';
import { openPerson } from '../harness/oauth.ts';
import { openRole } from '../harness/portal.ts';
import type { CompanyReply } from '../journeys/accounts/company.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';

// The company of an account, which two of its people change at once.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

test('what is typed of the company stays when a colleague saves it meanwhile, and only what was changed is saved', async () => {
  const { accountId } = await premises.service.openCustomer();
  const colleague = await openRole(premises.service, 'owner', accountId);
  const address = { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' };
  const change = async (body: object): Promise<void> => {
    const { status, text } = await colleague.request('PATCH', '/company', { body });
    assert.equal(status, 200, text);
  };
  await change({ legal_name: 'Byron Club Ltd', address, company_number: '1' });
  const { body: before } = await colleague.request<{ services: string[] }>('GET', '/shipping-preference');
  const [service = assert.fail()] = before.services;
  const manager = await openPerson(premises.service, accountId, 'manager');
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, manager.email);
  await page.goto('/portal/company');
  await page.getByLabel('Company number').fill('01234567');
  await page.getByLabel('New orders begin with').waitFor();
  await change({ legal_name: 'Byron Ltd', contact: { name: 'Ada', email: 'accounts@byron.example' } });
  assert.equal((await colleague.request('PATCH', '/shipping-preference', { body: { service } })).status, 200);
  const shown = page.getByText('The company was changed meanwhile.');
  // An answer counts as fresh for a while.
  await eventually(
    'the page has looked again',
    async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return (await shown.count()) > 0;
    },
    WAIT_MS,
  );
  assert.equal(await page.getByLabel('Company number').inputValue(), '01234567');
  assert.equal(await page.getByLabel('Legal name').inputValue(), 'Byron Ltd');
  assert.equal(await page.getByLabel('Contact for questions').inputValue(), 'Ada');
  assert.deepEqual(await problemsOfAxe(page), []);
  const changes: unknown[] = [];
  page.on('request', (request) => {
    if (!['GET', 'POST'].includes(request.method())) changes.push(request.postDataJSON());
  });
  await press(page.getByRole('button', { name: 'Save', exact: true }));
  await page.getByText('Saved. Invoices from now on are addressed so.').waitFor();
  await shown.waitFor({ state: 'detached' });
  // The service was chosen by the colleague, and is not sent as it was before.
  await eventually(
    'the service is the one that the colleague chose',
    async () => (await page.getByLabel('New orders begin with').inputValue()) === service,
  );
  await press(page.getByRole('button', { name: 'Save the service' }));
  await page.getByText('Saved.', { exact: true }).waitFor();
  assert.deepEqual(changes, [{ company_number: '01234567' }]);
  const { body } = await colleague.request<CompanyReply>('GET', '/company');
  const { legal_name, company_number, contact } = body.billing ?? assert.fail();
  assert.deepEqual([legal_name, company_number, contact?.name], ['Byron Ltd', '01234567', 'Ada']);
  assert.equal((await colleague.request<{ service: string }>('GET', '/shipping-preference')).body.service, service);
  assert.deepEqual(faults, []);
  await close();
});
