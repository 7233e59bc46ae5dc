import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { newSigningSecret } from '../../webhooks/sign.ts';
import { insertChannel, insertSecret, lockAndCountChannels, lockChannel } from '../connected/channel-sql.ts';
import { CONNECTED_MAX } from '../connected/channels.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { LinkedPlatform } from '../platforms/port.ts';
import { insertShopLink, renewLink, takeInvitation } from './link-sql.ts';
import { SYNC_DUE } from './run-syncs.ts';

/**
 * Takes the key that a shop sends once its people have consented, and links the shop.
 * The state says for whom, once: the shop is the one whose address was typed, not the one that sends this. The shop is
 * not asked here, since it waits for the answer; the first sync does it. Throws 400 for what is no key of the platform,
 * and 401 for a state that is not open.
 */
export async function takeConsent(
  ctx: Pick<Context, 'database' | 'clock' | 'secrets' | 'wake'>,
  name: LinkedPlatform,
  body: unknown,
): Promise<void> {
  const consent = platformOf(name).readConsent(body);
  if (consent === undefined) throw new ApiError('invalid_request', 'This is no consent of a shop.');
  const now = ctx.clock.now();
  const sealed = ctx.secrets.seal(JSON.stringify(consent.credentials));
  await ctx.database.transaction(async (tx) => {
    const invitation = await takeInvitation(tx, digestsOf(ctx.secrets, consent.state), now);
    if (invitation === undefined || invitation.platform !== name) {
      throw new ApiError('unauthorized', 'No connection waits for this consent. Begin in the portal again.', {
        headers: { 'www-authenticate': 'State' },
      });
    }
    const { account_id: accountId, channel_id: renewed, address } = invitation;
    if (renewed !== null) {
      const channel = await lockChannel(tx, accountId, renewed);
      if (channel?.state !== 'disconnected') await renewLink(tx, { accountId, channelId: renewed, sealed, now });
      return;
    }
    const { connected } = await lockAndCountChannels(tx, accountId);
    if (connected >= CONNECTED_MAX) throw new ApiError('conflict', 'The account has as many shops as it may.');
    const channelId = newId(now.getTime());
    await insertChannel(tx, { accountId, id: channelId, platform: name, name: invitation.name, now });
    const secret = ctx.secrets.seal(newSigningSecret());
    await insertSecret(tx, { id: newId(now.getTime()), accountId, channelId, sealed: secret });
    await insertShopLink(tx, { accountId, channelId, address, sealed, now });
  });
  ctx.wake(SYNC_DUE);
}

function digestsOf({ everyDigest }: Context['secrets'], state: string): Buffer[] {
  return everyDigest.map((digest) => digest(state));
}
