import { parseTime } from '../../lib/clock.ts';
import { ApiError, type Problem, validationFailed } from '../../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { compileShape, findBadText } from '../../lib/validation/validate.ts';
import { findSecrets, noteRefused } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import type { ShopOrderReceived } from '../inbox-schema.ts';
import { knownOrder, type ShopOrder, ShopOrderBody } from '../shop-order.ts';
import { isSigned, type SignedHeaders } from '../verify-request.ts';
import { receiveOrder } from './receive-order.ts';

/** Whose channel a request is for, and what it may be signed with. */
export type OpenedChannel = {
  readonly accountId: Uuid;
  readonly channelId: Uuid;
  readonly secrets: readonly string[];
};

/**
 * Finds the channel that a path names.
 * Throws 401 for an unknown or disconnected one, as for a wrong signature.
 */
export async function openChannel(
  ctx: Pick<ChannelsContext, 'database' | 'secrets' | 'clock'>,
  id: string,
): Promise<OpenedChannel> {
  const channelId = parseId('chan', id);
  const rows = channelId === undefined ? [] : await findSecrets(ctx.database, channelId, ctx.clock.now());
  const [first] = rows;
  if (channelId === undefined || first === undefined || first.is_suspended) throw notSigned();
  const secrets = rows.map(({ sealed, sealed_with: keyId }) => ctx.secrets.unseal({ bytes: sealed, keyId }));
  return { accountId: first.account_id, channelId, secrets };
}

/**
 * Takes a signed request of a shop with one order.
 * Throws 401 for a signature that is wrong or older than five minutes, which is counted; 400 for what is no JSON; 422
 * with every problem of the order's shape. What is wrong with its address or its items is no refusal: it waits in the
 * inbox.
 */
export async function takeShopRequest(
  ctx: Pick<ChannelsContext, 'database' | 'secrets' | 'clock' | 'wake'>,
  { accountId, channelId, secrets }: OpenedChannel,
  request: { readonly headers: SignedHeaders; readonly body: Buffer },
): Promise<ShopOrderReceived> {
  const now = ctx.clock.now();
  if (!isSigned(request.headers, request.body, secrets, now)) {
    await noteRefused(ctx.database, channelId, now);
    throw notSigned();
  }
  const row = await receiveOrder(ctx, { accountId, channelId }, readOrder(request.body));
  const { order_id: orderId, order_reference: reference } = row;
  return {
    id: publicId('sho', row.id),
    state: row.state,
    reason: row.reason,
    order: orderId === null || reference === null ? null : { id: publicId('ord', orderId), reference },
  };
}

/** What a request is answered whose signature is wrong, or whose shop is unknown. */
export function notSigned(): ApiError {
  const detail =
    'The request is not signed with the secret of a connected shop, or more than five minutes ago. See /docs/channels.';
  return new ApiError('unauthorized', detail, { headers: { 'www-authenticate': 'Signature' } });
}

const shapeOf = compileShape(ShopOrderBody);

function readOrder(body: Buffer): ShopOrder {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new ApiError('invalid_request', 'The body is not JSON.');
  }
  const problems: Problem[] = [...findBadText(value)];
  const named = new Set(problems.map(({ path }) => path));
  problems.push(...shapeOf(value).filter(({ path }) => !named.has(path)));
  if (problems.length === 0) problems.push(...timeProblems(value as ShopOrder), ...idProblems(value as ShopOrder));
  if (problems.length > 0) throw validationFailed(problems);
  return knownOrder(value as ShopOrder);
}

const TIMES = ['ordered_at', 'updated_at', 'scheduled_for'] as const;

/** A schema says the form of a time, not whether its day exists. */
function timeProblems(order: ShopOrder): Problem[] {
  const times = [
    ...TIMES.map((path) => ({ path, text: order[path] })),
    ...order.items.map((item, index) => ({ path: `items[${index}].scheduled_for`, text: item.scheduled_for })),
  ];
  return times.flatMap(({ path, text }) =>
    text === undefined || parseTime(text) !== undefined
      ? []
      : [{ path, code: 'time', message: 'is no time that exists.' }],
  );
}

/** What is added to an order later stands here by its id with a number. */
const LIKE_AN_ADDITION = /:\d+$/;

function idProblems({ id }: ShopOrder): Problem[] {
  if (!LIKE_AN_ADDITION.test(id)) return [];
  const message = 'must not end in a colon and a number: additions to an order have such ids here.';
  return [{ path: 'id', code: 'format', message }];
}
