import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { lastMoveOf } from './production.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted } from './stations.ts';

before(openStations);
after(closeStations);

/** An order in production, and the paths of its first line. */
async function begun() {
  const order = await promoted([blank(2)]);
  const [line] = linesOf(order);
  const at = (what: string) => `/orders/${order.id}/lines/${line}/${what}`;
  await floor.post(at('start'));
  return { order, line, at };
}

describe('a paused line is resumed', () => {
  test('once, goes on where it was, and can be paused again for another reason', async () => {
    const { line, at } = await begun();
    await floor.post(at('pause'), { reason: 'The ink is late.' });
    const key = { 'idempotency-key': 'resume-1' };
    const first = await floor.request('POST', at('resume'), undefined, key);
    assert.deepEqual([first.status, first.body.hold, first.body.lines[0]?.status], [200, null, 'printing']);
    const who = `operator ${floor.email}`;
    assert.deepEqual(lastMoveOf(first.body), ['resume_line', 'in_production', 'in_production', who, line]);
    await floor.post(at('finish'), { quantity: 1 });
    assert.equal((await floor.post(at('pause'), { reason: 'The press is down.' })).hold?.reason, 'The press is down.');
    const again = await floor.request('POST', at('resume'), undefined, key);
    assert.deepEqual([again.status, again.body.hold?.reason], [200, 'The press is down.'], 'a repeat resumes nothing');
    await floor.post(at('resume'));
  });

  test('only if it is paused, and its order in production', async () => {
    const { order, at } = await begun();
    const refused = async () => {
      const { status, body } = await floor.request('POST', at('resume'));
      assert.deepEqual([status, body.code], [409, 'conflict']);
      return body.detail ?? '';
    };
    assert.equal(await refused(), 'This line is not paused.');
    await floor.post(at('pause'), { reason: 'The ink is late.' });
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'too late' });
    assert.equal(await refused(), 'This order cannot be paused or resumed: it is cancelled.');
  });
});
