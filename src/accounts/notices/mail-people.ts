import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Message } from '../../lib/mail/message.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { shopName } from '../mail/shop-words.ts';
import { type NoticeKind, rolesOf } from './kinds.ts';
import { findRecipient, findRecipients, type RecipientRow } from './notice-sql.ts';

export type NoticeContext = Pick<Context, 'config' | 'secrets' | 'clock' | 'log'>;

/** What a mail to people says. The link is a path of the portal. */
export type Notice = Pick<Message, 'subject' | 'paragraphs'> & {
  readonly link?: { readonly label: string; readonly path: string };
};

/** A notice that could not be sent for this long is of no use any more. */
const USEFUL_MS = 3 * 86_400_000;

/**
 * Mails the people of an account who want this kind of mail, in the transaction of its cause.
 * `about` tells what it is about from all else of the kind: a person gets one mail for it, however often this runs.
 * Without a mail server it does nothing, and reads nothing. The mails leave when the workers look next.
 */
export async function mailPeople(
  ctx: NoticeContext,
  tx: Db,
  to: { readonly accountId: Uuid; readonly kind: NoticeKind; readonly about: string },
  render: (shop: string) => Notice,
): Promise<void> {
  if (ctx.config.mail === undefined) return;
  const { accountId, kind, about } = to;
  const people = await findRecipients(tx, { accountId, kind, roles: rolesOf(kind) });
  const notice = render(shopName(ctx.config));
  for (const person of people) {
    const footer = `You get this mail because you sign in for ${person.account_name} at ${shopName(ctx.config)}. Choose your mails: ${ctx.config.baseUrl}/portal/notifications`;
    await queueNotice(ctx, tx, { accountId, kind, about, person, footer }, notice);
  }
}

/**
 * Mails one person about the security of their own sign-in, which cannot be turned off.
 * As `mailPeople`, to that person alone.
 */
export async function mailAboutSecurity(
  ctx: NoticeContext,
  tx: Db,
  to: { readonly accountId: Uuid; readonly userId: Uuid; readonly about: string },
  notice: Notice,
): Promise<void> {
  if (ctx.config.mail === undefined) return;
  const { accountId, userId, about } = to;
  const person = await findRecipient(tx, accountId, userId);
  if (person === undefined) return;
  const footer = `You get this mail because it is about your own sign-in for ${person.account_name}. If it was not you, choose a new password now: ${ctx.config.baseUrl}/portal/forgotten`;
  await queueNotice(ctx, tx, { accountId, kind: 'security', about, person, footer }, notice);
}

type Queued = { accountId: Uuid; kind: string; about: string; person: RecipientRow; footer: string };

async function queueNotice(ctx: NoticeContext, tx: Db, mail: Queued, notice: Notice): Promise<void> {
  const { accountId, kind, about, person, footer } = mail;
  const { subject, paragraphs, link } = notice;
  const action = link && { label: link.label, url: `${ctx.config.baseUrl}/portal${link.path}` };
  await queueMail(ctx, tx, {
    accountId,
    kind,
    to: person.email,
    uselessAt: new Date(ctx.clock.now().getTime() + USEFUL_MS),
    onceKey: `${kind} ${about} ${person.id}`,
    message: { subject, paragraphs, footer, ...(action === undefined ? {} : { action }) },
  });
}
