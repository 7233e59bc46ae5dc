import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { claimPart } from '@platen/embedded-postgres/data-dir';
import { readConfig } from '../../lib/config.ts';
import { secretKeyId } from '../../lib/secrets.ts';
import { KeysRefused, pruneKeyFile, readSecretKeys, rotateKeyFile } from './key-files.ts';

const folder = await mkdtemp(join(tmpdir(), 'platen-keys-'));
after(() => rm(folder, { recursive: true, force: true }));

/** The settings of a service with a data directory of its own. */
async function newConfig() {
  return readConfig({ DATA_DIR: await mkdtemp(join(folder, 'data-')) });
}

const filesOf = async (dataDir: string): Promise<string[]> =>
  (await readdir(dataDir)).filter((name) => !name.includes('lock')).toSorted();

test('the key is made once, for its user alone, and twenty that ask at once get the same', async () => {
  const config = await newConfig();
  const keys = await Promise.all(Array.from({ length: 20 }, () => readSecretKeys(config)));
  assert.equal(new Set(keys.map(({ secretKey }) => secretKey)).size, 1);
  assert.match(keys[0]?.secretKey ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(await readSecretKeys(config), keys[0]);
  assert.deepEqual(await readdir(config.dataDir), ['secret.key']);
  assert.equal((await stat(join(config.dataDir, 'secret.key'))).mode & 0o777, 0o600);
});

test('keys of the settings come before those on disk, and none is made', async () => {
  const config = { ...(await newConfig()), secretKey: 'k'.repeat(32), formerSecretKeys: ['o'.repeat(32)] };
  assert.deepEqual(await readSecretKeys(config), { secretKey: 'k'.repeat(32), formerKeys: ['o'.repeat(32)] });
  assert.deepEqual(await readdir(config.dataDir), []);
  await assert.rejects(rotateKeyFile(config), /SECRET_KEY is set, .*docs\/runbook\.md/);
  await assert.rejects(pruneKeyFile(config, []), KeysRefused);
});

test('a damaged key is refused and never replaced, since webhook secrets are sealed with it', async () => {
  for (const [name, content] of [
    ['secret.key', 'abc'],
    ['secret.key', ''],
    ['secret.key.old', `${'o'.repeat(64)}\nabc`],
  ] as const) {
    const config = await newConfig();
    await readSecretKeys(config);
    await writeFile(join(config.dataDir, name), content);
    const damaged = new RegExp(`${name.replaceAll('.', '\\.')} is damaged`);
    await assert.rejects(readSecretKeys(config), damaged);
    await assert.rejects(rotateKeyFile(config), damaged);
    assert.equal(await readFile(join(config.dataDir, name), 'utf8'), content);
  }
});

test('an exchange makes a new key and keeps all earlier ones, for their user alone, and leaves no draft', async () => {
  const config = await newConfig();
  const { secretKey: first } = await readSecretKeys(config);
  await writeFile(join(config.dataDir, 'secret.key.old.0123456789abcdef'), 'of one that was killed');
  const rotated = await rotateKeyFile(config);
  const { secretKey: second, formerKeys } = await readSecretKeys(config);
  assert.match(second, /^[0-9a-f]{64}$/);
  assert.deepEqual(formerKeys, [first]);
  assert.deepEqual(rotated, { sealing_key: secretKeyId(second), former_keys: [secretKeyId(first)] });
  await rotateKeyFile(config);
  assert.deepEqual((await readSecretKeys(config)).formerKeys, [second, first]);
  assert.deepEqual(await filesOf(config.dataDir), ['secret.key', 'secret.key.old']);
  for (const name of await filesOf(config.dataDir)) {
    assert.equal((await stat(join(config.dataDir, name))).mode & 0o777, 0o600, name);
  }
  const pruned = await pruneKeyFile(config, [secretKeyId(first), 'no such key']);
  assert.deepEqual(pruned.former_keys, [secretKeyId(second)]);
  assert.deepEqual((await readSecretKeys(config)).formerKeys, [second]);
});

test('the present key is never pruned, and an eleventh earlier key is refused with what to do', async () => {
  const config = await newConfig();
  const { secretKey } = await readSecretKeys(config);
  await pruneKeyFile(config, [secretKeyId(secretKey)]);
  assert.equal((await readSecretKeys(config)).secretKey, secretKey);
  for (let at = 0; at < 10; at += 1) await rotateKeyFile(config);
  const before = await readSecretKeys(config);
  assert.equal(before.formerKeys.length, 10);
  await assert.rejects(rotateKeyFile(config), /10 earlier keys .* platen secrets prune/);
  assert.deepEqual(await readSecretKeys(config), before);
});

test('of two exchanges at once none loses the key of the other', async () => {
  const config = await newConfig();
  const claim = await claimPart(config.dataDir, 'secrets');
  const { secretKey } = await readSecretKeys(config);
  await assert.rejects(rotateKeyFile(config), /in use by process/);
  assert.equal((await readSecretKeys(config)).secretKey, secretKey);
  await claim.release();
  assert.equal((await rotateKeyFile(config)).former_keys[0], secretKeyId(secretKey));
});
