import { randomBytes } from 'node:crypto';
import { requireProof } from '../../accounts/portal/prove.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { FIRST_ID, newId, type Uuid } from '../../lib/ids.ts';
import type { BeginLinkBody, BegunLink } from '../channel-schema.ts';
import { lockAndCountChannels } from '../connected/channel-sql.ts';
import { CONNECTED_MAX, EVER_MAX, ownChannel } from '../connected/channels.ts';
import type { ChannelsContext } from '../context.ts';
import { appOf, platformOf } from '../platforms/platforms.ts';
import type { Credentials, Platform } from '../platforms/port.ts';
import { nameOfAddress } from '../platforms/shop-name.ts';
import { sameShop } from './claim-shop.ts';
import { countInvitations, insertInvitation } from './invitation-sql.ts';
import { linkByKey } from './link-by-key.ts';
import { findLink, findOwnChannelAt, findOwnShopNamed } from './link-sql.ts';

const CONSENT_MS = 1_800_000;
const INVITATIONS_MAX = 20;
const STATE_BYTES = 32;

/**
 * Begins to link a shop of a platform.
 * The answer has the page of the shop on which its people consent. Nothing is linked before the shop has sent its key,
 * within half an hour. A shop of a platform without such a page is linked at once, by the key that was copied there;
 * whether the shop takes it is found once it is read. With a channel, and for a shop that is linked already, access is
 * renewed. Throws 403 without a fresh
 * proof, 404 for another's channel, 409 beyond the bounds, for a disconnected one and for another address of a
 * connected shop, 422 for an address that is none or
 * that is not public, and for a key that is none.
 */
export async function beginLink(ctx: ChannelsContext, caller: SignedIn, body: BeginLinkBody): Promise<BegunLink> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const platform = platformOf(body.platform);
  const app = appOf(ctx.config, platform.name);
  if (platform.needsApp && app === undefined) {
    const why = `Shops of ${platform.title} cannot be connected here: the print shop has no app at ${platform.title} yet.`;
    throw new ApiError('conflict', why);
  }
  const credentials = credentialsOf(platform, body.key);
  const renewed = body.channel === undefined ? undefined : await renewedChannel(ctx, accountId, body, body.channel);
  const address = renewed?.address ?? (await publicAddress(ctx, platform, body.address));
  if (renewed === undefined) await refuseOtherAddress(ctx, accountId, platform, address);
  const name = body.name.trim();
  if (credentials !== undefined) {
    const channelId = renewed?.channelId ?? null;
    return { channel: await linkByKey(ctx, caller, { platform, name, address, channelId, credentials }) };
  }
  const { consentUrl } = platform;
  if (consentUrl === undefined) throw new Error(`shops of ${platform.name} are linked by nothing`);
  const state = randomBytes(STATE_BYTES).toString('base64url');
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    const { connected, ever } = await lockAndCountChannels(tx, accountId);
    const linked = renewed?.channelId ?? (await findOwnChannelAt(tx, accountId, { address, platform: platform.name }));
    if (linked === undefined && (connected >= CONNECTED_MAX || ever >= EVER_MAX)) {
      throw new ApiError('conflict', `An account has at most ${CONNECTED_MAX} connected shops, ${EVER_MAX} in all.`);
    }
    if ((await countInvitations(tx, accountId, now)) >= INVITATIONS_MAX) {
      throw new ApiError('conflict', 'Too many shops wait for consent. Try again in half an hour.');
    }
    await insertInvitation(tx, {
      id: newId(now.getTime()),
      account_id: accountId,
      platform: platform.name,
      address,
      name,
      channel_id: renewed?.channelId ?? null,
      digest: ctx.secrets.digest(state),
      now,
      expiresAt: new Date(now.getTime() + CONSENT_MS),
    });
  });
  const { baseUrl } = ctx.config;
  return { consent_url: consentUrl({ address, state, appName: APP_NAME, baseUrl, app }) };
}

/** Another address of a shop that is connected would make each of its orders twice. */
async function refuseOtherAddress(
  { database }: Pick<ChannelsContext, 'database'>,
  accountId: Uuid,
  platform: Platform,
  address: string,
): Promise<void> {
  const name = nameOfAddress(address);
  if (platform.ownName === undefined || name === undefined) return;
  const same = await findOwnShopNamed(database, accountId, { platform: platform.name, name, exceptId: NO_CHANNEL });
  if (same === undefined || same.address === address) return;
  throw new ApiError('conflict', `${sameShop(same)} Connect it again from its page, or disconnect it there first.`);
}

const NO_CHANNEL = FIRST_ID as Uuid;

/** As the people of a shop read it. */
const APP_NAME = 'Platen';

/**
 * What a copied key says; undefined where people consent.
 * Throws 422 for a key that is none, or that is not asked for.
 */
function credentialsOf({ readKey, title }: Platform, key: string | undefined): Credentials | undefined {
  if (readKey === undefined && key === undefined) return undefined;
  const credentials = readKey?.(key ?? '');
  if (credentials !== undefined) return credentials;
  const message =
    readKey === undefined
      ? `is not used for ${title}: its people consent on a page of the shop.`
      : `must be a secret key of the ${title} shop, copied from the pages for its people.`;
  throw validationFailed([{ path: 'key', code: key === undefined ? 'required' : 'pattern', message }]);
}

async function renewedChannel(ctx: ChannelsContext, accountId: Uuid, { platform }: BeginLinkBody, id: string) {
  const channel = await ownChannel(ctx, accountId, id);
  const link = await findLink(ctx.database, accountId, channel.id);
  if (link === undefined || link.platform !== platform || channel.state === 'disconnected') {
    throw new ApiError('conflict', 'This shop is not linked. Connect it anew.');
  }
  return { channelId: channel.id, address: link.address };
}

async function publicAddress(ctx: ChannelsContext, platform: Platform, typed: string): Promise<string> {
  const path = 'address';
  const address = platform.addressOf(typed);
  if (address === undefined) {
    const message = `must be where the ${platform.title} shop is, by https, such as ${platform.addressExample}.`;
    throw validationFailed([{ path, code: 'url', message }]);
  }
  const checked = await ctx.outbound.checkTarget(address, ctx.asker);
  if (checked.kind === 'ok') return address;
  throw validationFailed([{ path, code: checked.code, message: checked.message }]);
}
