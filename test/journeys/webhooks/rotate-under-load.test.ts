import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import { moveNextSecrets } from '../../../src/webhooks/recovery/next-secret-sql.ts';
import type { RotatedSecret } from '../../../src/webhooks/recovery/recovery-schema.ts';
import { eventually } from '../../harness/context.ts';
import type { Hit } from '../../harness/stranger.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const OVERLAP_MS = 86_400_001;
/** Deliveries that arrive in each part of the test. */
const PART = 60;
/** Events that are published at a time. */
const AT_ONCE = 4;
/** Events that wait for their delivery, at most. */
const WAITING_MAX = 40;

/** Whether a receiver that has this secret takes a delivery, at the time at which it was sent. */
async function takes(hit: Hit, secret: string): Promise<boolean> {
  const { headers, body: rawBody } = hit;
  const now = new Date(Number(headers['svc-timestamp']) * 1_000);
  return verifyWebhook({ secret, headers, rawBody, now }).then(
    () => true,
    () => false,
  );
}

test('rotate-webhook-secret under load: each delivery is signed by the old secret or the new one, and for a day by both', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/loaded', { status: 204 });
  const { id, secret: old } = await world.subscribe(caller, '/loaded');
  const rotate = async (): Promise<string> => {
    const { status, body } = await call<RotatedSecret>(bearer, 'POST', `/webhooks/${id}/rotate-secret`);
    assert.equal(status, 200);
    return body.secret;
  };
  const hits = () => world.hitsOn('/loaded');
  const published: string[] = [];
  const load = { isFlowing: true };
  const flow = async (): Promise<void> => {
    while (load.isFlowing) {
      await eventually('room', () => !load.isFlowing || published.length - hits().length < WAITING_MAX);
      const ids = await Promise.all(Array.from({ length: AT_ONCE }, () => world.publish(caller)));
      published.push(...ids.map((event) => publicId('evt', event)));
    }
  };
  const more = async (): Promise<void> => {
    const from = hits().length;
    await eventually('more deliveries', () => hits().length >= from + PART);
  };
  /** Deliveries of events that were published from a place on. */
  const ofEvents = (from: number, to?: number): Hit[] => {
    const chosen = new Set(published.slice(from, to));
    return hits().filter(({ body }) => chosen.has((JSON.parse(String(body)) as { id: string }).id));
  };
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  const flowing = flow();
  try {
    await more();
    const next = await rotate();
    // What was being published at that moment may have been claimed before.
    const rotatedAt = published.length + AT_ONCE;
    await more();
    const endsAt = published.length;
    world.ctx.clock.shift(OVERLAP_MS);
    const overAt = endsAt + AT_ONCE;
    await more();
    await moveNextSecrets(world.ctx.database, world.ctx.clock.now());
    await more();
    load.isFlowing = false;
    await flowing;
    await eventually('all of them', () => ofEvents(0).length >= published.length);

    for (const hit of hits()) assert.ok((await takes(hit, old)) || (await takes(hit, next)), 'by one of them');
    const during = ofEvents(rotatedAt, endsAt);
    assert.ok(during.length >= PART / 4, `${during.length} during the overlap`);
    for (const hit of during) {
      const isLate = hit.headers['svc-signature-next'] === undefined;
      assert.deepEqual([isLate || (await takes(hit, old)), await takes(hit, next)], [true, true], 'by both for a day');
    }
    const afterwards = ofEvents(overAt);
    assert.ok(afterwards.length >= PART, `${afterwards.length} after the overlap`);
    for (const hit of afterwards) {
      assert.deepEqual([await takes(hit, old), await takes(hit, next)], [false, true], 'then by the new one alone');
    }
  } finally {
    load.isFlowing = false;
    await flowing;
    await worker.stop(2_000);
  }
});
