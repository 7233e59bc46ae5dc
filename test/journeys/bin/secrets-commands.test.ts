import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findRunningPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import type { Rotation } from '../../../src/app/secrets/key-files.ts';
import type { SecretsStatus } from '../../../src/app/secrets/schema.ts';
import type { DemoReport } from '../../../src/bin/seed-demo.ts';
import { createSecrets, secretKeyId } from '../../../src/lib/secrets.ts';
import type { Static } from '../../../src/lib/typebox.ts';
import type { CreatedSubscription } from '../../../src/webhooks/schema.ts';
import { eventually } from '../../harness/context.ts';
import { installDemo } from '../../harness/database.ts';
import { platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';

// The exchange of the key on a real installation with the embedded database: files, restarts, and backups on the way.

type Status = Static<typeof SecretsStatus>;
type Restored = { readonly ok: boolean; readonly secret_key: string; readonly missing_keys: readonly string[] };

/** The hour in which a key may still be shown is the clock's; here the notes of its use are moved. */
const LONG_AGO =
  "update secret_key_use set last_used_at = last_used_at - interval '1 day', first_used_at = first_used_at - interval '1 day'";

let folder: string;
let env: Record<string, string>;
let demo: DemoReport;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-secrets-'));
  env = {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    LOG_LEVEL: 'error',
    SELLER_NAME: 'A Shop',
    TRUSTED_PRIVATE_HOSTS: '127.0.0.1:9',
  };
  demo = await installDemo(env);
});
after(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function withService<T>(work: (service: ServiceProcess) => Promise<T>, settings = env): Promise<T> {
  const service = await startServiceProcess(settings);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function sql<Row>(text: string): Promise<Row[]> {
  const address = await findRunningPostgres(env.DATA_DIR ?? '');
  assert.ok(address);
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const status = () => platenJson<Status>(['secrets', 'status'], env);
const fileOf = async (name: string): Promise<string> => (await readFile(join(env.DATA_DIR ?? '', name), 'utf8')).trim();

async function subscribe(service: ServiceProcess): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://127.0.0.1:9/hooks' }),
  });
  if (response.status !== 201) throw new Error(await response.text());
  return ((await response.json()) as CreatedSubscription).secret;
}

/** Every webhook secret as it is stored, opened by some keys alone. */
async function openedBy(...keys: string[]): Promise<string[]> {
  const [key = '', ...former] = keys;
  const secrets = createSecrets(key, former);
  const rows = await sql<{ bytes: Buffer; key_id: string }>(
    'select secret_sealed as bytes, secret_sealed_with as key_id from webhook_subscription order by id',
  );
  return rows.map(({ bytes, key_id: keyId }) => secrets.unseal({ bytes, keyId }));
}

