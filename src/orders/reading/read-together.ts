import type { Context } from '../../lib/context.ts';
import { type Database, hasSqlState, sqlStateOf } from '../../lib/db.ts';
import type { Asker, Owner } from '../../lib/turns/owner.ts';
import { createTogether } from '../../lib/turns/together.ts';
import { findShownOrder, type ShownOrderParts } from '../read-sql.ts';
import { type AskedOrder, type FoundOrder, findShownOrders } from './together-sql.ts';

/**
 * Reads an order for its owner, with the artwork of its lines.
 * Undefined if it is unknown or another account's. It sees what was committed before it was asked.
 */
export type Reading = (ctx: ReadContext, asked: AskedOrder) => Promise<ShownOrderParts | undefined>;

/** `database` is the one for the caller, where an order is read alone. */
type ReadContext = Pick<Context, 'asker' | 'database'>;

/**
 * The owner of what is read for several accounts at once.
 * Each of them has waited for its place as a request before.
 */
const TOGETHER: Owner = 'service:orders';
/** One statement has the largest batches; the others are for when that is full or slow. */
const AT_ONCE_MAX = 4;
/** A few times what a batch takes. */
const PATIENCE_MS = 20;
const ORDERS_MAX = 16;

/**
 * Opens the reading of one process: orders that are asked for at one moment are read by one statement.
 * The reasons stand in docs/decisions/0044. An order of many lines is read alone, in its account's turn, and so is each
 * one of a batch that has failed.
 */
export function openReading(database: Database): Reading {
  const shared = database.of({ owner: TOGETHER });
  const together = createTogether<AskedOrder & { readonly asker: Asker }, FoundOrder | undefined>({
    atOnceMax: AT_ONCE_MAX,
    patienceMs: PATIENCE_MS,
    sizeMax: ORDERS_MAX,
    weightMax: ORDERS_MAX,
    weightOf: () => 1,
    ownerOf: ({ accountId }) => accountId,
    keyOf: () => null,
    isGone: ({ asker }) => asker.hasGone?.() === true,
    run: (asked) => findShownOrders(shared, asked),
  });
  const find = async (ctx: ReadContext, asked: AskedOrder): Promise<FoundOrder | undefined> => {
    try {
      return await together({ ...asked, asker: ctx.asker });
    } catch (error) {
      if (!isWorthAnother(error)) throw error;
      const [order] = await findShownOrders(ctx.database, [asked]);
      return order;
    }
  };
  return async (ctx, asked) => {
    const found = await find(ctx, asked);
    if (found === undefined) return undefined;
    return found.parts ?? (await findShownOrder(ctx.database, asked.accountId, found.id));
  };
}

/**
 * Whether an order of a batch that has failed may be there when it is read alone.
 * What the server reports may be about another order of the batch. But a time-out is not waited for twice, and without
 * an answer of the server another try has none either.
 */
function isWorthAnother(error: unknown): boolean {
  return sqlStateOf(error) !== undefined && !hasSqlState(error, CANCELED, LOCK_TIMEOUT);
}

const CANCELED = '57014';
const LOCK_TIMEOUT = '55P03';
