import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { totpCode, totpStep } from '../../src/accounts/second-factor/totp.ts';
import { publicId, type Uuid } from '../../src/lib/ids.ts';
import { eventually } from '../harness/context.ts';
import { linkIn, type Mailbox, openMailbox } from '../harness/mailbox.ts';
import { openPerson } from '../harness/oauth.ts';
import { openPortal, openRole, pastProof, signIn as signInAs } from '../harness/portal.ts';
import { rows } from '../harness/written.ts';
import { press } from './keys.ts';
import { choose, openPremises, PASSWORD, type Premises, problemsOfAxe, signIn } from './premises.ts';

// How people come in: by a link that works once, and by a code beside the password.

let mailbox: Mailbox;
let premises: Premises;
before(async () => {
  mailbox = await openMailbox();
  premises = await openPremises({ ...mailbox.env, SIGN_UP: 'approval' });
});
after(async () => {
  await premises.close();
  await mailbox.close();
});

const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();

async function invite(email: string): Promise<string> {
  const owner = await openRole(premises.service, 'owner');
  await owner.request('POST', '/people/invitations', { body: { email, role: 'orders' } });
  return linkIn(await mailbox.mailTo(email));
}

test('a person who was invited joins by a link, which stands in no history and works once', async () => {
  const { page, faults, requests, close } = await premises.openWindow({ isSignedIn: false });
  const url = await invite('new@shop.example');
  await page.goto(url);
  await heading(page, 'Join Demo Print Club');
  await page.getByText('You will sign in as new@shop.example.').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  assert.ok(requests.every((request) => !request.url.includes('#')));
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.getByLabel('Your name').fill('Nell');
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.keyboard.press('Enter');
  await page
    .getByText(/must have 12 to/)
    .first()
    .waitFor();
  await page.getByLabel('Password', { exact: true }).fill('a password that is long');
  await page.keyboard.press('Enter');
  await heading(page, 'Home');
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
  await page.goto(url);
  await heading(page, 'This link cannot be used');
  await close();
});

test('who forgot the password asks for a link by mail, chooses another, and changes it later', async () => {
  const person = await openPerson(premises.service);
  const { page, close } = await premises.openWindow({ isSignedIn: false });
  await page.goto('/portal/sign-in');
  await page.getByRole('link', { name: 'Forgotten your password?' }).click();
  await page.getByLabel('Email').fill(person.email);
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText(`If ${person.email} signs in here`).waitFor();
  await page.goto(linkIn(await mailbox.mailTo(person.email)));
  await heading(page, 'Choose a new password');
  await page.getByLabel('Password', { exact: true }).fill('a password that is long');
  await page.keyboard.press('Enter');
  await heading(page, 'Home');
  await page.goto('/portal/security');
  await page.getByText('this browser').waitFor();
  await choose(page, 'Change your password');
  await page.getByLabel('Password of now').fill('a password that is long');
  await page.getByLabel('New password').fill('short');
  await page.keyboard.press('Enter');
  await page
    .getByText(/must have 12 to/)
    .first()
    .waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.getByLabel('New password').fill('another password that is long');
  await page.keyboard.press('Enter');
  await page.getByText('Your password is changed').waitFor();
  await close();
});

