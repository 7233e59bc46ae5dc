import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { PersonRole } from '../../src/lib/caller.ts';
import { eventually } from '../harness/context.ts';
import { openPerson } from '../harness/oauth.ts';
import { openPortal } from '../harness/portal.ts';
import { fillTo } from '../journeys/accounts/views.ts';
import { press, pressDownTo } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn, type Window } from './premises.ts';

// Lists as people have narrowed them: their columns, and views of them for oneself or for all.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

/** A window of another person of the account. */
async function openAs(role: PersonRole, options: { widthPx?: number } = {}): Promise<Window> {
  const { service } = premises;
  const person = await openPerson(service, service.customer.accountId, role);
  const window = await premises.openWindow({ ...options, isSignedIn: false });
  await signIn(service, window.context, person.email);
  return window;
}

async function openOrders(page: Page, query = ''): Promise<void> {
  await page.goto(`/portal/orders${query}`);
  await order(page, premises.orders.pending.reference).waitFor();
}

const order = (page: Page, reference: string) => page.getByRole('main').getByRole('link', { name: reference });
const heads = (page: Page) => page.getByRole('columnheader').allTextContents();
const queryOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

/** Opens a menu of the table by its button. */
async function openMenu(page: Page, name: string | RegExp): Promise<void> {
  await press(page.getByRole('button', { name, exact: typeof name === 'string' }));
  await page.getByRole('menu').waitFor();
}

/** Goes down an open menu to an entry, and presses it. */
async function pressEntry(page: Page, name: string): Promise<void> {
  await pressDownTo(page.getByRole('menu').locator('[data-menu-item]').filter({ hasText: name }));
}

async function saveAs(page: Page, name: string, { isForAll }: { isForAll: boolean }): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Save this list as a view' });
  await dialog.locator('input:focus').waitFor();
  await page.keyboard.type(name);
  if (isForAll) {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
  }
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: `Views: ${name}`, exact: true }).waitFor();
}

test('the list is turned round by the head of its column; the order stays in the address, with a filter, a view and a file', async () => {
  const { page, faults, close } = await premises.openWindow();
  await openOrders(page);
  const references = () => page.getByRole('main').locator('tbody a.platen-number').allTextContents();
  const head = page.getByRole('columnheader', { name: 'Placed' });
  const newest = await references();
  assert.ok(newest.length > 2);
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  assert.equal(await page.locator('th[aria-sort]').count(), 1);
  const isTurned = () =>
    eventually('the oldest come first', async () => isSame(await references(), newest.toReversed()));
  const isAsBefore = () => eventually('the newest come first', async () => isSame(await references(), newest));
  await press(head.getByRole('button', { name: 'Placed' }));
  await isTurned();
  assert.deepEqual([queryOf(page), await head.getAttribute('aria-sort')], [{ sort: 'oldest' }, 'ascending']);
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.goBack();
  await isAsBefore();
  assert.deepEqual(queryOf(page), {});
  await page.goForward();
  await isTurned();
  const saving = page.waitForEvent('download');
  await choose(page, 'Save this list as CSV');
  const { sort } = Object.fromEntries(new URL((await saving).url()).searchParams);
  assert.equal(sort, 'oldest');
  await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Pending' }));
  await page.waitForURL((url) => url.searchParams.get('status') === 'pending');
  assert.deepEqual(queryOf(page), { status: 'pending', sort: 'oldest' }, 'another filter keeps the order');
  await openMenu(page, 'Views');
  await pressEntry(page, 'Save this list as a view');
  await saveAs(page, 'Longest waiting', { isForAll: false });
  await openOrders(page);
  await isAsBefore();
  await openMenu(page, 'Views');
  await pressEntry(page, 'Longest waiting');
  await page.waitForURL((url) => url.searchParams.get('sort') === 'oldest');
  const { saved: _id, ...viewed } = queryOf(page);
  assert.deepEqual(viewed, { status: 'pending', sort: 'oldest' });
  await choose(page, 'Newest first');
  await page.waitForURL((url) => !url.searchParams.has('sort'));
  await page.getByRole('button', { name: 'Views: Longest waiting, changed' }).waitFor();

  await page.goto('/portal/orders?sort=sideways');
  await page
    .getByText(/sort: /)
    .first()
    .waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
  await close();
});

test('where the column is not shown, a button above the table turns the list round', async () => {
  const { page, close } = await premises.openWindow({ widthPx: 390 });
  await openOrders(page);
  const button = page.getByRole('button', { name: 'Newest first' });
  await press(button);
  await page.getByRole('button', { name: 'Oldest first' }).waitFor();
  assert.deepEqual(queryOf(page), { sort: 'oldest' });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
  assert.deepEqual(await problemsOfAxe(page), []);
  await openOrders(page, '?columns=order,placed');
  await page.getByRole('columnheader', { name: 'Placed' }).getByRole('button').waitFor();
  assert.equal(await button.count(), 0, 'a column that was chosen has it in its head');
  await close();
});

