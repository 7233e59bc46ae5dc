import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { eventually, openAccount, openTestContext, type TestContext } from '../../../test/harness/context.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { createSecrets, type Secrets } from '../../lib/secrets.ts';
import { findSigning, moveNextSecrets } from '../../webhooks/recovery/next-secret-sql.ts';
import { openSecrets } from '../../webhooks/recovery/open-secrets.ts';
import { forgetKey } from './forget-key.ts';
import { IN_USE_MS, resealBatch, SEALED_STORES, startNotingKey, startResealing } from './reseal.ts';
import { listKeyUses, noteKeyUse } from './sql.ts';
import { neededKeys, readSecretsStatus, refuseMissingKeys } from './status.ts';

const [FIRST = '', SECOND = '', THIRD = ''] = ['first', 'second', 'third'].map((name) => `${name} `.repeat(8));
const first = createSecrets(FIRST);
const second = createSecrets(SECOND, [FIRST]);
const third = createSecrets(THIRD, [SECOND, FIRST]);

let world: TestContext;
let accountId: Uuid;
before(async () => {
  world = await openTestContext({});
  ({ accountId } = await openAccount(world));
});
after(() => world.close());
beforeEach(async () => {
  await sql('truncate webhook_subscription, webhook_next_secret, webhook_replay, oauth_record, secret_key_use');
});

const sql = <Row>(text: string, values: (string | Buffer | Date | Uuid)[] = []): Promise<Row[]> =>
  world.database.all<Row>({ name: `reseal_test_${text}`.slice(0, 60), text }, values);

const at = (secrets: Secrets) => ({ ...world, secrets });

/** Writes a subscription with a secret that a key sealed; `noted` is what the row says of its key. */
async function subscribe(secrets: Secrets, secret: string, noted: 'noted' | 'not noted' = 'noted'): Promise<void> {
  const { bytes, keyId } = secrets.seal(secret);
  await sql(
    `insert into webhook_subscription (id, account_id, url, description, secret_sealed, secret_sealed_with, created_at, updated_at)
     values ($1, $2, 'https://example.com', $3, $4, nullif($5, ''), $6, $6)`,
    [newId(), accountId, secret, bytes, noted === 'noted' ? keyId : '', new Date()],
  );
}

/** Writes a session that a key sealed. */
async function signIn(secrets: Secrets, text: string, expiresInMs = 3_600_000): Promise<void> {
  const { bytes, keyId } = secrets.seal(text);
  await sql(
    `insert into oauth_record (key_hash, kind, sealed, sealed_with, created_at, expires_at)
     values ($1, 'session', $2, $3, $4, $5)`,
    [randomBytes(32), bytes, keyId, new Date(), new Date(world.clock.now().getTime() + expiresInMs)],
  );
}

type SealedColumns = { secret: string; bytes: Buffer; key_id: string | null };

/** What is stored of all subscriptions, each with the secret that it was made with. */
const stored = (): Promise<SealedColumns[]> =>
  sql('select description as secret, secret_sealed as bytes, secret_sealed_with as key_id from webhook_subscription');

async function assertReadable(secrets: Secrets, count: number): Promise<void> {
  const rows = await stored();
  assert.equal(rows.length, count);
  for (const { secret, bytes, key_id: keyId } of rows) assert.equal(secrets.unseal({ bytes, keyId }), secret);
}

/** Runs batches of a node until it has nothing to do; returns how many values it has dealt with. */
async function resealAll(secrets: Secrets): Promise<number> {
  let dealt = 0;
  for (const store of SEALED_STORES) {
    for (let batch = 1; batch > 0; dealt += batch) batch = await resealBatch(at(secrets), store);
  }
  return dealt;
}

const use = (secrets: Secrets) => noteKeyUse(world.database, secrets.keyId, world.clock.now());

const sealedBy = async (secrets: Secrets, key: Secrets) => {
  const found = (await readSecretsStatus(at(secrets))).keys.find(({ id }) => id === key.keyId);
  return [found?.state, found?.webhook_secrets, found?.sign_ins];
};

test('three generations of keys, removed in turn: each value is read at every step, and none is lost', async () => {
  for (const [n, generation] of [first, second, third].entries()) {
    for (let i = 0; i < 5; i += 1) await subscribe(generation, `whsec_${n}_${i}`);
    await signIn(generation, `session ${n}`, 90 * 60_000);
    await use(generation);
    world.clock.shift(60 * 60_000);
  }
  await use(third);
  await assertReadable(third, 15);
  assert.equal((await readSecretsStatus(at(third))).complete, false);
  assert.deepEqual(await sealedBy(third, first), ['readable', 5, 0], 'its session has expired');
  assert.equal(await resealAll(third), 12);
  assert.deepEqual(
    [await sealedBy(third, first), await sealedBy(third, third)],
    [
      ['readable', 0, 0],
      ['sealing', 15, 1],
    ],
  );
  assert.equal((await readSecretsStatus(at(third))).complete, true);
  for (const left of [third, createSecrets(THIRD, [SECOND]), createSecrets(THIRD)]) {
    await assertReadable(left, 15);
    await refuseMissingKeys(at(left));
    assert.equal(await resealAll(left), 0, 'nothing is sealed twice');
  }
});

