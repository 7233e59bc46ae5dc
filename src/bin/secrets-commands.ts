import type { AppContext } from '../app/context.ts';
import { forgetKey } from '../app/secrets/forget-key.ts';
import { KeysRefused, pruneKeyFile, readSecretKeys, rotateKeyFile } from '../app/secrets/key-files.ts';
import type { SecretKeyStatus, SecretsStatus } from '../app/secrets/schema.ts';
import { readSecretsStatus } from '../app/secrets/status.ts';
import { readConfig } from '../lib/config.ts';
import type { Static } from '../lib/typebox.ts';
import { type Output, withContext } from './commands.ts';
import { printResult, UsageError } from './report.ts';

/** `platen secrets status` */
export async function showSecrets(options: Output): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const status = await readSecretsStatus(ctx);
    printResult(options, status, linesOf(status, ctx));
  });
}

function linesOf(status: Static<typeof SecretsStatus>, ctx: Pick<AppContext, 'clock'>): string[] {
  const { keys, unnoted, unreadable } = status;
  return [
    ...keys.map((key) => lineOf(key, ctx.clock.now())),
    `Key still to be found out: ${sealedBy(unnoted)}.`,
    ...(unreadable.webhook_secrets + unreadable.sign_ins === 0 ? [] : [`No key opens ${sealedBy(unreadable)}.`]),
    status.complete ? 'All is sealed with the present key.' : 'A running service seals the rest with the present key.',
  ];
}

function lineOf(key: Static<typeof SecretKeyStatus>, now: Date): string {
  const used = key.last_used_at === null ? 'no use noted' : `last used ${key.last_used_at}`;
  const line = `${key.id}  ${key.state}  seals ${sealedBy(key)}  ${used}`;
  if (key.removable_from === null) return line;
  return now >= new Date(key.removable_from)
    ? `${line}  can be removed`
    : `${line}  can be removed from ${key.removable_from}`;
}

function sealedBy(counts: { readonly webhook_secrets: number; readonly sign_ins: number }): string {
  return `${counts.webhook_secrets} webhook secrets, ${counts.sign_ins} sign-ins`;
}

/** `platen secrets rotate` */
export async function rotateSecret(options: Output): Promise<void> {
  const rotated = await asWrongArgument(rotateKeyFile(readConfig()));
  printResult(options, rotated, [
    `The new key is ${rotated.sealing_key}. Kept beside it: ${rotated.former_keys.join(', ')}.`,
    'Restart the service. It then seals with the new key, and some minutes later all that is stored.',
    'platen secrets status shows how far it is, platen secrets prune removes the keys that are no longer needed.',
  ]);
}

/** `platen secrets prune` */
export async function pruneSecrets(options: Output): Promise<void> {
  await withContext('migrated', async (ctx) => {
    const { keys } = await readSecretsStatus(ctx);
    const now = ctx.clock.now();
    const ids = keys.flatMap(({ id, removable_from: from }) => (from !== null && now >= new Date(from) ? [id] : []));
    const before = await readSecretKeys(ctx.config);
    const left = await asWrongArgument(pruneKeyFile(ctx.config, ids));
    const removed = ctx.secrets.keyIds.filter((id) => ids.includes(id) && !left.former_keys.includes(id));
    printResult(options, { ...left, removed_keys: removed }, [
      removed.length === 0 ? 'No key can be removed yet.' : `Removed: ${removed.join(', ')}.`,
      `Kept beside the present key: ${left.former_keys.length} of ${before.formerKeys.length}.`,
    ]);
  });
}

/** `platen secrets forget` */
export async function forgetSecret(options: Output & { readonly key: string }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    if (ctx.secrets.keyIds.includes(options.key)) {
      throw new UsageError(`key ${options.key} is set: nothing that it seals is lost`);
    }
    const { keys } = await readSecretsStatus(ctx);
    if (!keys.some(({ id }) => id === options.key)) {
      throw new UsageError(`nothing is sealed with a key ${options.key}: platen secrets status shows the ids of keys`);
    }
    const given = await forgetKey(ctx, options.key);
    printResult(options, { key: options.key, ...given }, [
      `Given up: ${sealedBy(given)}. A service starts without the key now.`,
      'Their customers must create the subscriptions anew, and sign in again. Set the key in SECRET_KEY_OLD if it is found after all.',
    ]);
  });
}

async function asWrongArgument<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof KeysRefused ? new UsageError(error.message) : error;
  }
}