const isSame = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();

test('a narrowed list with its columns is saved for all; a colleague opens it by menu and by link, until it is deleted', async () => {
  const { page, faults, close } = await premises.openWindow();
  const { pending, cancelled } = premises.orders;
  await openOrders(page);
  await openMenu(page, 'Columns');
  assert.equal(await page.getByRole('menuitemcheckbox', { name: 'Order', exact: true }).count(), 0, 'it always stays');
  await pressEntry(page, 'Pieces');
  await pressEntry(page, 'Total');
  assert.equal(await page.getByRole('menuitemcheckbox', { name: 'Total' }).getAttribute('aria-checked'), 'false');
  await page.keyboard.press('Escape');
  assert.deepEqual(await heads(page), ['', 'Order', 'Status', 'For', 'Blocked by', 'Due', 'Placed']);
  await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Pending' }));
  await order(page, cancelled.reference).waitFor({ state: 'detached' });
  const narrowed = { status: 'pending', columns: 'order,status,for,blocked-by,due,placed' };
  assert.deepEqual(queryOf(page), narrowed, 'another filter keeps the columns');
  await openMenu(page, 'Views');
  await pressEntry(page, 'Save this list as a view');
  await saveAs(page, 'To be made', { isForAll: true });
  const { saved, ...kept } = queryOf(page);
  assert.deepEqual(kept, narrowed);
  assert.match(saved ?? '', /^view_/);

  const colleague = await openAs('reader');
  await openOrders(colleague.page);
  await openMenu(colleague.page, 'Views');
  await pressEntry(colleague.page, 'To be made');
  await order(colleague.page, cancelled.reference).waitFor({ state: 'detached' });
  await order(colleague.page, pending.reference).waitFor();
  assert.deepEqual(queryOf(colleague.page), queryOf(page));
  assert.deepEqual(await heads(colleague.page), ['', 'Order', 'Status', 'For', 'Blocked by', 'Due', 'Placed']);
  await openMenu(colleague.page, 'Views: To be made');
  assert.deepEqual(
    await colleague.page.getByRole('menuitem').allTextContents(),
    ['Save this list as a view', 'Leave the view'],
    'a reader does not change what is for all',
  );
  await pressEntry(colleague.page, 'Leave the view');
  await order(colleague.page, cancelled.reference).waitFor();
  assert.deepEqual(queryOf(colleague.page), {});
  await colleague.page.goBack();
  await order(colleague.page, cancelled.reference).waitFor({ state: 'detached' });
  await colleague.page.goto(page.url());
  await colleague.page.getByRole('button', { name: 'Views: To be made', exact: true }).waitFor();
  await order(colleague.page, pending.reference).waitFor();
  assert.equal(await order(colleague.page, cancelled.reference).count(), 0, 'by the link as by the menu');

  await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Cancelled' }));
  await order(page, cancelled.reference).waitFor();
  await openMenu(page, 'Views: To be made, changed');
  await pressEntry(page, 'Save into: To be made');
  await page.getByText('Saved into To be made.').waitFor();
  await openMenu(page, 'Views: To be made');
  await pressEntry(page, 'Name, and for whom: To be made');
  const renaming = page.getByRole('dialog', { name: 'To be made' });
  await renaming.locator('input:focus').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Given up');
  await page.keyboard.press('Enter');
  await renaming.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Views: Given up', exact: true }).waitFor();

  await openOrders(colleague.page);
  await openMenu(colleague.page, 'Views');
  await pressEntry(colleague.page, 'Given up');
  await order(colleague.page, cancelled.reference).waitFor();
  assert.equal(queryOf(colleague.page).status, 'cancelled');

  await openMenu(page, 'Views: Given up');
  await pressEntry(page, 'Delete: Given up');
  const dialog = page.getByRole('dialog', { name: 'Delete the view Given up?' });
  await dialog.getByText(/Everyone of the account loses it\./).waitFor();
  await press(dialog.getByRole('button', { name: 'Delete the view' }));
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  await openOrders(colleague.page);
  await openMenu(colleague.page, 'Views');
  await colleague.page.getByText('No view of this list is saved yet.').waitFor();
  assert.deepEqual([faults, colleague.faults], [[], []]);
  await Promise.all([close(), colleague.close()]);
});