test('a key is exchanged: a restart, sealing anew, removal; backups of every step restore, and say which key they miss', async () => {
  const backups = join(folder, 'backups');
  const first = await fileOf('secret.key');
  const kept = await withService(async (service) => {
    const secret = await subscribe(service);
    await platenJson(['backup', backups], env);
    const rotated = await platenJson<Rotation>(['secrets', 'rotate'], env);
    assert.deepEqual(rotated.former_keys, [secretKeyId(first)]);
    // The service has the earlier key until it is restarted, and what it seals is read with it.
    const later = await subscribe(service);
    await platenJson(['backup', backups], env);
    assert.deepEqual(await openedBy(first), [secret, later]);
    return [secret, later];
  });
  const second = await fileOf('secret.key');
  assert.notEqual(second, first);
  assert.equal(await fileOf('secret.key.old'), first);

  await withService(async (service) => {
    kept.push(await subscribe(service));
    assert.deepEqual(await openedBy(second, first), kept);
    const { sealing_key: sealing, complete, keys } = await status();
    assert.deepEqual([sealing, complete], [secretKeyId(second), false]);
    assert.deepEqual(
      keys.map((key) => [key.id, key.state, key.webhook_secrets]),
      [
        [secretKeyId(second), 'sealing', 1],
        [secretKeyId(first), 'readable', 2],
      ],
    );
    const early = await runPlaten(['secrets', 'prune'], env);
    assert.deepEqual([early.status, /No key can be removed yet/.test(early.stdout)], [0, true], early.stderr);
    await platenJson(['backup', backups], env);
    await sql(`${LONG_AGO} where key_id = '${secretKeyId(first)}'`);
  });
  // The worker looks at once after a start.
  await withService(async () => {
    await eventually('all is sealed anew', async () => (await status()).complete);
    assert.deepEqual(await openedBy(second), kept);
    await sql(LONG_AGO);
    const pruned = await platenJson<Rotation & { removed_keys: string[] }>(['secrets', 'prune'], env);
    assert.deepEqual([pruned.removed_keys, pruned.former_keys], [[secretKeyId(first)], []]);
    assert.equal(await fileOf('secret.key.old'), '');
    await platenJson(['backup', backups], env);
  });
  await withService(async () => assert.deepEqual(await openedBy(second), kept));

  const names = (await platenJson<{ backup: string }>(['drill', backups, '--scratch', folder], env)).backup;
  assert.ok(names);
  const all = (await runPlaten(['restore', backups, '--at', 'nothing', '--to', join(folder, 'x')], env)).stderr;
  const found = [...all.matchAll(/\d{4}-\d\d-\d\dT[\d.-]+Z/g)].map(([name]) => name);
  assert.equal(found.length, 4, all);
  for (const [at, name] of found.entries()) {
    const to = join(folder, `restored-${at}`);
    const restored = await platenJson<Restored>(['restore', backups, '--at', name, '--to', to], env);
    assert.deepEqual([restored.ok, restored.secret_key, restored.missing_keys], [true, 'restored', []], name);
    const there = { ...env, DATA_DIR: to };
    await withService(async () => {}, there);
  }

  // With keys that are set in place of the files: a missing one is named, and the right ones are taken.
  const third = found[2] ?? '';
  const set = { ...env, SECRET_KEY: second };
  const missing = await platenJson<Restored>(['restore', backups, '--at', third, '--to', join(folder, 'm')], set);
  assert.deepEqual([missing.secret_key, missing.missing_keys], ['set', [secretKeyId(first)]]);
  const drilled = await runPlaten(['drill', backups, '--at', third, '--scratch', folder], set);
  assert.equal(drilled.status, 0, drilled.stderr);
  assert.match(drilled.stdout, new RegExp(`Key ${secretKeyId(first)} is not set, .* SECRET_KEY_OLD`));
  const refused = await runPlaten(['serve'], { ...set, DATA_DIR: join(folder, 'm') });
  assert.equal(refused.status, 1);
  assert.match(
    refused.stderr,
    new RegExp(`^platen: 2 webhook secrets and 0 sign-ins are sealed with key ${secretKeyId(first)}`, 'm'),
  );
  await withService(async () => {}, { ...set, SECRET_KEY_OLD: first, DATA_DIR: join(folder, 'm') });
});

test('what a lost key seals is given up by a command that names it, and the service starts', async () => {
  const lost = { ...env, SECRET_KEY: 'x'.repeat(40) };
  const [sealing] = (await status()).keys;
  assert.ok(sealing && sealing.webhook_secrets > 0);
  const refused = await runPlaten(['serve'], lost);
  assert.match(refused.stderr, new RegExp(`platen secrets forget --key ${sealing.id}`));
  const own = await runPlaten(['secrets', 'forget', '--key', sealing.id], env);
  assert.deepEqual([own.status, own.stderr], [2, `platen: key ${sealing.id} is set: nothing that it seals is lost\n`]);
  const mistyped = await runPlaten(['secrets', 'forget', '--key', 'f00f00f00f00'], lost);
  assert.deepEqual(
    [mistyped.status, mistyped.stderr],
    [2, 'platen: nothing is sealed with a key f00f00f00f00: platen secrets status shows the ids of keys\n'],
  );
  const given = await platenJson<{ webhook_secrets: number }>(['secrets', 'forget', '--key', sealing.id], lost);
  assert.equal(given.webhook_secrets, sealing.webhook_secrets);
  await withService(async () => {}, lost);
  // The key is found after all.
  await withService(async () => {
    await eventually('they are read', async () => (await status()).unreadable.webhook_secrets === 0);
  });
});

test('rotate and prune are refused in one line where the key is a setting', async () => {
  for (const command of ['rotate', 'prune']) {
    const { status: code, stderr } = await runPlaten(['secrets', command], { ...env, SECRET_KEY: 'k'.repeat(40) });
    assert.deepEqual(
      [code, stderr.includes('SECRET_KEY is set'), stderr.trim().includes('\n')],
      [2, true, false],
      stderr,
    );
  }
});
