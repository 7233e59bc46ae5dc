import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { collectUnusedBlobs } from '../../../src/app/collect-blobs.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { dryRun } from '../../../src/privacy/retention/dry-run.ts';
import { sweepNow } from '../../../src/privacy/retention/sweep.ts';
import type { OpsProblem } from '../../../src/problems/ops-schema.ts';
import { servePicture } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { openProblems, type ProblemShop } from './problems.ts';

const DAY_MS = 86_400_000;

let at: ProblemShop;
before(async () => {
  at = await openProblems();
});
after(() => at.service.stop());

const photo = (name: string, colour: string): Promise<string> =>
  servePicture(at.service, `/${name}.png`, { widthPx: 120, heightPx: 80, colour });
const statusOf = async (url: string | undefined): Promise<number> => {
  const { pathname, search } = new URL(url ?? '');
  return (await fetch(`${at.service.url}${pathname}${search}`)).status;
};

test('a problem is read by its customer and by every operator, and by nobody else', async () => {
  const problem = await at.reported(await at.shipped([1]), { photos: [await photo('seen', 'teal')] });
  const stranger = await at.service.openCustomer();
  assert.equal((await stranger.request('GET', `/problems/${problem.id}`)).status, 404);
  for (const id of [publicId('prob', newId()), 'prob_1', problem.order.id]) {
    assert.equal((await at.shop.request('GET', `/problems/${id}`)).status, 404, id);
  }
  for (const role of ['viewer', 'production', 'finance', 'admin'] as const) {
    const operator = await at.service.openOperator(role);
    const { status, body } = await operator.request<OpsProblem>('GET', `/problems/${problem.id}`);
    assert.deepEqual([status, body.id, body.answered_by, body.photos.length], [200, problem.id, '', 1], role);
    assert.equal((await operator.request('GET', `/problems/${publicId('prob', newId())}`)).status, 404);
  }
});

test('its photos end their time after the answer; text and answer stay', async () => {
  const order = await at.shipped([2]);
  const shared = await photo('shared', 'navy');
  const answered = await at.reported(order, { photos: [await photo('ended', 'olive'), shared] });
  await at.answer(answered, 'refuse', { message: 'It is as ordered.' });
  const open = await at.reported(order, { photos: [shared] });
  at.service.shiftMs(179 * DAY_MS);
  await sweepNow(at.service.ctx);
  assert.equal((await at.see(answered)).photos.length, 2);
  at.service.shiftMs(2 * DAY_MS);
  const due = await dryRun(at.service.ctx, 100);
  assert.equal(due.find(({ kind }) => kind === 'problem_photos')?.count, 2);
  await sweepNow(at.service.ctx);
  await collectUnusedBlobs(at.service.ctx, undefined);
  const after = await at.see(answered);
  assert.deepEqual([after.photos, after.text, after.answer?.message], [[], answered.text, 'It is as ordered.']);
  const { photos } = await at.see(open);
  assert.equal(await statusOf(photos[0]?.url), 200, 'an open problem keeps its photo, whoever else had it');
  const [blobs] = await rows(
    at.service,
    `select count(*)::integer as left from blob b where not exists (select from problem_photo f where f.hash = b.hash)
       and b.mime = 'image/png' and b.width_px = 120`,
  );
  assert.deepEqual(blobs, { left: 0 });
});

test('an erasure of its order empties what it says, and removes its photos', async () => {
  const order = await at.shipped([2]);
  const problem = await at.reported(order, {
    photos: [await photo('erased', 'maroon')],
    external_reference: 'Mrs Smith',
  });
  await at.answer(problem, 'refuse', { message: 'Mrs Smith has worn it.' });
  const admin = await at.service.openOperator('admin');
  const erased = await admin.request('POST', `/accounts/${publicId('acct', at.shop.accountId)}/erase`, {
    order: order.id,
  });
  assert.ok(erased.status < 300, erased.text);
  const after = await at.see(problem);
  assert.deepEqual(
    [after.text, after.external_reference, after.answer?.message, after.photos, after.status],
    ['', '', '', [], 'refused'],
  );
  assert.equal(await statusOf(problem.photos[0]?.url), 404);
  assert.equal((await at.report(order)).status, 409, 'nothing says where a replacement would go');
});