test('an owner invites, changes and removes people by keyboard; the last owner stays, and others see no buttons', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const other = await openPerson(premises.service, accountId, 'reader');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/team');
  await page.getByText(`${owner.email} (you)`).waitFor();
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByLabel('Email').fill('third@shop.example');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Withdraw the invitation to third@shop.example' }).waitFor();
  await mailbox.mailTo('third@shop.example');
  await press(page.getByRole('button', { name: 'Send again to third@shop.example' }));
  await page.getByRole('dialog').getByText('A mail with a new link is on its way').waitFor();
  await mailbox.mailTo('third@shop.example', 2);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Withdraw the invitation to third@shop.example' }).click();
  await page.getByText('No invitation is open.').waitFor();

  await page.getByRole('button', { name: `Change ${owner.email}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Change a person' });
  await dialog.getByLabel('Role').selectOption('reader');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('An account needs an owner who can sign in.').first().waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Remove ${other.email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: `Let ${other.email} in again` }).waitFor();
  await close();

  const manager = await openPerson(premises.service, accountId, 'manager');
  const second = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, second.context, manager.email);
  await second.page.goto('/portal/team');
  await second.page.getByText(`${manager.email} (you)`).waitFor();
  assert.equal(await second.page.getByRole('button', { name: /^(Invite|Change|Remove)/ }).count(), 0);
  await second.close();
});

test('an owner sees when and with what each person signed in, by keyboard and by a link; a manager sees no such button', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const clerk = await openRole(premises.service, 'orders', accountId);
  const { email } = clerk.person;
  const refused = { email, password: 'not the password' };
  assert.equal((await signInAs(premises.service, refused)).status, 401);
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/team');
  await page
    .locator('.platen-line', { hasText: email })
    .getByText(/· signed in/)
    .waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  assert.equal((await saving).suggestedFilename(), 'people.csv');
  await press(page.getByRole('button', { name: `Sign-ins of ${email}` }));
  const dialog = page.getByRole('dialog', { name: `Sign-ins of ${email}` });
  await dialog.getByText('Signed in', { exact: true }).waitFor();
  await dialog.getByText('A wrong password was tried').waitFor();
  assert.equal(await dialog.getByText('127.0.0.1').count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);
  const entries = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save as CSV' }).click();
  assert.equal((await entries).suggestedFilename(), 'sign-ins.csv');
  await page.reload();
  await dialog.getByText('A wrong password was tried').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(faults, []);
  await close();

  const manager = await openPerson(premises.service, accountId, 'manager');
  const second = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, second.context, manager.email);
  await second.page.goto(`/portal/team?open=${clerk.session.user.id}`);
  await second.page.getByText(`${manager.email} (you)`).waitFor();
  assert.equal(await second.page.getByRole('button', { name: /^Sign-ins/ }).count(), 0);
  assert.equal(await second.page.getByRole('dialog').count(), 0);
  await second.close();
});

/** Adds so many readers to an account, named by their number. */
async function addCrowd(accountId: Uuid, count: number): Promise<readonly { id: Uuid }[]> {
  return rows(
    premises.service,
    `insert into account_user (account_id, id, email, password_hash, role, name, created_at)
     select $1::uuid, uuid_v7($2::timestamptz + make_interval(secs => n)), n || '.' || $1::uuid || '@example.com', 'none', 'reader', 'Person ' || n || '.', $2
     from generate_series(1, $3) as n returning id`,
    [accountId, premises.service.ctx.clock.now(), count],
  );
}

test('of more than a hundred people the first are shown and the others come; a link to the last one leads there', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const added = await addCrowd(accountId, 240);
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/team');
  await page.getByText('The first 100 people.').waitFor();
  const person = page.getByText(/^Person \d+\. reader$/);
  assert.equal(await person.count(), 99);
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Show more', exact: true }));
  await page.getByText('The first 200 people.').waitFor();
  await choose(page, 'Show more people');
  await page.getByText('Person 240. reader', { exact: true }).waitFor();
  assert.equal(await person.count(), 240);
  assert.equal(await page.getByText(/^The first/).count(), 0);
  const last =
    added
      .map(({ id }) => id)
      .toSorted((one, other) => (one < other ? -1 : 1))
      .at(-1) ?? assert.fail();
  await page.goto(`/portal/team?open=${publicId('user', last)}`);
  await page.getByRole('dialog', { name: 'Sign-ins of Person 240.' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});

test('who wants an account signs up, confirms the address by a mail, and waits for the print shop', async () => {
  const { page, close } = await premises.openWindow({ isSignedIn: false });
  await page.goto('/portal/sign-in');
  await page.getByRole('link', { name: 'Open an account' }).click();
  await page.getByLabel('Email').fill('wants@shop.example');
  await page.getByLabel('Your name').fill('Wanda');
  await page.getByLabel('Country').selectOption({ label: 'France' });
  await page.getByLabel('Company').fill('W'.repeat(300));
  await page.keyboard.press('Enter');
  await page.locator('.mantine-TextInput-error', { hasText: /must/ }).waitFor();
  await page.getByLabel('Company').fill('Wanda Prints');
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('A mail is on its way to wants@shop.example.').waitFor();
  await page.goto(linkIn(await mailbox.mailTo('wants@shop.example')));
  await heading(page, 'Open Wanda Prints');
  assert.equal(new URL(page.url()).hash, '');
  await page.getByLabel('Password', { exact: true }).fill('a password that is long');
  await page.keyboard.press('Enter');
  await heading(page, 'Your address is confirmed');
  assert.deepEqual(await problemsOfAxe(page), []);
  await close();
});

test('an account without orders begins with its first steps, each linked to where it is done', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal');
  const steps = page.locator('section', { has: page.getByRole('heading', { name: 'First steps' }) });
  await steps.getByText('Make your first product').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(steps.getByRole('link', { name: 'Enter your company' }));
  await heading(page, 'Company');
  assert.deepEqual(faults, []);
  await close();
});

test('a manager enters the company, and proposes a VAT number that the print shop decides on', async () => {
  const { accountId } = await premises.service.openCustomer();
  const manager = await openPerson(premises.service, accountId, 'manager');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, manager.email);
  await page.goto('/portal/company');
  await page.getByLabel('Legal name').fill('Byron Club Ltd');
  await page.getByLabel('Street and number').fill('5 High Street');
  await page.getByLabel('Town or city').fill('York');
  await page.getByLabel('Postcode').fill('YO1 7HH');
  const country = page.getByLabel('Country');
  assert.equal(await country.inputValue(), 'GB');
  await country.selectOption({ label: 'Choose a country' });
  await page.getByLabel('Postcode').press('Enter');
  await page.locator('select:invalid').waitFor();
  await country.selectOption({ label: 'United Kingdom' });
  await page.getByLabel('Company number').fill('1'.repeat(300));
  await page.keyboard.press('Enter');
  await page.locator('.mantine-TextInput-error', { hasText: /must/ }).waitFor();
  await page.getByLabel('Company number').fill('01234567');
  await page.keyboard.press('Enter');
  await page.getByText('Saved. Invoices from now on are addressed so.').waitFor();
  await page.getByLabel('Another VAT number').fill('DE123456789');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('DE123456789 was proposed').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  const shipping = page.getByLabel('New orders begin with');
  await shipping.selectOption({ index: 1 });
  const chosen = await shipping.inputValue();
  await press(page.getByRole('button', { name: 'Save the service' }));
  await page.getByText('Saved.', { exact: true }).waitFor();
  await press(page.getByRole('link', { name: 'Security' }));
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
  await page.goBack();
  await shipping.waitFor();
  assert.equal(await shipping.inputValue(), chosen, 'what was saved is still there');
  await close();
});

test('a second factor is added on the page, asked for at the next sign-in, and removed', async () => {
  const person = await openPerson(premises.service);
  const first = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, first.context, person.email);
  const { page } = first;
  await page.goto('/portal/security');
  await page.getByText('The password alone signs you in').waitFor();
  await press(page.getByRole('button', { name: 'Add', exact: true }));
  const dialog = page.getByRole('dialog', { name: 'Add a second factor' });
  const key = ((await dialog.locator('pre').textContent()) ?? '').replaceAll(' ', '');
  assert.match(key, /^[A-Z2-7]{32}$/);
  assert.deepEqual(await problemsOfAxe(page), []);
  const codeAt = (steps: number): string => totpCode(key, totpStep(premises.service.ctx.clock.now()) + steps);
  await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
  await page.keyboard.press('Enter');
  await dialog
    .getByText(/is not the code that the app shows now/)
    .first()
    .waitFor();
  await dialog.getByRole('textbox', { name: 'Code' }).fill(codeAt(0));
  await page.keyboard.press('Enter');
  const kept = page.getByRole('dialog', { name: 'Keep your recovery codes' });
  const [recovery = ''] = ((await kept.locator('pre').textContent()) ?? '').split('\n');
  assert.match(recovery, /^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  await kept.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByText('Signing in needs a code from your app').waitFor();

  const second = await premises.openWindow({ isSignedIn: false });
  await second.page.goto('/portal/sign-in');
  await second.page.getByLabel('Email').fill(person.email);
  await second.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await second.page.keyboard.press('Enter');
  await second.page.getByLabel('Code').fill(recovery);
  await second.page.keyboard.press('Enter');
  await heading(second.page, 'Home');
  await second.close();

  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await page
    .getByRole('dialog', { name: 'Remove the second factor?' })
    .getByRole('button', { name: 'Remove it' })
    .click();
  await page.getByText('The password alone signs you in').waitFor();
  await page.reload();
  for (const event of ['The second factor was removed', 'A second factor was added']) {
    await page.getByText(event, { exact: true }).first().waitFor();
  }
  await first.close();
});

test('what needs the password again asks for it on the spot, and then goes on', async () => {
  const person = await openPerson(premises.service);
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, person.email);
  await page.goto('/portal/security');
  await page.getByText('The password alone signs you in').waitFor();
  await pastProof(premises.service, await openPortal(premises.service, person));
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const asked = page.getByRole('dialog', { name: 'Give your password again' });
  await asked.getByLabel('Password', { exact: true }).fill('not the password');
  await page.keyboard.press('Enter');
  await asked.getByText('The address or the password is not right.').waitFor();
  await asked.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add a second factor' }).locator('pre').waitFor();
  await close();
});

test('where the page is narrow each person of an account stands whole beside their boxes', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const others = await Promise.all(Array.from({ length: 4 }, () => openPerson(premises.service, accountId, 'manager')));
  const { page, context, close } = await premises.openWindow({ widthPx: 390, heightPx: 844, isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/notifications');
  const row = page.getByRole('row').filter({ hasText: 'An order is on hold' });
  for (const { email } of others) {
    const name = await row.getByText(email, { exact: true }).boundingBox();
    const box = await row.getByRole('checkbox', { name: `An order is on hold: ${email}` }).boundingBox();
    assert.ok(name !== null && box !== null, email);
    assert.ok(name.x >= 0 && name.x + name.width <= 390, `${email} is within the page`);
    assert.ok(box.x >= 0 && box.x + box.width <= name.x, `the box of ${email} stands before the name`);
    assert.ok(Math.abs(name.y + name.height / 2 - (box.y + box.height / 2)) < 6, 'in one line');
    assert.ok(name.height < 30, `${email} is not broken`);
  }
  assert.deepEqual(await problemsOfAxe(page), []);
  await close();
});

test('of many people the mails of the first are shown beside one’s own, and the others come; one is chosen for further down', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  await addCrowd(accountId, 60);
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/notifications');
  await page.getByRole('checkbox', { name: 'An order is on hold: You' }).waitFor();
  await page.getByText('You and the first 25 others.').waitFor();
  const boxes = page.getByRole('checkbox', { name: /^An order is on hold: / });
  assert.equal(await boxes.count(), 26);
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Show more', exact: true }));
  await page.getByText('You and the first 50 others.').waitFor();
  await choose(page, 'Show more people');
  const last = page.getByRole('checkbox', { name: 'An order is on hold: Person 60.' });
  await last.waitFor();
  assert.equal(await boxes.count(), 61);
  assert.equal(await page.getByText(/^You and the first/).count(), 0);
  const saved = page.waitForResponse((sent) => sent.request().method() === 'PATCH' && sent.ok());
  await last.focus();
  await page.keyboard.press('Space');
  await saved;
  assert.equal(await last.isChecked(), true);
  assert.equal(await boxes.count(), 61, 'those who have come stay');
  await page.reload();
  await page.getByText('You and the first 25 others.').waitFor();
  await choose(page, 'Show more people');
  await page.getByText('You and the first 50 others.').waitFor();
  await choose(page, 'Show more people');
  await last.waitFor();
  assert.equal(await last.isChecked(), true);
  assert.deepEqual(faults, []);
  await close();
});

test('an owner chooses by keyboard who gets which mail; a colleague chooses for themselves alone, and a refusal takes a choice back', async () => {
  const { accountId } = await premises.service.openCustomer();
  const owner = await openPerson(premises.service, accountId);
  const clerk = await openPerson(premises.service, accountId, 'orders');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, owner.email);
  await page.goto('/portal/notifications');
  const own = page.getByRole('checkbox', { name: 'An order is on hold: You' });
  const theirs = page.getByRole('checkbox', { name: `An order is on hold: ${clerk.email}` });
  await own.waitFor();
  const wasWanted = await theirs.isChecked();
  await theirs.focus();
  const saved = page.waitForResponse((sent) => sent.request().method() === 'PATCH' && sent.ok());
  await page.keyboard.press('Space');
  await saved;
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.reload();
  await own.waitFor();
  assert.equal(await theirs.isChecked(), !wasWanted);
  // Two choices at once, of which the answer to the first comes late: both stand.
  const late = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/notifications/*', async (route) => {
    sent += 1;
    const isFirst = sent === 1;
    const response = await route.fetch();
    if (isFirst) await late.promise;
    await route.fulfill({ response });
  });
  await own.click();
  await theirs.click();
  const isBoth = async (): Promise<boolean> => (await theirs.isChecked()) === wasWanted && !(await own.isChecked());
  await eventually('both are drawn before any answer', isBoth);
  late.resolve();
  await eventually('both are sent', () => sent === 2);
  await page.waitForLoadState('networkidle');
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  assert.equal(await isBoth(), true, 'each as it was chosen last');
  await page.unroute('**/notifications/*');
  await page.route('**/notifications/*', (route) => route.abort());
  const isOwnWanted = await own.isChecked();
  await own.focus();
  await page.keyboard.press('Space');
  await page.getByRole('alert').first().waitFor();
  await eventually('the choice is taken back', async () => (await own.isChecked()) === isOwnWanted);
  await close();

  const second = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, second.context, clerk.email);
  await second.page.goto('/portal/notifications');
  const mine = second.page.getByRole('checkbox', { name: 'An order is on hold: You' });
  await mine.waitFor();
  assert.equal(await mine.isChecked(), wasWanted);
  for (const box of await second.page.getByRole('checkbox', { name: `: ${owner.email}` }).all()) {
    assert.equal(await box.isDisabled(), true);
  }
  await second.close();
});