test('while nodes seal with either of two keys neither takes values from the other, and going back works', async () => {
  await subscribe(first, 'whsec_a');
  const ready = createSecrets(FIRST, [SECOND]);
  await use(ready);
  await use(second);
  await subscribe(second, 'whsec_b');
  await assertReadable(ready, 2);
  await assertReadable(second, 2);
  assert.deepEqual([await resealAll(ready), await resealAll(second)], [0, 0]);
  // The operator goes back to the first key.
  world.clock.shift(IN_USE_MS + 1);
  await use(ready);
  assert.deepEqual([await resealAll(second), await resealAll(ready)], [0, 1]);
  await assertReadable(first, 2);
  // And forth again.
  await use(second);
  assert.equal(await resealAll(second), 0, 'a node has sealed with the first a moment ago');
  world.clock.shift(IN_USE_MS + 1);
  await use(second);
  assert.equal(await resealAll(second), 2);
  await assertReadable(createSecrets(SECOND), 2);
});

test('what a version before has written, without a note of its key, is found out and sealed anew', async () => {
  await subscribe(first, 'whsec_a', 'not noted');
  await subscribe(second, 'whsec_b', 'not noted');
  await subscribe(third, 'whsec_c', 'not noted');
  const before = await stored();
  assert.equal((await readSecretsStatus(at(second))).unnoted.webhook_secrets, 3);
  await use(second);
  assert.equal(await resealAll(second), 4, 'three are noted, and one of them is sealed anew');
  const { keys, unnoted, unreadable } = await readSecretsStatus(at(second));
  assert.deepEqual([unnoted.webhook_secrets, unreadable.webhook_secrets], [0, 1]);
  assert.equal(keys.find(({ id }) => id === second.keyId)?.webhook_secrets, 2);
  const lost = (rows: SealedColumns[]) => rows.find(({ secret }) => secret === 'whsec_c')?.bytes.toString('hex');
  assert.equal(lost(await stored()), lost(before), 'what cannot be opened stays as it is');
  assert.ok(world.logged.some((line) => line.includes('sealed values are of no key that is set')));
  // The key is found: the next start of a worker reads them.
  const worker = startResealing(at(third));
  await eventually('it is readable', async () => (await readSecretsStatus(at(third))).unreadable.webhook_secrets === 0);
  await worker.stop(1_000);
  await assertReadable(third, 3);
});

test('the next secret of a webhook that no key opens is reported, takes no place, and is read once its key is found', async () => {
  await subscribe(second, 'whsec_present');
  const { bytes, keyId } = third.seal('whsec_next');
  await sql(
    `insert into webhook_next_secret (account_id, subscription_id, secret_sealed, secret_sealed_with, created_at, alone_from)
     select account_id, id, $1, $2, created_at, $3 from webhook_subscription`,
    [bytes, keyId, world.clock.now()],
  );
  const find = async () => {
    const [row] = await sql<{ id: Uuid }>('select id from webhook_subscription');
    return (await findSigning(world.database, accountId, row?.id ?? assert.fail())) ?? assert.fail();
  };
  const move = () => moveNextSecrets(world.database, new Date(world.clock.now().getTime() + 1_000));
  assert.deepEqual(await forgetKey(world, keyId), { webhook_secrets: 1, sign_ins: 0 });
  world.clock.shift(1_000);
  const logged = world.logged.length;
  // A start of a worker looks at it again, and still has no key for it.
  const without = startResealing(at(second));
  try {
    await eventually('it is reported', () =>
      world.logged.slice(logged).some((line) => line.includes('sealed values are of no key that is set')),
    );
  } finally {
    await without.stop(1_000);
  }
  assert.equal((await readSecretsStatus(at(second))).unreadable.webhook_secrets, 1);
  await move();
  assert.deepEqual(openSecrets(at(second), await find()), ['whsec_present'], 'though its day is over');

  const found = startResealing(at(third));
  try {
    await eventually('it is read', async () => (await readSecretsStatus(at(third))).unreadable.webhook_secrets === 0);
  } finally {
    await found.stop(1_000);
  }
  assert.deepEqual(openSecrets(at(third), await find()), ['whsec_next']);
  await move();
  const moved = await find();
  assert.equal(moved.next_sealed, null);
  assert.deepEqual(openSecrets(at(third), moved), ['whsec_next']);
});

