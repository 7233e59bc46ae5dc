import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Platform } from '../platforms/port.ts';
import { deleteLink, findOwnChannelAt, listChannelsAt, lockAddress } from './link-sql.ts';

/** A shop that an account wants to link. */
type Wanted = { readonly account_id: Uuid; readonly address: string };

/** Throws 409 for a shop that can be linked once, and is linked with another account. */
export async function refuseIfElsewhere(
  db: Db,
  platform: Platform,
  { account_id: own, address }: Wanted,
): Promise<void> {
  if (!platform.isLinkedOnce) return;
  const channels = await listChannelsAt(db, [address], platform.name);
  if (channels.some(({ account_id: of, state }) => of !== own && state !== 'disconnected')) throw linkedElsewhere();
}

function linkedElsewhere(): ApiError {
  const why = 'This shop is connected with another account of the print shop. Have it disconnected there first.';
  return new ApiError('conflict', why);
}

/**
 * The channel of the account that a shop is linked with already.
 * With two, each of its orders would be made twice.
 * Where a shop can be linked once, what a disconnected one has left there is ours to keep now, and one of another
 * account is 409. Other links of the shop wait until the end of the transaction.
 */
export async function linkedBefore(tx: Db, platform: Platform, wanted: Wanted): Promise<Uuid | null> {
  const { account_id: own, address } = wanted;
  await lockAddress(tx, address);
  if (platform.isLinkedOnce) {
    await refuseIfElsewhere(tx, platform, wanted);
    for (const { account_id: accountId, channel_id: channelId, state } of await listChannelsAt(
      tx,
      [address],
      platform.name,
    )) {
      if (state === 'disconnected') await deleteLink(tx, accountId, channelId);
    }
  }
  return (await findOwnChannelAt(tx, own, { address, platform: platform.name })) ?? null;
}
