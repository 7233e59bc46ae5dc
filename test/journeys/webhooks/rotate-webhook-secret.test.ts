import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../../sdk/src/index.ts';
import { newId, parseId, publicId } from '../../../src/lib/ids.ts';
import { startDeliveries } from '../../../src/webhooks/deliver.ts';
import {
  findSigning,
  lockForRotation,
  moveNextSecretOf,
  moveNextSecrets,
  putNextSecret,
} from '../../../src/webhooks/recovery/next-secret-sql.ts';
import type { RotatedSecret } from '../../../src/webhooks/recovery/recovery-schema.ts';
import { eventually } from '../../harness/context.ts';
import { assertSigned } from '../../harness/receiver.ts';
import type { Hit } from '../../harness/stranger.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

const rotate = (bearer: string, id: string) => call<RotatedSecret>(bearer, 'POST', `/webhooks/${id}/rotate-secret`);

/** How receivers of one secret see a delivery: by the three verifiers that there are. */
async function accepts(hit: Hit, secret: string): Promise<boolean[]> {
  const { headers, body } = hit;
  const now = world.ctx.clock.now();
  const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const standard = () => {
    new Webhook(secret).verify(body, { ...flat });
    return true;
  };
  const refused = () => false;
  return [
    await verifyWebhook({ secret, headers, rawBody: body, now }).then(() => true, refused),
    await Promise.resolve().then(standard).catch(refused),
  ];
}

test('after a rotation holders of either secret accept every delivery for a day, and then those of the new one alone', async () => {
  const bearer = await token();
  const caller = callerOf(bearer);
  world.receiver.serve('/rotated', { status: 204 });
  const subscription = await world.subscribe(caller, '/rotated');
  const { id, secret: before } = subscription;
  const { status, body: rotated } = await rotate(bearer, id);
  assert.equal(status, 200);
  assert.match(rotated.secret, /^whsec_/);
  const worker = startDeliveries(world.ctx, { pollMs: 20 });
  let count = 0;
  const next = async (): Promise<Hit> => {
    await world.publish(caller);
    count += 1;
    return eventually('a delivery', () => world.hitsOn('/rotated')[count - 1]);
  };
  try {
    const during = await next();
    assertSigned(during, before);
    assert.deepEqual(await accepts(during, before), [true, true]);
    assert.deepEqual(await accepts(during, rotated.secret), [true, true]);
    assert.deepEqual(await accepts(during, 'whsec_bm90IHRoaXMgb25l'), [false, false]);

    // A second time within the day: the secret that was to come is replaced, the present one stays.
    const again = (await rotate(bearer, id)).body;
    assert.notEqual(again.secret, rotated.secret);
    const afterTwo = await next();
    assertSigned(afterTwo, before);
    assert.deepEqual(await accepts(afterTwo, rotated.secret), [false, false]);
    assert.deepEqual(await accepts(afterTwo, again.secret), [true, true]);

    // By the time alone, before the worker has moved it and after.
    const read = (await call(bearer, 'GET', `/webhooks/${subscription.id}`)).body;
    assert.equal(read.previous_secret_until, again.previous_secret_until);
    const untilMs = Date.parse(again.previous_secret_until) - world.ctx.clock.now().getTime();
    assert.ok(Math.abs(untilMs - 86_400_000) < 60_000);
    world.ctx.clock.shift(untilMs + 1);
    const after = (await call(bearer, 'GET', `/webhooks/${subscription.id}`)).body;
    assert.equal(after.previous_secret_until, null);
    const isAlone = async (hit: Hit): Promise<void> => {
      assertSigned(hit, again.secret);
      assert.equal(hit.headers['svc-signature-next'], undefined);
      assert.equal(String(hit.headers['webhook-signature']).split(' ').length, 1);
      assert.equal((await accepts(hit, before))[0], false);
    };
    await isAlone(await next());
    await moveNextSecrets(world.ctx.database, world.ctx.clock.now());
    await isAlone(await next());
    const third = (await rotate(bearer, id)).body;
    const last = await next();
    assertSigned(last, again.secret);
    assert.equal((await accepts(last, third.secret))[0], true);
    for (const secret of [before, rotated.secret, again.secret, third.secret]) {
      assert.ok(!world.ctx.logged.join('').includes(secret), 'no secret in the log');
    }
  } finally {
    await worker.stop(2_000);
  }
});

test('a rotation that meets the worker keeps the secret in use, though the worker has not moved it yet', async () => {
  const bearer = await token();
  const { accountId } = callerOf(bearer);
  const { database, secrets, clock } = world.ctx;
  const { id: whk } = await world.subscribe(callerOf(bearer), '/met');
  const id = parseId('whk', whk) ?? assert.fail();
  const inUse = (await rotate(bearer, whk)).body.secret;
  const now = new Date(clock.now().getTime() + 86_400_001);
  let moving: Promise<unknown> | undefined;
  const rotation = database.transaction(async (tx) => {
    assert.ok(await lockForRotation(tx, accountId, id));
    moving = moveNextSecrets(database, now).catch((error: unknown) => error);
    await delay(200);
    await moveNextSecretOf(tx, accountId, id, now);
    const aloneFrom = new Date(now.getTime() + 86_400_000);
    await putNextSecret(tx, { accountId, id, sealed: secrets.seal('whsec_dGhlIHRoaXJk'), now, aloneFrom });
  });
  await rotation;
  assert.equal(await moving, undefined, 'neither waits for the other');
  const row = (await findSigning(database, accountId, id)) ?? assert.fail();
  const open = (bytes: Buffer | null, keyId: string | null) => secrets.unseal({ bytes: bytes ?? assert.fail(), keyId });
  assert.equal(open(row.secret_sealed, row.secret_sealed_with), inUse);
  assert.equal(open(row.next_sealed, row.next_sealed_with), 'whsec_dGhlIHRoaXJk');
});

test("5.5 a rotation of another account's subscription is 404, and changes nothing", async () => {
  const bearer = await token();
  const { id } = await world.subscribe(callerOf(bearer), '/kept');
  assert.equal((await rotate(await token(), id)).status, 404);
  assert.equal((await rotate(bearer, publicId('whk', newId()))).status, 404);
  assert.equal((await rotate(bearer, 'nonsense')).status, 404);
  const rows = await world.ctx.database.all<{ count: number }>(
    { name: 'test_next', text: 'select count(*) as count from webhook_next_secret where account_id = $1' },
    [callerOf(bearer).accountId],
  );
  assert.equal(rows[0]?.count, 0);
});
