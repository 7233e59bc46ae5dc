import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { InboxReason, WaitReason } from '../inbox/reasons.ts';
import { makeMailDue } from './waiting-sql.ts';

/** What is answered within this time is not mailed about. */
const ANSWERED_MS = 15 * 60_000;

/** What waits for the people of a shop, in words behind a number. What waits for else has none. */
export const ASKING_WORDS: Partial<Record<WaitReason, string>> = {
  needs_mapping: 'with items that are not known here yet',
  approval: 'for your approval',
  supplement: 'with pieces that were added to an order which is placed already',
  address_refused: 'with an address that we cannot send to',
  needs_artwork: 'with a product that has no artwork',
  needs_personalisation: 'with something that the buyer entered, or should have, to be looked at',
  out_of_stock: 'with something that is out of stock',
  high_risk: 'that the shop calls risky',
  refused: 'that we could not take as they are',
  unreadable: 'that the shop does not give out',
};

/** Whether an order with this reason waits for the people of its shop. Pure. */
export function asksPeople(reason: InboxReason): boolean {
  return Object.hasOwn(ASKING_WORDS, reason);
}

/**
 * Has the people of a channel mailed soon that something of it waits for them.
 * Under no lock but that of the channel: others have that before any order's or report's.
 */
export async function askPeople(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  of: { readonly accountId: Uuid; readonly channelId: Uuid },
): Promise<void> {
  await makeMailDue(db, of, new Date(clock.now().getTime() + ANSWERED_MS));
}
