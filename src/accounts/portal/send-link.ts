import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import { type AskedBy, linkMessage } from '../mail/link-message.ts';
import { type Queued, queueMail } from '../mail/queue-mail.ts';
import { shopName } from '../mail/shop-words.ts';
import { hashToken } from '../token.ts';
import { accountNameOf, endLinksOf, insertLink, type LinkRow } from './link-sql.ts';
import { newSessionSecret } from './session-cookie.ts';
import { LINK_MS } from './session-times.ts';

export type LinkContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'config' | 'log'>;

/** A link that was made. */
export type MadeLink = {
  readonly id: Uuid;
  /** Holds the token, which is stored nowhere. Undefined when it was mailed. */
  readonly url: string | undefined;
  readonly mail: Queued;
  readonly createdAt: Date;
  readonly endsAt: Date;
};

/**
 * Makes a link that works once, within an hour, and replaces any earlier one to the same address.
 * The token stands behind `#`, which no browser sends to a server, so that no log of a proxy has it. It is mailed, by a
 * mail of the caller's transaction; the caller wakes `MAIL_JOB` after it. Otherwise the caller has its address, and
 * decides by `mail` whether the person who asked for it may pass it on. Its id is new, or the one that is given.
 */
export async function sendLink(
  ctx: LinkContext,
  tx: Db,
  link: Pick<LinkRow, 'account_id' | 'kind' | 'email' | 'role' | 'name'> & { readonly id?: Uuid },
  askedBy: AskedBy,
): Promise<MadeLink> {
  const now = ctx.clock.now();
  const token = newSessionSecret();
  const made = { id: link.id ?? newId(now.getTime()), created_at: now, ends_at: new Date(now.getTime() + LINK_MS) };
  await endLinksOf(tx, { accountId: link.account_id, email: link.email, now });
  await insertLink(tx, { ...link, ...made, hash: hashToken(token) });
  const url = `${ctx.config.baseUrl}/portal/link#${token}`;
  const { kind, role } = link;
  const account = await accountNameOf(tx, link.account_id);
  const mail = await queueMail(ctx, tx, {
    accountId: link.account_id,
    kind: kind === 'reset' ? 'password_reset' : kind,
    to: link.email,
    uselessAt: made.ends_at,
    message: linkMessage({ kind, role, account, askedBy, url, endsAt: made.ends_at, shop: shopName(ctx.config) }),
  });
  return { id: made.id, url: mail === 'queued' ? undefined : url, mail, createdAt: now, endsAt: made.ends_at };
}
