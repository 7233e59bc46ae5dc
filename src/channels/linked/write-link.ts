import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Sealed } from '../../lib/secrets.ts';
import { newSigningSecret } from '../../webhooks/sign.ts';
import { insertChannel, insertSecret, lockAndCountChannels, lockChannel } from '../connected/channel-sql.ts';
import { CONNECTED_MAX, EVER_MAX } from '../connected/channels.ts';
import type { Platform } from '../platforms/port.ts';
import { insertShopLink, knowAgain, renewLink } from './link-sql.ts';
import { linkedBefore } from './linked-before.ts';
import { marksOf } from './shop-mark.ts';

/**
 * Links a shop that lets us in, or renews its access; returns its channel, and whether that is new.
 * It is read at once. One that the account has linked already has its access renewed. A channel that was disconnected
 * meanwhile stays so. Throws 409 beyond the bounds of the account, which is locked, and for a shop of another account
 * where it can be linked once.
 */
export async function writeLink(
  tx: Db,
  { secrets }: Pick<Context, 'secrets'>,
  link: {
    readonly accountId: Uuid;
    /** null for a shop that is to be linked. */
    readonly channelId: Uuid | null;
    readonly platform: Platform;
    readonly name: string;
    readonly address: string;
    readonly sealed: Sealed;
    readonly now: Date;
  },
): Promise<{ readonly channelId: Uuid; readonly isNew: boolean }> {
  const { accountId, platform, name, address, sealed, now } = link;
  const renewed = link.channelId ?? (await linkedBefore(tx, platform, { account_id: accountId, address }));
  if (renewed !== null) {
    const channel = await lockChannel(tx, accountId, renewed);
    if (channel?.state !== 'disconnected') await renewLink(tx, { accountId, channelId: renewed, sealed, now });
    return { channelId: renewed, isNew: false };
  }
  // Forgotten by its platform's wish, and here again by its people's: what was placed of it is known again.
  await knowAgain(tx, accountId, { address, marks: marksOf(secrets, address), platform: platform.name });
  const { connected, ever } = await lockAndCountChannels(tx, accountId);
  if (connected >= CONNECTED_MAX || ever >= EVER_MAX) {
    throw new ApiError('conflict', `An account has at most ${CONNECTED_MAX} connected shops, ${EVER_MAX} in all.`);
  }
  const channelId = newId(now.getTime());
  await insertChannel(tx, { accountId, id: channelId, platform: platform.name, name, address, now });
  const secret = secrets.seal(newSigningSecret());
  await insertSecret(tx, { id: newId(now.getTime()), accountId, channelId, sealed: secret });
  await insertShopLink(tx, { accountId, channelId, address, sealed, now });
  return { channelId, isNew: true };
}
