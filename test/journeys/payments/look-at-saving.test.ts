import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseId } from '../../../src/lib/ids.ts';
import { endSaving } from '../../../src/payments/saved-method/end-saving.ts';
import { findOwnSaving } from '../../../src/payments/saved-method/saving-sql.ts';
import { sweepSavings } from '../../../src/payments/saved-method/sweep-savings.ts';
import { callBack } from '../../harness/card-shop.ts';
import { openRole } from '../../harness/portal.ts';
import { openShop } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { completed, openTill, type Till } from './card-top-ups.ts';
import { closeCards, openCards, provider, service } from './cards.ts';
import { lookAt, methodOf, savingOf } from './savings.ts';

before(openCards);
after(closeCards);

const stored = ({ accountId }: Till) =>
  rows(service, 'select kind, provider_reference, provider_customer from payment_method where account_id = $1', [
    accountId,
  ]);

const WAYS: readonly (readonly [title: string, steps: readonly ('return' | 'callback' | 'sweep')[]])[] = [
  ['the return, then the callback twice', ['return', 'callback', 'callback']],
  ['the callback, then the return twice', ['callback', 'return', 'return']],
  ['neither: the tab was closed, and the sweep finds it', ['sweep', 'sweep', 'callback']],
];

for (const [title, steps] of WAYS) {
  test(`a card whose answers come as ${title} is saved once, and shown by its last digits`, async () => {
    const till = await openTill();
    const { saving, page } = await savingOf(till.owner);
    assert.deepEqual([saving.state, saving.page_url, page.mode, page.kinds], ['open', page.url, 'setup', 'card']);
    assert.equal((await methodOf(till.owner)).saved, null, 'nothing is saved before the page says so');
    provider.save(page);
    for (const step of steps) {
      if (step === 'return') assert.equal((await lookAt(till.owner, saving)).body.state, 'saved');
      if (step === 'callback') await completed(page);
      if (step === 'sweep') {
        service.shiftMs(31_000);
        await sweepSavings(service.ctx);
      }
    }
    const number = String(provider.pages.indexOf(page)).padStart(4, '0');
    const { saved } = await methodOf(till.owner);
    assert.deepEqual(
      [saved?.kind, saved?.label, saved?.expires_on],
      ['card', `Visa ending in ${number}`, '2031-04-30'],
    );
    assert.deepEqual(await stored(till), [
      { kind: 'card', provider_reference: `pm_saved_${number}`, provider_customer: 'cus_new' },
    ]);
    const acts = await rows(
      service,
      "select action from operator_action where subject_id = $1 and action = 'save_payment_method'",
      [till.accountId],
    );
    assert.equal(acts.length, 1);
  });
}

test('an order that waits is charged to the card that is saved, once', async () => {
  const shop = await openShop(service, 0, 0);
  const till = { accountId: shop.customer.accountId, owner: await openRole(service, 'owner', shop.customer.accountId) };
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'failed');
  const { saving, page } = await savingOf(till.owner);
  provider.save(page);
  await Promise.all([lookAt(till.owner, saving), completed(page), lookAt(till.owner, saving)]);
  const seen = await shop.customer.request<{ payment_status: string }>('GET', `/orders/${order.body.id}`);
  assert.equal(seen.body.payment_status, 'paid');
  const charged = provider.intents.filter(({ paymentMethod }) => paymentMethod === (page.method as { id: string }).id);
  assert.deepEqual(
    charged.map(({ charges, customer }) => [charges, customer]),
    [[1, 'cus_new']],
  );
});

test('a process that dies before it has charged the orders that wait leaves that to the sweep', async () => {
  const shop = await openShop(service, 0, 0);
  const owner = await openRole(service, 'owner', shop.customer.accountId);
  const { saving, page } = await savingOf(owner);
  provider.save(page);
  await lookAt(owner, saving);
  const order = await shop.order();
  assert.equal(order.body.payment_status, 'paid');
  // As it would be: saved, with an order that waited when the process died.
  await service.ctx.database.all(
    { name: 'test_undone', text: 'update method_saving set look_at = $2 where account_id = $1' },
    [shop.customer.accountId, service.ctx.clock.now()],
  );
  await sweepSavings(service.ctx);
  const left = 'select 1 from method_saving where account_id = $1 and look_at is not null';
  assert.deepEqual(await rows(service, left, [shop.customer.accountId]), []);
});

test('of two savings the one that was begun last stays, in whatever order their answers come', async () => {
  const till = await openTill();
  const first = await savingOf(till.owner);
  const second = await savingOf(till.owner, 'direct_debit');
  provider.save(second.page);
  provider.save(first.page);
  await completed(second.page);
  await completed(first.page);
  const { saved } = await methodOf(till.owner);
  assert.deepEqual([saved?.kind, saved?.expires_on], ['direct_debit', null]);
  assert.match(saved?.label ?? '', /^Bank account ending in \d{4}$/);
  assert.equal((await lookAt(till.owner, first.saving)).body.state, 'saved');
});

test('a page that was left saves nothing after its time, also where it is completed at that moment', async () => {
  const till = await openTill();
  const left = await savingOf(till.owner);
  const late = await savingOf(till.owner);
  service.shiftMs(3_600_001);
  provider.before('end page', async () => provider.save(late.page));
  await sweepSavings(service.ctx);
  provider.before('end page', async () => undefined);
  service.shiftMs(3_600_001);
  await sweepSavings(service.ctx);
  const states = await rows(service, 'select state from method_saving where account_id = $1 order by id', [
    till.accountId,
  ]);
  assert.deepEqual([states, left.page.status], [[{ state: 'ended' }, { state: 'saved' }], 'expired']);
});

test('a method of another kind than was asked for is not saved', async () => {
  const till = await openTill();
  const { saving, page } = await savingOf(till.owner);
  provider.save(page, { id: 'pm_link', object: 'payment_method', type: 'link', customer: 'cus_1' });
  assert.equal((await lookAt(till.owner, saving)).body.state, 'ended');
  assert.equal((await methodOf(till.owner)).saved, null);
});

test('two that learn of a saved card at the same moment save it once', async () => {
  const till = await openTill();
  const { saving, page } = await savingOf(till.owner);
  provider.save(page);
  const row = await findOwnSaving(service.ctx.database, till.accountId, parseId('sav', saving.id) ?? assert.fail());
  assert.ok(row);
  const method = { reference: 'pm_1', kind: 'card', customer: 'cus_1', label: '', expiresOn: null } as const;
  await Promise.all([1, 2, 3, 4].map(() => endSaving(service.ctx, row, { kind: 'saved', method })));
  assert.equal((await stored(till)).length, 1);
  await callBack({ service, provider }, 'checkout.session.completed', { id: page.id });
});

test('after all of this the books are in order', async () => {
  await assertSound(service);
});
