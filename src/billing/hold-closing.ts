import type { Context } from '../lib/context.ts';
import { lockClosingOn } from './days-sql.ts';

/** A hold on the closing of days. */
export type ClosingHold = {
  /** Postings before this time would fall into a closed day, which never changes. */
  readonly closedUntil: Date;
  /** False once its connection is lost: days may be closed again. */
  readonly isHeld: () => boolean;
  readonly release: () => Promise<void>;
};

/**
 * Keeps every node from closing days until it is released, or until this process ends.
 * For postings of the past, such as a demo's: their day must be open until they are there. Holds the lock of the
 * closing on a connection of its own; the sweep passes over it. Undefined while another holds it.
 */
export async function holdClosing(ctx: Pick<Context, 'database'>): Promise<ClosingHold | undefined> {
  const session = await ctx.database.session('platen, days kept open');
  let closedUntil: Date | undefined;
  try {
    closedUntil = await lockClosingOn(session);
  } finally {
    if (closedUntil === undefined) await session.close();
  }
  if (closedUntil === undefined) return undefined;
  return { closedUntil, isHeld: () => !session.isLost(), release: () => session.close() };
}
