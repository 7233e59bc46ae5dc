import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { claimPart } from '@platen/embedded-postgres/data-dir';
import type { Config } from '../../lib/config.ts';
import { secretKeyId } from '../../lib/secrets.ts';
import { SECRET_KEYS_MAX } from '../../lib/settings/forms.ts';

/** The key that signs and seals, and the earlier ones, which are only read with. */
export type SecretKeys = { readonly secretKey: string; readonly formerKeys: readonly string[] };

type KeySettings = Pick<Config, 'secretKey' | 'formerSecretKeys' | 'dataDir'>;

const KEY_FILE = 'secret.key';
/** Earlier keys, the latest first, a line each. */
const FORMER_FILE = 'secret.key.old';
const DRAFT = /^secret\.key(\.old)?\.[0-9a-f]{16}$/;

/**
 * Reads the keys of a service.
 * The present one is SECRET_KEY, or one that is made once and kept in DATA_DIR. Earlier ones are those of
 * SECRET_KEY_OLD, and those that an exchange has kept in DATA_DIR. Throws a one-line Error for a damaged file.
 */
export async function readSecretKeys(config: KeySettings): Promise<SecretKeys> {
  const { secretKey, formerSecretKeys, dataDir } = config;
  if (secretKey !== undefined) return { secretKey, formerKeys: formerSecretKeys };
  if (!existsSync(join(dataDir, KEY_FILE))) await makeKey(dataDir);
  const kept = await readKeyFiles(dataDir);
  return { secretKey: kept.secretKey, formerKeys: [...formerSecretKeys, ...kept.formerKeys] };
}

/** Reads the files of keys of a folder. Throws a one-line Error for one that is missing or damaged. */
export async function readKeyFiles(dataDir: string): Promise<SecretKeys> {
  // The present one first: an exchange writes the earlier ones before it, so none is missed that is replaced meanwhile.
  const [secretKey] = await readKeys(join(dataDir, KEY_FILE), 1);
  const former = join(dataDir, FORMER_FILE);
  const formerKeys = existsSync(former) ? await readKeys(former, 0) : [];
  return { secretKey: secretKey ?? '', formerKeys: formerKeys.filter((key) => key !== secretKey) };
}

async function readKeys(path: string, atLeast: number): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  const keys = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (keys.length >= atLeast && keys.every((key) => key.length >= 32)) return keys;
  throw new Error(`${path} is damaged: restore it from a backup, since it seals webhook secrets`);
}

/**
 * Makes the key under another name and links it into place.
 * A process that is killed here leaves no half key. Of two that start at once, one makes it and both read it.
 */
async function makeKey(dataDir: string): Promise<void> {
  const path = join(dataDir, KEY_FILE);
  const draft = await writeDraft(path, newKey());
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
}

/** What an exchange of the key has done: ids. */
export type Rotation = { readonly sealing_key: string; readonly former_keys: readonly string[] };

/**
 * Exchanges the key of DATA_DIR: a new one is made, and the one before is kept beside it.
 * The earlier keys are on the disk before the new one takes its place, so a kill at any moment loses none; after one,
 * the command is run again. A service that runs has the new one after its next start. Throws `KeysRefused`.
 */
export async function rotateKeyFile(config: KeySettings): Promise<Rotation> {
  return changeKeyFiles(config, async ({ secretKey, formerKeys }) => {
    const former = [secretKey, ...formerKeys];
    if (former.length > SECRET_KEYS_MAX) {
      throw new KeysRefused(
        `${former.length - 1} earlier keys are kept already, which is the most: platen secrets prune removes those that seal nothing`,
      );
    }
    await replaceFile(config.dataDir, FORMER_FILE, former);
    const next = newKey();
    await replaceFile(config.dataDir, KEY_FILE, [next]);
    return rotationOf(next, former);
  });
}

/** Takes earlier keys out of DATA_DIR, by their ids, and returns what is left. Throws `KeysRefused`. */
export async function pruneKeyFile(config: KeySettings, ids: readonly string[]): Promise<Rotation> {
  return changeKeyFiles(config, async ({ secretKey, formerKeys }) => {
    const former = formerKeys.filter((key) => !ids.includes(secretKeyId(key)));
    if (former.length < formerKeys.length) await replaceFile(config.dataDir, FORMER_FILE, former);
    return rotationOf(secretKey, former);
  });
}

/** The keys are not files of DATA_DIR, or there are too many of them; the message says what to do. */
export class KeysRefused extends Error {
  override name = 'KeysRefused';
}

async function changeKeyFiles<T>(config: KeySettings, change: (keys: SecretKeys) => Promise<T>): Promise<T> {
  if (config.secretKey !== undefined) {
    throw new KeysRefused(
      'SECRET_KEY is set, so its keys are exchanged where it is set: see "Exchange the secret key" in docs/runbook.md',
    );
  }
  const dataDir = resolve(config.dataDir);
  // Of two exchanges at once, the second would lose the key of the first.
  const claim = await claimPart(dataDir, 'secrets');
  try {
    for (const name of (await readdir(dataDir)).filter((each) => DRAFT.test(each))) await rm(join(dataDir, name));
    if (!existsSync(join(dataDir, KEY_FILE))) await makeKey(dataDir);
    return await change(await readKeyFiles(dataDir));
  } finally {
    await claim.release();
  }
}

async function replaceFile(dataDir: string, name: string, keys: readonly string[]): Promise<void> {
  const path = join(dataDir, name);
  const draft = await writeDraft(path, keys.join('\n'));
  await rename(draft, path);
  await syncFolder(dataDir);
}

async function writeDraft(path: string, content: string): Promise<string> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await using file = await open(draft, 'wx', 0o600);
  await file.writeFile(content);
  // Root leaves them to the owner of the folder, as whom the service may run.
  const { uid, gid } = await stat(join(path, '..'));
  if (process.getuid?.() === 0) await file.chown(uid, gid);
  await file.sync();
  return draft;
}

async function syncFolder(dataDir: string): Promise<void> {
  await using folder = await open(dataDir, 'r');
  await folder.sync();
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}

function rotationOf(secretKey: string, formerKeys: readonly string[]): Rotation {
  return { sealing_key: secretKeyId(secretKey), former_keys: formerKeys.map(secretKeyId) };
}
