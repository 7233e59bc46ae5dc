import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { verify } from '../../../src/verify/verify.ts';
import { type FakeIntent, movedBy } from '../../harness/provider.ts';
import { closeTill, openTill, paid, till, told } from '../payments/disputed.ts';

// Each test breaks what is booked of a dispute as a bug might, sees that `platen verify` says so, and mends it.

const OUT = 'what the disputes of a payment have taken came back of it, and is what was reported, up to the payment';
const BACK = 'what disputes have given back is posted so';

let intent: FakeIntent;
before(() => openTill());
beforeEach(async () => {
  till.provider.decide('accept');
  ({ intent } = await paid());
  await told('funds_withdrawn', intent, { id: 'dp_a', ...movedBy(-100) });
  await told('funds_reinstated', intent, { id: 'dp_a', status: 'lost', ...movedBy(-100, 30) });
  await told('funds_withdrawn', intent, { id: 'dp_b', ...movedBy(-50) });
  assert.deepEqual(await broken(), []);
});
after(() => closeTill());

async function broken(): Promise<string[]> {
  const { checks } = await verify(till.service.ctx);
  return checks.filter(({ violations }) => violations.length > 0).map(({ name }) => name);
}

async function plant(changes: string, of = 'dp_a'): Promise<void> {
  await till.service.ctx.database.script(
    `update payment_dispute d set ${changes} from payment_attempt a
     where a.id = d.attempt_id and a.intent_id = '${intent.id}' and d.dispute_id = '${of}'`,
  );
}

test('platen verify finds a dispute that has taken more, or less, than came back of its payment', async () => {
  for (const by of ['+ 1', '- 1']) {
    await plant(`booked_withdrawn_pence = booked_withdrawn_pence ${by}`);
    assert.deepEqual(await broken(), [OUT], by);
    await plant(`booked_withdrawn_pence = 100`);
  }
});

test('platen verify finds a dispute of which more is booked as given back than is posted', async () => {
  await plant('booked_reinstated_pence = 31, reinstated_pence = 31');
  assert.deepEqual(await broken(), [BACK]);
  await plant('booked_reinstated_pence = 30, reinstated_pence = 30');
});

test('platen verify finds what was reported and is not booked, although there is room for it', async () => {
  await plant('withdrawn_pence = 60', 'dp_b');
  assert.deepEqual(await broken(), [OUT]);
  await plant('withdrawn_pence = 50', 'dp_b');
});

test('platen verify finds a dispute that is gone', async () => {
  await till.service.ctx.database.script(
    `create table gone as select * from payment_dispute where dispute_id = 'dp_b'; delete from payment_dispute where dispute_id = 'dp_b'`,
  );
  assert.deepEqual(await broken(), [OUT]);
  await till.service.ctx.database.script('insert into payment_dispute select * from gone; drop table gone');
  assert.deepEqual(await broken(), []);
});
