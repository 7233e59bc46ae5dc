import type { Context } from '../../lib/context.ts';
import { UNREADABLE } from '../../lib/sealing/sealed-store.ts';
import type { Static } from '../../lib/typebox.ts';
import { SEALED_STORES } from './reseal.ts';
import type { SecretKeyStatus, SecretsStatus } from './schema.ts';
import { listKeyUses } from './sql.ts';

type StatusContext = Pick<Context, 'database' | 'clock' | 'secrets'>;

/**
 * How long what a key signed may still be shown after its last use.
 * The longest is the cookie of a session; links to files end after an hour.
 */
const SIGNED_MS = 8 * 3_600_000;

type Counts = { webhook_secrets: number; sign_ins: number };

/** How many values each key seals, by the key's id; null for those whose key is not noted. */
async function countByKey({ database, clock }: StatusContext): Promise<Map<string | null, Counts>> {
  const byKey = new Map<string | null, Counts>();
  for (const { kind, count } of SEALED_STORES) {
    for (const { key_id: keyId, values } of await count(database, clock.now())) {
      const counts = byKey.get(keyId) ?? { webhook_secrets: 0, sign_ins: 0 };
      counts[kind === 'webhook secrets' ? 'webhook_secrets' : 'sign_ins'] += values;
      byKey.set(keyId, counts);
    }
  }
  return byKey;
}

/**
 * Says which keys are set, which are used, and what each still seals.
 * Counts end at 10,000. A key can be removed once it seals nothing and what it signed has expired.
 */
export async function readSecretsStatus(ctx: StatusContext): Promise<Static<typeof SecretsStatus>> {
  const { secrets } = ctx;
  const byKey = await countByKey(ctx);
  const uses = new Map((await listKeyUses(ctx.database)).map((use) => [use.key_id, use]));
  const none = { webhook_secrets: 0, sign_ins: 0 };
  const unnoted = byKey.get(null) ?? none;
  const unreadable = byKey.get(UNREADABLE) ?? none;
  const isNoted = unnoted.webhook_secrets + unnoted.sign_ins === 0;
  const missing = [...byKey].flatMap(([keyId, { webhook_secrets: kept, sign_ins: signIns }]) => {
    if (keyId === null || keyId === UNREADABLE || secrets.keyIds.includes(keyId)) return [];
    return kept + signIns > 0 ? [keyId] : [];
  });
  // A key that sealed before uses were noted was in use until the present one was.
  const presentSince = uses.get(secrets.keyId)?.first_used_at;
  const statusOf = (id: string): Static<typeof SecretKeyStatus> => {
    const counts = byKey.get(id) ?? none;
    const lastUsedAt = uses.get(id)?.last_used_at;
    const base = { id, last_used_at: lastUsedAt?.toISOString() ?? null, ...counts };
    if (!secrets.keyIds.includes(id)) return { ...base, state: 'missing', removable_from: null };
    if (id === secrets.keyId) return { ...base, state: 'sealing', removable_from: null };
    const isEmpty = isNoted && counts.webhook_secrets + counts.sign_ins === 0;
    const endMs = Math.max(lastUsedAt?.getTime() ?? 0, presentSince?.getTime() ?? Number.POSITIVE_INFINITY);
    const from = isEmpty && Number.isFinite(endMs) ? new Date(endMs + SIGNED_MS).toISOString() : null;
    return { ...base, state: 'readable', removable_from: from };
  };
  const keys = [...secrets.keyIds, ...missing].map(statusOf);
  const isComplete =
    isNoted && keys.every((key) => key.state === 'sealing' || key.webhook_secrets + key.sign_ins === 0);
  return { sealing_key: secrets.keyId, complete: isComplete, keys, unnoted, unreadable };
}

/** The ids of the keys that the data needs: those of sealed values, and the present one. */
export async function neededKeys(ctx: StatusContext): Promise<string[]> {
  const noted = [...(await countByKey(ctx))].flatMap(([keyId, counts]) =>
    keyId !== null && keyId !== UNREADABLE && counts.webhook_secrets + counts.sign_ins > 0 ? [keyId] : [],
  );
  return [...new Set([ctx.secrets.keyId, ...noted])];
}

/**
 * Throws when a key that seals stored values is not set; the line names what would be lost.
 * Warns when values are stored that no key has opened.
 */
export async function refuseMissingKeys(ctx: StatusContext & Pick<Context, 'log'>): Promise<void> {
  const { keys, unreadable } = await readSecretsStatus(ctx);
  if (unreadable.webhook_secrets + unreadable.sign_ins > 0) {
    ctx.log.warn({ ...unreadable }, 'values are stored that no key has opened: see platen secrets status');
  }
  const missing = keys.find(({ state }) => state === 'missing');
  if (missing === undefined) return;
  throw new Error(
    `${missing.webhook_secrets} webhook secrets and ${missing.sign_ins} sign-ins are sealed with key ${missing.id}, which is not set: add it to SECRET_KEY_OLD, or put secret.key and secret.key.old back; if it is lost for good, platen secrets forget --key ${missing.id} gives them up`,
  );
}
