import { SEALED_MAIL } from '../../accounts/mail/sealed-mail.ts';
import { SEALED_FACTORS } from '../../accounts/second-factor/sealed-factors.ts';
import { SEALED_CHANNELS } from '../../channels/connected/channel-sql.ts';
import { SEALED_LINKS } from '../../channels/linked/link-sql.ts';
import type { Context } from '../../lib/context.ts';
import { every, type Worker } from '../../lib/every.ts';
import { resealed, type SealedStore, UNREADABLE } from '../../lib/sealing/sealed-store.ts';
import { SEALED_RECORDS } from '../../oauth/sealed-records.ts';
import { SEALED_NEXT_SECRETS } from '../../webhooks/recovery/next-secret-sql.ts';
import { SEALED_SECRETS } from '../../webhooks/sealed-secrets.ts';
import { listKeyUses, noteKeyUse } from './sql.ts';

type ResealContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'log'>;

/** All values that are stored sealed. */
export const SEALED_STORES: readonly SealedStore[] = [
  SEALED_SECRETS,
  SEALED_NEXT_SECRETS,
  SEALED_RECORDS,
  SEALED_MAIL,
  SEALED_FACTORS,
  SEALED_CHANNELS,
  SEALED_LINKS,
];

/** How often each node notes with which key it seals. */
const NOTE_EVERY_MS = 60_000;
/**
 * How long after its last note a key counts as in use.
 * While some nodes seal with one key and some with another, neither takes values from the other.
 */
export const IN_USE_MS = 3 * NOTE_EVERY_MS;
/** Values of one transaction, which takes some milliseconds. */
const BATCH = 100;
/** Between two batches, so that sealing anew takes a small part of what the database can do. */
const PAUSE_MS = 200;
/** How often an idle worker looks for values of another key. */
const POLL_MS = 60_000;

/** Notes on each node, as long as it runs, with which key it seals. */
export function startNotingKey(ctx: ResealContext): Worker {
  return every({
    log: ctx.log,
    pollMs: NOTE_EVERY_MS,
    run: async () => {
      await noteKeyUse(ctx.database, ctx.secrets.keyId, ctx.clock.now());
      return undefined;
    },
    failed: 'the use of SECRET_KEY could not be noted',
  });
}

/**
 * Starts the worker that seals with the present key what earlier keys sealed (ADR 0035).
 * Any number of nodes may run it, and be killed: each batch is one transaction, and a value that is locked waits for
 * another round.
 */
export function startResealing(ctx: ResealContext): Worker {
  let isFirst = true;
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    run: async ({ stopping }) => {
      // A key may have been set since these were looked at.
      if (isFirst) await forgetUnreadable(ctx, stopping);
      isFirst = false;
      let moved = 0;
      for (const store of SEALED_STORES) moved += await resealBatch(ctx, store);
      return moved > 0 ? PAUSE_MS : undefined;
    },
    failed: 'values could not be sealed anew',
  });
}

/**
 * Seals one batch of a kind with the present key, or notes the keys of one.
 * Returns how many values it has dealt with; 0 when nothing is left that this node can do.
 */
export async function resealBatch(ctx: ResealContext, store: SealedStore): Promise<number> {
  const keyId = await nextKey(ctx, store);
  if (keyId === undefined) return 0;
  const rows = await ctx.database.transaction(async (tx) => {
    const found = resealed(ctx.secrets, keyId, await store.lock(tx, keyId, BATCH));
    if (found.length > 0) await store.write(tx, found);
    return found;
  });
  const lost = rows.filter((row) => row.keyId === UNREADABLE).length;
  if (lost > 0) {
    ctx.log.error(
      { kind: store.kind, values: lost },
      'sealed values are of no key that is set: add the key that they were sealed with to SECRET_KEY_OLD',
    );
  }
  return rows.length;
}

/** The key whose values come next: null for those without a noted one, undefined when nothing is to do. */
async function nextKey({ database, clock, secrets }: ResealContext, store: SealedStore) {
  const keys = await store.keys(database);
  if (keys.includes(null)) return null;
  const others = keys.filter((keyId) => keyId !== secrets.keyId && keyId !== null && secrets.keyIds.includes(keyId));
  if (others.length === 0) return undefined;
  const since = new Date(clock.now().getTime() - IN_USE_MS);
  const uses = await listKeyUses(database);
  const inUse = new Set(uses.filter((use) => use.last_used_at > since).map((use) => use.key_id));
  return others.find((keyId) => keyId !== null && !inUse.has(keyId));
}

async function forgetUnreadable({ database }: ResealContext, stopping: AbortSignal): Promise<void> {
  for (const store of SEALED_STORES) {
    while (!stopping.aborted && (await store.note(database, UNREADABLE, null, BATCH)) > 0);
  }
}