test('changed bytes hold up no other value, and are reported as such', async () => {
  for (let n = 0; n < 120; n += 1) await subscribe(first, `whsec_${n}`);
  await sql("update webhook_subscription set secret_sealed = '\\x00' || secret_sealed where description < 'whsec_2'");
  assert.equal(await resealAll(second), 120);
  const { unreadable } = await readSecretsStatus(at(second));
  const [count] = await sql<{ n: number }>(
    "select count(*) as n from webhook_subscription where description < 'whsec_2'",
  );
  assert.equal(unreadable.webhook_secrets, count?.n);
  assert.ok(unreadable.webhook_secrets > 20);
});

test('four workers at once, and a row that another transaction has locked: each value is sealed anew once', async () => {
  for (let n = 0; n < 450; n += 1) await subscribe(first, `whsec_${n}`);
  const [held] = await sql<{ id: Uuid }>('select id from webhook_subscription order by id limit 1');
  let dealt: number[] = [];
  await world.database.transaction(async (tx) => {
    await tx.all({ name: 'reseal_test_hold', text: 'select id from webhook_subscription where id = $1 for update' }, [
      held?.id ?? '',
    ]);
    dealt = await Promise.all([second, second, second, second].map(resealAll));
  });
  assert.equal(
    dealt.reduce((sum, each) => sum + each, 0),
    449,
  );
  assert.equal(await resealAll(second), 1);
  await assertReadable(createSecrets(SECOND), 450);
});

test('a batch that fails half way is not written, and the next one does it', async () => {
  await subscribe(first, 'whsec_a');
  const [store] = SEALED_STORES;
  assert.ok(store);
  const broken = {
    ...store,
    write: async (...args: Parameters<typeof store.write>) => {
      await store.write(...args);
      throw new Error('the connection was lost');
    },
  };
  await assert.rejects(resealBatch(at(second), broken), /the connection was lost/);
  assert.deepEqual(await sealedBy(second, first), ['readable', 1, 0]);
  assert.equal(await resealBatch(at(second), store), 1);
  await assertReadable(createSecrets(SECOND), 1);
});

test('a start without a key that is still needed is refused, and names the key, what is lost and what to do', async () => {
  await subscribe(first, 'whsec_a');
  await signIn(first, 'session');
  await signIn(first, 'session that has expired', -1);
  const alone = createSecrets(SECOND);
  await assert.rejects(
    refuseMissingKeys(at(alone)),
    new RegExp(
      `^Error: 1 webhook secrets and 1 sign-ins are sealed with key ${first.keyId}, which is not set: add it to SECRET_KEY_OLD.* platen secrets forget --key ${first.keyId}`,
    ),
  );
  await refuseMissingKeys(at(second));
  const status = await readSecretsStatus(at(alone));
  assert.deepEqual(await sealedBy(alone, first), ['missing', 1, 1]);
  assert.equal(status.complete, false);
  assert.deepEqual((await neededKeys(at(alone))).toSorted(), [first.keyId, alone.keyId].toSorted());
  assert.equal(await resealAll(alone), 0, 'nothing is done to what it cannot read');
  assert.deepEqual(await forgetKey(world, first.keyId), { webhook_secrets: 1, sign_ins: 2 });
  await refuseMissingKeys(at(alone));
  assert.ok(world.logged.some((line) => line.includes('values are stored that no key has opened')));
  assert.equal((await stored()).length, 1, 'nothing is deleted');
});

test('an expired sign-in of a lost key stops no start', async () => {
  await signIn(first, 'session', -1);
  await refuseMissingKeys(at(createSecrets(SECOND)));
});

test('an earlier key can be removed eight hours after its last use, and not while it seals anything', async () => {
  const removableFrom = async () =>
    (await readSecretsStatus(at(second))).keys.find(({ id }) => id === first.keyId)?.removable_from;
  assert.equal(await removableFrom(), null, 'the present key was never used');
  await use(first);
  const lastUsed = world.clock.now();
  await subscribe(first, 'whsec_a');
  world.clock.shift(IN_USE_MS + 1);
  await use(second);
  assert.equal(await removableFrom(), null);
  await resealAll(second);
  const from = new Date((await removableFrom()) ?? 0).getTime();
  assert.ok(from - lastUsed.getTime() >= 8 * 3_600_000);
  await subscribe(second, 'whsec_b', 'not noted');
  assert.equal(await removableFrom(), null, 'some value might be sealed with it');
});

test('each node notes with which key it seals, and a clock that goes back takes no note away', async () => {
  const worker = startNotingKey(at(second));
  const uses = await eventually('a note', async () => {
    const rows = await listKeyUses(world.database);
    return rows.length > 0 && rows;
  });
  await worker.stop(1_000);
  assert.deepEqual(
    uses.map(({ key_id: keyId }) => keyId),
    [second.keyId],
  );
  await noteKeyUse(world.database, second.keyId, new Date(0));
  assert.deepEqual(await listKeyUses(world.database), uses);
});
