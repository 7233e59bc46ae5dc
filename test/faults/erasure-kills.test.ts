import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AppContext } from '../../src/app/context.ts';
import type { Database } from '../../src/lib/db.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { requestErasure } from '../../src/privacy/erase/request-erasure.ts';
import { runErasures } from '../../src/privacy/erase/worker.ts';
import { type Floor, openFloor, placeOrder } from '../harness/floor.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { HOME } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';
import { huntInDatabase } from '../journeys/privacy/hunt.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  // No worker of its own: what is left of a killed request stays until the test says so.
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service, 'admin');
});
after(() => service.stop());

class Killed extends Error {}

/** A context whose process ends before the statement or transaction with this number, or after its commit. */
function dyingAt(ctx: AppContext, step: number, when: 'before' | 'after'): { ctx: AppContext; steps: () => number } {
  let taken = 0;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const at = taken;
    taken += 1;
    if (at > step || (at === step && when === 'before')) throw new Killed('killed');
    const result = await work();
    if (at === step) throw new Killed('killed');
    return result;
  };
  const database: Database = {
    ...ctx.database,
    all: (what, values) => run(() => ctx.database.all(what, values)),
    one: (what, values) => run(() => ctx.database.one(what, values)),
    transaction: (work) => run(() => ctx.database.transaction(work)),
  };
  return { ctx: { ...ctx, database }, steps: () => taken };
}

async function personWith(mark: string): Promise<Uuid> {
  const address = { ...HOME, contact_name: `Ada ${mark}`, postcode: 'LS9 9ZZ' };
  for (let at = 0; at < 2; at += 1) {
    const order = await placeOrder(service, { shipping_address: address, notes: `for ${mark}` });
    await floor.post(`/orders/${order.id}/cancel`, { reason: `${mark} asked` });
  }
  return service.customer.accountId;
}

const request = (ctx: AppContext, accountId: Uuid, mark: string) =>
  requestErasure(
    ctx,
    { kind: 'command line', osUser: 'test' },
    {
      subject: { scope: 'recipient', accountId, recipient: { kind: 'name', name: `Ada ${mark}`, postcode: 'LS9 9ZZ' } },
      reason: undefined,
      waitMs: 60_000,
    },
  );

const entries = async (): Promise<number> =>
  (await rows<{ count: number }>(service, 'select count(*)::integer as count from erasure_ledger'))[0]?.count ?? 0;

test('an erasure that is killed at any step is carried out once the ledger has it, and else nothing is erased', async () => {
  await runErasures(service.ctx);
  const whole = dyingAt(service.ctx, Number.POSITIVE_INFINITY, 'before');
  await request(whole.ctx, await personWith('stepwise'), 'stepwise');
  const steps = whole.steps();
  assert.ok(steps > 10, `${steps} steps`);
  let [carriedOut, notBegun] = [0, 0];
  for (let step = 0; step < steps; step += 1) {
    for (const when of ['before', 'after'] as const) {
      const mark = `mark${step}${when}`;
      const accountId = await personWith(mark);
      const known = await entries();
      await assert.rejects(request(dyingAt(service.ctx, step, when).ctx, accountId, mark), Killed);
      await runErasures(service.ctx);
      const found = await huntInDatabase(service.ctx.database, mark);
      if ((await entries()) > known) {
        assert.deepEqual(found, [], `killed ${when} step ${step}`);
        carriedOut += 1;
      } else {
        assert.ok(found.includes('orders.shipping_address'), `killed ${when} step ${step}`);
        notBegun += 1;
      }
      const again = await request(service.ctx, accountId, mark);
      assert.deepEqual([again.state, again.orders_erased], ['done', 2], `repeated after ${when} step ${step}`);
    }
  }
  assert.ok(carriedOut > 5 && notBegun > 5, `${carriedOut} carried out, ${notBegun} not begun`);
  assert.deepEqual(await huntInDatabase(service.ctx.database, 'Ada mark'), []);
  await assertSound(service);
});

test('what a killed request had listed is removed after an hour, and its orders stay as they are', async () => {
  const accountId = await personWith('leftover');
  const id = newId();
  await service.ctx.database.script(
    `insert into erasure (account_id, id, scope, subject, state, requested_at)
       values ('${accountId}', '${id}', 'recipient', '\\x00', 'listing', now() - interval '2 hours');
     insert into erasure_order (account_id, erasure_id, order_id)
       select account_id, '${id}', id from orders where notes = 'for leftover'`,
  );
  await runErasures(service.ctx);
  await runErasures(service.ctx);
  assert.deepEqual(await rows(service, 'select id from erasure where id = $1', [id]), []);
  assert.deepEqual(await rows(service, 'select order_id from erasure_order where erasure_id = $1', [id]), []);
  assert.ok((await huntInDatabase(service.ctx.database, 'leftover')).includes('orders.notes'));
});
