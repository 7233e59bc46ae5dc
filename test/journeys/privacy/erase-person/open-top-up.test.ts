import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../../src/lib/ids.ts';
import { sweepTopUps } from '../../../../src/payments/top-ups/sweep-top-ups.ts';
import type { ErasureReceipt } from '../../../../src/privacy/ops-schema.ts';
import { type Floor, openFloor } from '../../../harness/floor.ts';
import { rows } from '../../../harness/written.ts';
import { begun, look, openTill, type Till } from '../../payments/card-top-ups.ts';
import { closeCards, openCards, provider, service } from '../../payments/cards.ts';

let floor: Floor;
before(async () => {
  await openCards();
  floor = await openFloor(service, 'admin');
});
after(closeCards);

const erase = ({ accountId }: Till) =>
  floor.request<ErasureReceipt>('POST', `/accounts/${publicId('acct', accountId)}/erase`, { whole_account: true });

const nameOf = async ({ accountId }: Till): Promise<string | undefined> =>
  (await rows<{ name: string }>(service, 'select name from account where id = $1', [accountId]))[0]?.name;

test('an account is not erased while a page of its top-ups can be paid: nothing would say whose the money is', async () => {
  const till = await openTill();
  const { topUp, page } = await begun(till);
  const refused = await erase(till);
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], refused.text);
  assert.match(refused.body.detail ?? '', /wait for the end of its top-ups by card that are under way \(1\)/);
  assert.notEqual(await nameOf(till), 'erased');
  assert.deepEqual(await rows(service, 'select id from erasure where account_id = $1', [till.accountId]), []);
  provider.pay(page);
  assert.equal((await look(till.owner, topUp)).body.state, 'paid', 'its people were not suspended');
  assert.match((await erase(till)).body.detail ?? '', /pay out its balance of £50\.00/);
});

test('an account is erased once the page of its top-up has ended without a payment', async () => {
  const till = await openTill();
  await begun(till);
  assert.equal((await erase(till)).status, 409);
  service.shiftMs(3_600_000);
  await sweepTopUps(service.ctx);
  const erased = await erase(till);
  assert.deepEqual([erased.status, erased.body.state, await nameOf(till)], [200, 'done', 'erased'], erased.text);
});
