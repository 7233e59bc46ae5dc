import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Channel } from '../channel-schema.ts';
import { readOwnChannel } from '../connected/channels.ts';
import type { ChannelsContext } from '../context.ts';
import type { Credentials, Platform } from '../platforms/port.ts';
import { SYNC_DUE } from './run-syncs.ts';
import { writeLink } from './write-link.ts';

/**
 * Links a shop by a key that a person has copied there, or renews its access.
 * The shop is not asked here: whether it takes the key is found by the job that reads it. Throws 409 beyond the bounds.
 */
export async function linkByKey(
  ctx: ChannelsContext,
  caller: SignedIn,
  link: {
    readonly platform: Platform;
    readonly name: string;
    readonly address: string;
    readonly channelId: Uuid | null;
    readonly credentials: Credentials;
  },
): Promise<Channel> {
  const { accountId } = caller;
  const { platform, name, address, channelId, credentials } = link;
  const sealed = ctx.secrets.seal(JSON.stringify(credentials));
  const now = ctx.clock.now();
  const id = await ctx.database.transaction(async (tx) => {
    const written = await writeLink(tx, ctx, { accountId, channelId, platform, name, address, sealed, now });
    const action = written.isNew ? 'connect_shop' : 'renew_shop';
    const detail = { channel_id: publicId('chan', written.channelId) };
    await recordAct(tx, caller, { action, subjectId: written.channelId, detail }, now);
    return written.channelId;
  });
  ctx.wake(SYNC_DUE);
  return readOwnChannel(ctx, caller, publicId('chan', id));
}
