import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PostOptions, PostResult } from '../../../src/lib/outbound/outbound.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { EVENT_NAMES } from '../../../src/webhooks/events.ts';
import type { Delivery } from '../../../src/webhooks/recovery/deliveries-schema.ts';
import type { WebhookTest } from '../../../src/webhooks/recovery/recovery-schema.ts';
import { sendTest } from '../../../src/webhooks/recovery/send-test.ts';
import { eventually } from '../../harness/context.ts';
import { assertSigned } from '../../harness/receiver.ts';
import { hang } from '../../harness/stranger.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const send = (bearer: string, id: string, body?: unknown) =>
  call<WebhookTest>(bearer, 'POST', `/webhooks/${id}/test`, body);

test('nothing of the answer of a private host that the operator trusts is shown, whatever its status', async () => {
  const bearer = await token();
  for (const [path, status] of [
    ['/inside', 200],
    ['/inside/refused', 403],
  ] as const) {
    world.receiver.serve(path, { status, body: '{"secret":"of the intranet"}' });
    const { id } = await world.subscribe(callerOf(bearer), path);
    const { body } = await send(bearer, id);
    assert.deepEqual([body.response_code, body.answer], [status, '']);
    assert.doesNotMatch(JSON.stringify(body), /intranet/);
  }
});

test('the beginning of the answer of a public host comes back as text', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  const { id } = await world.subscribe(caller, '/shown');
  // No public host can be reached here, so the call itself is replaced.
  const outbound = {
    ...world.ctx.outbound,
    post: async (_url: string, { takeAnswer }: PostOptions): Promise<PostResult> => {
      for (let chunk = 0; chunk < 3; chunk += 1) takeAnswer?.(Buffer.from('thank you'.repeat(100)));
      return { kind: 'answered', status: 200 };
    },
  };
  const { answer, delivered } = await sendTest({ ...world.ctx, outbound }, caller, id, {});
  assert.equal(delivered, true);
  assert.match(answer, /^(thank you)+/);
  assert.equal(Buffer.byteLength(answer), 2_048, 'the beginning of a long answer');
});

test('a test event is signed and marked, and how it was answered comes back; nothing is recorded or counted', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/tried', { status: 200 });
  const subscription = await world.subscribe(caller, '/tried');
  const { id } = subscription;
  const { status, body } = await send(bearer, id);
  assert.equal(status, 200);
  const hit = world.hitsOn('/tried')[0] ?? assert.fail('nothing came');
  assertSigned(hit, subscription.secret);
  const sent = JSON.parse(hit.body.toString()) as Record<string, unknown>;
  assert.deepEqual(body.request.body, sent);
  assert.deepEqual(
    [sent.event, sent.test, (sent.data as Record<string, unknown>).reference],
    ['order.created', true, 'PF-00000000'],
  );
  for (const [name, value] of Object.entries(body.request.headers)) assert.equal(hit.headers[name], value, name);
  assert.deepEqual([body.delivered, body.response_code, body.error], [true, 200, null]);

  for (const event of EVENT_NAMES) assert.equal((await send(bearer, id, { event })).body.request.body.event, event);
  world.receiver.serve('/tried', { status: 500 });
  const failed = (await send(bearer, id, {})).body;
  assert.deepEqual([failed.delivered, failed.response_code], [false, 500]);
  assert.match(failed.error ?? '', /answered 500/);

  await call(bearer, 'PATCH', `/webhooks/${id}`, { active: false });
  assert.equal((await send(bearer, id)).status, 200, 'before it is resumed');
  assert.equal((await world.look(caller, subscription)).failure_count, 0);
  assert.deepEqual((await call<Page<Delivery>>(bearer, 'GET', `/webhooks/${id}/deliveries`)).body.data, []);
});

test('a receiver that hangs ends the test within its time, and an account has one test at a time', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/hangs', hang);
  const { id } = await world.subscribe(caller, '/hangs');
  const first = send(bearer, id);
  await eventually('the test', () => world.hitsOn('/hangs').length === 1);
  const second = await call(bearer, 'POST', `/webhooks/${id}/test`);
  assert.deepEqual([second.status, second.body.code], [409, 'conflict']);
  const { body } = await first;
  assert.deepEqual([body.delivered, body.response_code, body.answer], [false, null, '']);
  assert.ok(body.error !== null && body.duration_ms < 10_000);
  assert.equal(world.hitsOn('/hangs').length, 1);
});

test("5.5 a test of another account's subscription is 404, and an unknown event 422", async () => {
  const bearer = await token();
  const { id } = await world.subscribe(callerOf(bearer), '/mine');
  assert.equal((await send(await token(), id)).status, 404);
  assert.equal((await send(bearer, 'whk_1')).status, 404);
  assert.equal((await send(bearer, id, { event: 'order.delivered' })).status, 422);
  assert.equal(world.hitsOn('/mine').length, 0);
});
