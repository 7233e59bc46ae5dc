import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isoTime } from '../../../../src/lib/clock.ts';
import { parseId } from '../../../../src/lib/ids.ts';
import { dryRun } from '../../../../src/privacy/retention/dry-run.ts';
import { sweepNow } from '../../../../src/privacy/retention/sweep.ts';
import { eventually } from '../../../harness/context.ts';
import { openFloor, placeOrder } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { assertSound, rows } from '../../../harness/written.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

type Log = {
  data: { id: string; event: string }[];
  has_more: boolean;
  next_cursor: string | null;
  log_begins_at: string;
};

describe('events and deliveries end after KEEP_EVENTS_DAYS', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const logOf = async (query = ''): Promise<Log> => {
    const answer = await service.customer.request<Log>('GET', `/events?limit=100${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const eventIds = async (): Promise<string[]> =>
    (await rows<{ id: string }>(service, 'select id from event order by id')).map(({ id }) => id);
  /** A delivery of an event as it would be by now. */
  const deliver = (event: string, state: string): Promise<unknown> =>
    rows(
      service,
      `insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, state, due_at, created_at)
       select account_id, uuid_v7(created_at), gen_random_uuid(), 1, id, event, $2, 'infinity', created_at from event where id = $1`,
      [event, state],
    );

  test('the sweep leaves an event until just before its end, and deletes it just after, with its deliveries', async () => {
    const order = await placeOrder(service);
    const floor = await openFloor(service);
    const [event] = (await logOf(`&order=${order.id}`)).data;
    const id = parseId('evt', event?.id ?? '') ?? assert.fail('no event');
    await deliver(id, 'succeeded');
    service.shiftMs(30 * DAY_MS + 5 * MINUTE_MS);
    assert.deepEqual((await logOf()).data, [], 'the log shows 30 days');
    assert.equal(
      (await sweepNow(service.ctx)).get('events'),
      0,
      'within the ten minutes in which an event may be recorded',
    );
    assert.ok((await eventIds()).includes(id));
    service.shiftMs(6 * MINUTE_MS);
    const would = await dryRun(service.ctx, 100);
    assert.deepEqual(
      would.filter(({ kind }) => kind === 'events' || kind === 'deliveries').map(({ kind, count }) => [kind, count]),
      [
        ['deliveries', 1],
        ['events', 1],
      ],
    );
    assert.ok((await eventIds()).includes(id), 'a dry run deletes nothing');
    const gone = await sweepNow(service.ctx);
    assert.deepEqual([gone.get('deliveries'), gone.get('events')], [1, 1]);
    assert.deepEqual(await eventIds(), []);
    await assertSound(service);
    // The order goes on, and what happens now has its event.
    await floor.post(`/orders/${order.id}/hold`, { reason: 'late' });
    assert.deepEqual(
      (await logOf()).data.map((one) => one.event),
      ['order.on_hold'],
    );
    await assertSound(service);
  });

  test('a delivery that is still to be sent keeps its event and all later ones of its account', async () => {
    await placeOrder(service);
    await placeOrder(service);
    const [first = '', second = ''] = (await eventIds()).slice(-2);
    await deliver(first, 'pending');
    await deliver(second, 'abandoned');
    service.shiftMs(31 * DAY_MS);
    const gone = await sweepNow(service.ctx);
    assert.equal(gone.get('deliveries'), 1);
    assert.deepEqual(await eventIds(), [first, second]);
    await rows(service, `update webhook_delivery set state = 'cancelled'`);
    assert.equal((await sweepNow(service.ctx)).get('events'), 2);
    assert.deepEqual(await eventIds(), []);
    await assertSound(service);
  });

  test('a redelivery and a delivery of a replay keep their events until they have ended, and no others', async () => {
    for (let order = 0; order < 3; order += 1) await placeOrder(service);
    const [first = '', second = '', third = ''] = (await eventIds()).slice(-3);
    service.shiftMs(31 * DAY_MS);
    const now = service.ctx.clock.now();
    for (const [event, kind] of [
      [first, 'redelivery'],
      [third, 'replay'],
    ]) {
      await rows(
        service,
        `insert into webhook_delivery (account_id, id, subscription_id, generation, event_id, event, kind, state, due_at, created_at)
         select account_id, uuid_v7($3::timestamptz), gen_random_uuid(), 1, id, event, $2, 'retrying', 'infinity', $3 from event where id = $1`,
        [event ?? '', kind ?? '', now],
      );
    }
    assert.equal((await sweepNow(service.ctx)).get('events'), 1, second);
    assert.deepEqual(await eventIds(), [first, third]);
    await rows(service, `update webhook_delivery set state = 'abandoned'`);
    assert.equal((await sweepNow(service.ctx)).get('events'), 2);
    await assertSound(service);
  });

  test('a cursor or a time from before the log begins reads from its beginning, skips nothing and says where it begins', async () => {
    await placeOrder(service);
    // A transaction of another test on this server may be in front of an event for a while.
    const old = await eventually('the event is in the log', async () => (await logOf()).data.at(-1));
    const beganAt = isoTime(service.ctx.clock.now());
    service.shiftMs(31 * DAY_MS);
    await sweepNow(service.ctx);
    const orders = [await placeOrder(service), await placeOrder(service)];
    await eventually('both are in the log', async () => (await logOf()).data.length === orders.length);
    for (const query of ['', `&cursor=${old.id}`, `&since=${beganAt}`]) {
      const log = await logOf(query);
      assert.equal(log.data.length, orders.length, query);
      assert.ok(log.log_begins_at > beganAt);
    }
    const unknown = await logOf('&order=PF-22222222');
    assert.deepEqual([unknown.data, unknown.log_begins_at > beganAt], [[], true]);
  });

  test('another account keeps its own, whatever the first has', async () => {
    const other = await service.openCustomer({ balancePence: 100_000 });
    const before = (await eventIds()).length;
    assert.ok(before > 0);
    assert.deepEqual((await other.request<Log>('GET', '/events')).body.data, []);
    service.shiftMs(31 * DAY_MS);
    await placeOrder(service);
    assert.equal((await sweepNow(service.ctx)).get('events'), before);
    assert.equal((await eventIds()).length, 1);
  });
});