test('a reader saves a view of their own from the palette, and none for all', async () => {
  const { page, faults, close } = await openAs('reader');
  await openOrders(page, '?status=pending');
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  await choose(page, 'Leave out the column: Total');
  await eventually('the column to go', async () => !(await heads(page)).includes('Total'));
  await choose(page, 'Save this list as a view');
  const dialog = page.getByRole('dialog', { name: 'Save this list as a view' });
  await dialog.getByText('You alone have it.').waitFor();
  assert.equal(await dialog.getByRole('checkbox').count(), 0);
  await saveAs(page, 'Mine', { isForAll: false });
  await openOrders(page);
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  await choose(page, 'Show the view: Mine');
  await order(page, premises.orders.cancelled.reference).waitFor({ state: 'detached' });
  assert.ok(!(await heads(page)).includes('Total'));
  const person = await openPerson(premises.service, premises.service.customer.accountId, 'reader');
  const portal = await openPortal(premises.service, person);
  const body = { page: 'orders', name: 'Ours', filters: '', columns: [], is_for_all: true };
  assert.equal((await portal.request('POST', '/views', { body })).status, 403, 'the server refuses it, too');
  const theirs = await portal.request<{ data: { name: string }[] }>('GET', '/views?page=orders');
  assert.ok(!theirs.body.data.some(({ name }) => name === 'Mine'), 'the own view of another reader is not there');
  assert.deepEqual(faults, []);
  await close();
});

test('a name that is taken is refused at its field, and what was typed stays', async () => {
  const { page, close } = await premises.openWindow();
  await openOrders(page);
  for (const times of [1, 2]) {
    await openMenu(page, /^Views/);
    await pressEntry(page, 'Save this list as a view');
    if (times === 1) await saveAs(page, 'Twice', { isForAll: false });
  }
  const dialog = page.getByRole('dialog', { name: 'Save this list as a view' });
  await dialog.locator('input:focus').waitFor();
  await page.keyboard.type('twice');
  await page.keyboard.press('Enter');
  await dialog
    .getByText(/has this name already/)
    .first()
    .waitFor();
  assert.equal(await dialog.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true');
  assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'twice');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Views: Twice' }).and(page.locator(':focus')).waitFor();
  await openMenu(page, /^Views/);
  await pressEntry(page, 'Delete: Twice');
  await press(page.getByRole('button', { name: 'Delete the view' }));
  await page.getByText('Deleted Twice.').waitFor();
  await close();
});

test('axe finds nothing in the open menus, in light and dark, and all that is chosen is reached at 390 pixels', async () => {
  const { page, faults, close } = await premises.openWindow({ widthPx: 390, heightPx: 844 });
  await openOrders(page);
  await openMenu(page, 'Columns');
  const [minor, shown] = ['Placed', 'Total'].map((name) => page.getByRole('menuitemcheckbox', { name }));
  assert.equal(
    await minor?.getAttribute('aria-checked'),
    'false',
    'what a narrow page leaves out is not said to be shown',
  );
  assert.equal(await shown?.getAttribute('aria-checked'), 'true');
  await pressEntry(page, 'Placed');
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Placed' }).waitFor();
  const excess = 'document.documentElement.scrollWidth - window.innerWidth';
  assert.ok((await page.evaluate<number>(excess)) <= 0, 'the page does not move sideways, the table does');
  await openMenu(page, 'Views');
  await pressEntry(page, 'Save this list as a view');
  await saveAs(page, 'On the phone', { isForAll: false });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
    for (const name of ['Columns', 'Views: On the phone']) {
      await openMenu(page, name);
      assert.deepEqual(await problemsOfAxe(page), [], `${name} in ${colorScheme}`);
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'hidden' });
    }
  }
  const { accountId } = premises.service.customer;
  await fillTo(premises.service, { accountId, userId: null, count: 50 });
  await page.goto('/portal/problems');
  await openMenu(page, 'Views');
  await page.getByRole('menuitemradio').nth(49).waitFor();
  const foot = await page.getByRole('menuitem', { name: 'Save this list as a view' }).boundingBox();
  assert.ok(foot !== null && foot.y + foot.height < 844, 'below as many views as there can be');
  assert.deepEqual(await problemsOfAxe(page), [], 'with 50 views');
  assert.deepEqual(faults, []);
  await close();
});

test('the list of documents keeps its tab, and each list has views of its own', async () => {
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/money?view=documents&from=2026-01-01');
  await openMenu(page, 'Views');
  await pressEntry(page, 'Save this list as a view');
  await saveAs(page, 'This year', { isForAll: false });
  await openMenu(page, 'Views: This year');
  await pressEntry(page, 'Leave the view');
  assert.deepEqual(queryOf(page), { view: 'documents' });
  await openMenu(page, 'Views');
  await pressEntry(page, 'This year');
  assert.equal(queryOf(page).from, '2026-01-01');
  await page.goto('/portal/money');
  await openMenu(page, 'Views');
  await page.getByText('No view of this list is saved yet.').waitFor();
  assert.deepEqual(faults, []);
  await close();
});
