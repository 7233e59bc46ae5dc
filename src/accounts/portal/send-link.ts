import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { hashToken } from '../token.ts';
import { endLinksOf, insertLink, type LinkRow } from './link-sql.ts';
import { newSessionSecret } from './session-cookie.ts';
import { LINK_MS } from './session-times.ts';

export type LinkContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'config'>;

/** A link that was made. Its address holds the token, which is stored nowhere. */
export type MadeLink = { readonly id: Uuid; readonly url: string; readonly createdAt: Date; readonly endsAt: Date };

/**
 * Makes a link that works once, within an hour, and replaces any earlier one to the same address.
 * The token stands behind `#`, which no browser sends to a server, so that no log of a proxy has it. The address is
 * handed to the person who asked for it, to be passed on.
 */
export async function sendLink(
  ctx: LinkContext,
  tx: Db,
  link: Pick<LinkRow, 'account_id' | 'kind' | 'email' | 'role' | 'name'>,
): Promise<MadeLink> {
  const now = ctx.clock.now();
  const token = newSessionSecret();
  const made = { id: newId(now.getTime()), created_at: now, ends_at: new Date(now.getTime() + LINK_MS) };
  await endLinksOf(tx, { accountId: link.account_id, email: link.email, now });
  await insertLink(tx, { ...link, ...made, hash: hashToken(token) });
  return { id: made.id, url: `${ctx.config.baseUrl}/portal/link#${token}`, createdAt: now, endsAt: made.ends_at };
}
