import type { Context } from '../../lib/context.ts';
import { ApiError, unavailable } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { appOf, platformOf } from '../platforms/platforms.ts';
import type { Consent, Credentials, LinkedPlatform, Platform } from '../platforms/port.ts';
import { callsTo, ShopFault } from '../platforms/shop-call.ts';
import { findInvitation, type Invitation, takeInvitation } from './invitation-sql.ts';
import { refuseIfElsewhere } from './linked-before.ts';
import { SYNC_DUE } from './run-syncs.ts';
import { writeLink } from './write-link.ts';

type ConsentContext = Pick<Context, 'database' | 'clock' | 'config' | 'outbound' | 'secrets' | 'wake'>;

/** How a consent came. */
export type ConsentSent = {
  readonly content: unknown;
  /** The account that is signed in in the browser that brought it; null without one. */
  readonly browserOf?: Uuid | null;
  readonly signal: AbortSignal;
};

/**
 * Takes what a shop sends once its people have consented, and links the shop.
 * The state says for whom, once: the shop is the one whose address was typed, not the one that sends this. What a
 * browser brings must come by one in which the account is signed in: else a shop could be linked with the account of
 * another person. Throws 400 for what is no consent of the platform, 401 for a state that is not open, or not for this
 * browser or shop, and 409 or 503 where a code cannot be exchanged or the shop is linked with another account.
 */
export async function takeConsent(ctx: ConsentContext, name: LinkedPlatform, sent: ConsentSent): Promise<void> {
  const platform = platformOf(name);
  const consent = platform.readConsent(sent.content, appOf(ctx.config, name));
  if (consent === undefined) throw new ApiError('invalid_request', 'This is no consent of a shop.');
  const digests = ctx.secrets.everyDigest.map((digest) => digest(consent.state));
  const begun = await findInvitation(ctx.database, digests, ctx.clock.now());
  if (begun === undefined || !isFor(begun, platform, consent, sent.browserOf)) throw notWaitedFor();
  // Before the code is used: by another, the shop would take away what lets the account in that it is linked with.
  await refuseIfElsewhere(ctx.database, platform, begun);
  const credentials = await exchanged(ctx, platform, begun, { consent, signal: sent.signal });
  const now = ctx.clock.now();
  const sealed = ctx.secrets.seal(JSON.stringify(credentials));
  await ctx.database.transaction(async (tx) => {
    const invitation = await takeInvitation(tx, digests, now);
    if (invitation === undefined) throw notWaitedFor();
    const { account_id: accountId, address, channel_id: channelId } = invitation;
    await writeLink(tx, ctx, { accountId, channelId, platform, name: invitation.name, address, sealed, now });
  });
  ctx.wake(SYNC_DUE);
}

function notWaitedFor(): ApiError {
  return new ApiError('unauthorized', 'No connection waits for this consent. Begin in the portal again.', {
    headers: { 'www-authenticate': 'State' },
  });
}

function isFor(
  invitation: Invitation,
  { name, isConsentByBrowser }: Platform,
  { address }: Consent,
  browserOf: Uuid | null | undefined,
): boolean {
  if (invitation.platform !== name) return false;
  if (address !== undefined && address !== invitation.address) return false;
  return isConsentByBrowser ? browserOf === invitation.account_id : browserOf === undefined;
}

/** The credentials that are kept. A code is good once, so that what fails here begins anew. */
async function exchanged(
  ctx: ConsentContext,
  platform: Platform,
  { account_id: accountId, address }: Invitation,
  { consent, signal }: { readonly consent: Consent; readonly signal: AbortSignal },
): Promise<Credentials> {
  if (platform.exchange === undefined) return consent.credentials;
  const call = callsTo(ctx, { accountId, address, headers: {}, signal });
  try {
    return await platform.exchange(call, consent.credentials, appOf(ctx.config, platform.name), ctx.clock.now());
  } catch (error) {
    if (!(error instanceof ShopFault)) throw error;
    if (error.kind === 'refused') {
      throw new ApiError('conflict', `${platform.title} does not take its own consent any more. Begin again.`);
    }
    throw unavailable(`${platform.title} does not answer as it should. Begin again in some minutes.`, error);
  }
}
