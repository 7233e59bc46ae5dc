import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { deleteSubscription } from './subscription-sql.ts';

/**
 * Removes a subscription for good (spec 3.5).
 * No attempt begins afterwards; one in progress ends without being recorded. Throws 404 when it is not the account's, a
 * second removal included.
 */
export async function removeSubscription(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  publicId: string,
): Promise<void> {
  const id = parseId('whk', publicId);
  if (id === undefined || !(await deleteSubscription(ctx.database, caller.accountId, id))) throw notFound();
}
