import type { Context } from '../../lib/context.ts';
import { ApiError } from '../../lib/errors.ts';
import { platformOf } from '../platforms/platforms.ts';
import type { LinkedPlatform } from '../platforms/port.ts';
import { takeInvitation } from './link-sql.ts';
import { SYNC_DUE } from './run-syncs.ts';
import { writeLink } from './write-link.ts';

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
    const { account_id: accountId, channel_id: channelId, address } = invitation;
    await writeLink(tx, ctx, { accountId, channelId, platform: name, name: invitation.name, address, sealed, now });
  });
  ctx.wake(SYNC_DUE);
}

function digestsOf({ everyDigest }: Context['secrets'], state: string): Buffer[] {
  return everyDigest.map((digest) => digest(state));
}
