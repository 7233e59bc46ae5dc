import { type Database, hasSqlState, sqlStateOf } from '../lib/db.ts';
import type { Owner } from '../lib/turns/owner.ts';
import { createTogether } from '../lib/turns/together.ts';
import { giveUpClaim } from '../payments/setups/claim-setups.ts';
import { type NewOrder, type PlacedRow, placeOrders } from './place-sql.ts';

/**
 * Writes a new order, and returns its fate, which is never `busy`.
 * `own` is the database for the caller, whose turn it waits for where the order goes alone. If this throws, nothing was
 * written, unless the answer of the database was lost.
 */
export type Placing = (own: Database, order: NewOrder) => Promise<PlacedRow>;

/**
 * The owner of what is done for all accounts together.
 * Each of them has waited for its place as a request before.
 */
export const TOGETHER: Owner = 'service:checkout';
/**
 * Statements of a process at once.
 * One has the largest batches; the others are for when that is full or slow.
 */
const AT_ONCE_MAX = 4;
/** A few times what a batch takes. */
const PATIENCE_MS = 50;
const ORDERS_MAX = 16;
const LINES_MAX = 64;

/**
 * Opens the placing of one process, which writes orders of all accounts together.
 * The reasons stand in docs/decisions/0042.
 * An order goes alone where it may have to wait for something of its account: its balance, the rights of setups, a card
 * or a direct debit; and where another order of its batch has failed.
 */
export function openPlacing(database: Database): Placing {
  const shared = database.of({ owner: TOGETHER });
  const together = createTogether<NewOrder, PlacedRow>({
    atOnceMax: AT_ONCE_MAX,
    patienceMs: PATIENCE_MS,
    sizeMax: ORDERS_MAX,
    weightMax: LINES_MAX,
    weightOf: ({ lines }) => lines.length,
    ownerOf: ({ accountId }) => accountId,
    // The second would find the balance locked, and each of its orders would go alone and wait for it.
    isOwnerApart: true,
    keyOf: ({ externalReference }) => externalReference,
    run: async (orders) => {
      try {
        return await placeOrders(shared, orders, 'together');
      } catch (error) {
        // What failed by itself fails again, unless it only was not waited for.
        const mayGoAlone = orders.length > 1 || hasSqlState(error, LOCK_TIMEOUT);
        if (mayGoAlone && isUndone(error)) return orders.map(() => BUSY);
        throw error;
      }
    },
  });
  return async (own, order) => {
    if (hasSetups(order) || order.lines.length > LINES_MAX) return alone(own, order);
    const row = await together(order);
    return row.fate === 'busy' ? alone(own, order) : row;
  };
}

const BUSY: PlacedRow = { fate: 'busy', is_paid: false, is_attempted: false, from_balance: 0, ready_files: [] };
const LOCK_TIMEOUT = '55P03';

function hasSetups({ newSetups, reliedSetups }: NewOrder): boolean {
  return newSetups.length + reliedSetups.length > 0;
}

/**
 * Whether an error undid all that a statement had written.
 * The server reported it, and it was not the server that ended: that may have been after the commit.
 */
function isUndone(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && !UNKNOWN_END.test(state);
}

/** SQLSTATEs of a lost connection, of a server that ends, and of system and internal errors. */
const UNKNOWN_END = /^(08|57P|58|XX)/;

/**
 * Places an order by itself. The rights to its new setups stay only if it is paid (domain, "Setup").
 * Whether it is turns out with the balance, the last lock of the statement. So an unpaid order gives them up before
 * the commit, and they are never seen.
 */
async function alone(own: Database, order: NewOrder): Promise<PlacedRow> {
  if (order.newSetups.length === 0) return first(await placeOrders(own, [order], 'alone'));
  return own.transaction(async (tx) => {
    const row = first(await placeOrders(tx, [order], 'alone'));
    if (row.fate === 'placed' && !row.is_paid) {
      await giveUpClaim(tx, { accountId: order.accountId, orderId: order.id });
    }
    return row;
  });
}

function first([row]: readonly PlacedRow[]): PlacedRow {
  if (row === undefined) throw new Error('an order that was placed alone has no fate');
  return row;
}
