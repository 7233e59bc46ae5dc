import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { keepFiles, listExpiredAreas } from './expiry-sql.ts';

/**
 * Keeps the print files of a locked order, or of some of its lines, until the transaction ends.
 * Throws 409 `artwork_expired` when some were deleted because their time was over (KEEP_ARTWORK_DAYS): it names the
 * lines and areas whose artwork must be supplied anew. Locks the files in the order of their keys.
 */
export async function refuseExpiredArtwork(
  tx: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid },
  what: { readonly lineIds?: readonly Uuid[]; readonly cure: string },
): Promise<void> {
  await keepFiles(tx, of, what.lineIds);
  const expired = await listExpiredAreas(tx, of, what.lineIds);
  if (expired.length === 0) return;
  const areas = expired.map(({ line_id: id, print_area: area, method }) => ({
    line_id: publicId('line', id),
    print_area: area,
    method,
  }));
  const named = areas.slice(0, NAMED_MAX).map(({ line_id: id, print_area: area }) => `${area} of ${id}`);
  const more = areas.length > NAMED_MAX ? ` and ${areas.length - NAMED_MAX} more` : '';
  const detail = `The artwork was deleted because its time was over: ${named.join(', ')}${more}. ${what.cure}`;
  throw new ApiError('artwork_expired', detail, { extras: { areas } });
}

/** What becomes of an unpaid order whose artwork is gone. */
export const UNPAID_CURE = 'Have the customer replace the artwork on the order, or cancel it.';

/** How many areas the sentence names; the member `areas` has all of them. */
const NAMED_MAX = 5;
