import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { every, type Worker } from '../../lib/every.ts';
import type { Uuid } from '../../lib/ids.ts';
import { noteSessionUses } from '../portal/session-sql.ts';
import { noteOperatorTokenUses, noteTokenUses } from './token-sql.ts';

/** `last_used_at` is exact to this time, in which a token in constant use costs one write. */
const COARSE_MS = 10 * 60_000;
/** A session's last use decides when it is over, and is shown to its owner. */
const SESSION_COARSE_MS = 60_000;
const FLUSH_MS = 20_000;
/** More tokens than a node serves between two writes. The uses beyond are noted with the next look-up. */
const WAITING_MAX = 20_000;
const WRITTEN_AT_ONCE_MAX = 1_000;

export type TokenUses = {
  /** Notes that a token was used now, unless that is known well enough. Costs nothing but memory. */
  readonly note: (token: { readonly id: Uuid; readonly last_used_at: Date | null }, now: Date) => void;
  /** Writes what was noted. */
  readonly flush: (db: Db) => Promise<void>;
};

/** The uses of tokens of one kind that this process has seen and not written yet. */
export function createTokenUses(
  write: (db: Db, uses: ReadonlyMap<Uuid, Date>) => Promise<void>,
  coarseMs = COARSE_MS,
): TokenUses {
  const waiting = new Map<Uuid, Date>();
  return {
    note: ({ id, last_used_at: lastUsedAt }, now) => {
      const isKnown = lastUsedAt !== null && now.getTime() - lastUsedAt.getTime() < coarseMs;
      if (!isKnown && waiting.size < WAITING_MAX) waiting.set(id, now);
    },
    flush: async (db) => {
      const noted = [...waiting];
      // What is not written is noted again with the next look-up: the database still has the time before.
      waiting.clear();
      for (let at = 0; at < noted.length; at += WRITTEN_AT_ONCE_MAX) {
        await write(db, new Map(noted.slice(at, at + WRITTEN_AT_ONCE_MAX)));
      }
    },
  };
}

/** The uses of all tokens and sessions in this process. */
export type AllTokenUses = {
  readonly customers: TokenUses;
  readonly operators: TokenUses;
  readonly sessions: TokenUses;
};

/** For customers' tokens, operators' tokens, and sessions of the portal. */
export function createAllTokenUses(): AllTokenUses {
  return {
    customers: createTokenUses(noteTokenUses),
    operators: createTokenUses(noteOperatorTokenUses),
    sessions: createTokenUses(noteSessionUses, SESSION_COARSE_MS),
  };
}

/** Writes when tokens and sessions were last used, every twenty seconds. */
export function startNotingUses(ctx: Pick<Context, 'database' | 'log'> & { readonly tokenUses: AllTokenUses }): Worker {
  return every({
    log: ctx.log,
    pollMs: FLUSH_MS,
    firstMs: FLUSH_MS,
    run: async () => {
      await ctx.tokenUses.customers.flush(ctx.database);
      await ctx.tokenUses.operators.flush(ctx.database);
      await ctx.tokenUses.sessions.flush(ctx.database);
      return undefined;
    },
    failed: 'the last use of tokens could not be noted',
  });
}
