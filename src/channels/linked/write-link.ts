import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Sealed } from '../../lib/secrets.ts';
import { newSigningSecret } from '../../webhooks/sign.ts';
import { insertChannel, insertSecret, lockAndCountChannels, lockChannel } from '../connected/channel-sql.ts';
import { CONNECTED_MAX, EVER_MAX } from '../connected/channels.ts';
import type { LinkedPlatform } from '../platforms/port.ts';
import { insertShopLink, renewLink } from './link-sql.ts';

/**
 * Links a shop that lets us in, or renews its access; returns its channel.
 * It is read at once. A channel that was disconnected meanwhile stays so. Throws 409 beyond the bounds of the
 * account, which is locked.
 */
export async function writeLink(
  tx: Db,
  { secrets }: Pick<Context, 'secrets'>,
  link: {
    readonly accountId: Uuid;
    /** null for a shop that is linked for the first time. */
    readonly channelId: Uuid | null;
    readonly platform: LinkedPlatform;
    readonly name: string;
    readonly address: string;
    readonly sealed: Sealed;
    readonly now: Date;
  },
): Promise<Uuid> {
  const { accountId, channelId: renewed, platform, name, address, sealed, now } = link;
  if (renewed !== null) {
    const channel = await lockChannel(tx, accountId, renewed);
    if (channel?.state !== 'disconnected') await renewLink(tx, { accountId, channelId: renewed, sealed, now });
    return renewed;
  }
  const { connected, ever } = await lockAndCountChannels(tx, accountId);
  if (connected >= CONNECTED_MAX || ever >= EVER_MAX) {
    throw new ApiError('conflict', `An account has at most ${CONNECTED_MAX} connected shops, ${EVER_MAX} in all.`);
  }
  const channelId = newId(now.getTime());
  await insertChannel(tx, { accountId, id: channelId, platform, name, address, now });
  const secret = secrets.seal(newSigningSecret());
  await insertSecret(tx, { id: newId(now.getTime()), accountId, channelId, sealed: secret });
  await insertShopLink(tx, { accountId, channelId, address, sealed, now });
  return channelId;
}
