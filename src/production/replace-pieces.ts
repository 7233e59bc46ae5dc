import { refuseExpiredArtwork } from '../artwork/expiry/refuse-expired.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, newIdAt, newOrderReference, parseId, publicId, type Uuid } from '../lib/ids.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { actOnOrder, type OrderInput } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { firstAttemptAt, publishEvent } from '../webhooks/publish.ts';
import type { ReplacementBody } from './schema.ts';
import { insertReplacement, type NewReplacement, readReplaceable } from './sql.ts';

/**
 * Makes shipped pieces once more, as a linked order at a total of 0.
 * It goes to the same address with the same artwork, and is worked like every other order. No charge, no posting, no
 * setup. Emits `order.created` with a total of 0. 422 for a line that is not the order's, and for more pieces than were
 * shipped and are not being replaced already; 409 `artwork_expired` for lines whose print files were deleted since.
 * Returns the new order. Locks the original order, so that two replacements
 * at once do not exceed what was shipped.
 */
export async function replacePieces(
  ctx: OrdersContext,
  operator: Operator,
  input: OrderInput & ReplacementBody,
): Promise<OpsOrder> {
  const { items, reason, once } = input;
  const orderId = await opsOrderIdOf(ctx, input.id);
  refuseRepeatedLines(items);
  const id = newIdAt(ctx.clock.now());
  const act = { action: 'replace', detail: { items, reason }, makes: id };
  const acted = await actOnOrder(ctx, operator, { orderId, once }, act, (tx, order, now) =>
    replaceLocked(tx, ctx, order, { id, items, actor: actorOf(operator), reason, now }),
  );
  return readOpsOrder(ctx, acted.kind === 'repeated' ? (acted.subjectId ?? id) : id);
}

/** Throws 422 for lines that are named twice. */
export function refuseRepeatedLines(items: ReplacementBody['items']): void {
  const repeats = repeatProblems(
    items.map(({ line_id: id }) => id),
    linePath,
  );
  if (repeats.length > 0) throw validationFailed(repeats);
}

/**
 * Makes pieces of a locked order once more, in the caller's transaction: as `replacePieces`.
 * `id` is that of the new order.
 */
export async function replaceLocked(
  tx: Db,
  ctx: OrdersContext,
  order: LockedOrder,
  made: {
    readonly id: Uuid;
    readonly items: ReplacementBody['items'];
    readonly actor: string;
    readonly reason: string;
    readonly now: Date;
  },
): Promise<void> {
  const { id, items, actor, reason, now } = made;
  refuseErased(order);
  const lines = await linesOf(tx, order, items, now);
  await refuseExpiredArtwork(
    tx,
    { accountId: order.account_id, orderId: order.id },
    { lineIds: lines.map((line) => line.of), cure: EXPIRED_CURE },
  );
  const reference = await insert(tx, ctx, order, { id, lines, actor, reason, now });
  await announce(tx, ctx, order, { id, reference, itemCount: lines.length, now });
  const why = `${reference}: ${reason}`;
  await moveOrder(tx, ctx.config, order, { to: order.state, action: 'replace', actor, reason: why, events: [] }, now);
}

/** What becomes of pieces whose artwork is gone. */
const EXPIRED_CURE = 'Have the customer place a new order with this artwork, and refund it.';

/** Throws 409 for an order whose personal data is erased: nothing says where its pieces would go. */
function refuseErased(order: LockedOrder): void {
  if (order.erased_at === null) return;
  const detail = `The personal data of ${order.reference} is erased, so nothing says where to send its pieces, and personal artwork is gone. Ask the customer to place an order with shipping_address and the artwork of its lines anew.`;
  throw new ApiError('conflict', detail);
}

async function linesOf(
  tx: Db,
  order: LockedOrder,
  items: ReplacementBody['items'],
  now: Date,
): Promise<NewReplacement['lines']> {
  const rows = await readReplaceable(tx, { accountId: order.account_id, orderId: order.id });
  const known = new Map(rows.map((row) => [row.line_id, row]));
  const problems: Problem[] = [];
  const lines = items.flatMap(({ line_id: publicLineId, quantity }, index) => {
    const lineId = parseId('line', publicLineId);
    const row = lineId === undefined ? undefined : known.get(lineId);
    if (row === undefined) {
      const valid = rows.map((other) => publicId('line', other.line_id));
      const message = `${order.reference} has no such line.`;
      problems.push({ path: linePath(index), code: 'unknown_line', message, valid_values: valid.slice(0, VALID_MAX) });
      return [];
    }
    const most = row.shipped - row.replaced;
    if (quantity > most) {
      const message = `${row.shipped} pieces of this line were shipped, and ${row.replaced} of them are being made again.`;
      problems.push({ path: `items[${index}].quantity`, code: 'out_of_bounds', message });
    }
    return [{ id: newId(now.getTime()), of: row.line_id, quantity }];
  });
  if (problems.length > 0) throw validationFailed(problems);
  return lines;
}

/** How many valid lines a refusal names. */
const VALID_MAX = 20;

const linePath = (index: number): string => `items[${index}].line_id`;

/** One in 6 × 10^11 references is taken already; three in a row are not. */
const DRAWS_MAX = 3;

async function insert(
  tx: Db,
  ctx: OrdersContext,
  order: LockedOrder,
  made: Pick<NewReplacement, 'id' | 'lines' | 'actor' | 'reason' | 'now'>,
): Promise<string> {
  const cancellableUntil = new Date(made.now.getTime() + ctx.config.cancellationWindowSeconds * 1_000);
  const row = { ...made, accountId: order.account_id, orderId: order.id, cancellableUntil };
  for (let draws = 1; draws <= DRAWS_MAX; draws += 1) {
    const reference = newOrderReference();
    if (await insertReplacement(tx, { ...row, reference, historyId: newId(made.now.getTime()) })) return reference;
  }
  throw new Error(`${DRAWS_MAX} random references in a row were taken`);
}

async function announce(
  tx: Db,
  ctx: OrdersContext,
  order: LockedOrder,
  made: { readonly id: Uuid; readonly reference: string; readonly itemCount: number; readonly now: Date },
): Promise<void> {
  await publishEvent(tx, {
    accountId: order.account_id,
    orderId: made.id,
    sequence: 1,
    createdAt: made.now,
    dueAt: firstAttemptAt(ctx.config, made.now),
    event: 'order.created',
    data: {
      order_id: publicId('ord', made.id),
      reference: made.reference,
      external_reference: '',
      status: 'confirmed',
      total: 0,
      currency: 'GBP',
      item_count: made.itemCount,
    },
  });
}
