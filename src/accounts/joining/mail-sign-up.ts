import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Message, renderMessage } from '../../lib/mail/message.ts';
import type { Smtp } from '../../lib/mail/smtp.ts';
import { JobFault } from '../../lib/queue.ts';
import { shopName } from '../mail/shop-words.ts';
import { hashToken } from '../token.ts';
import { findPersonToMail } from './joining-sql.ts';
import type { SignUpContext } from './sign-up.ts';
import { dropSignUp, findSignUpToMail, setSignUpToken } from './sign-up-sql.ts';

/**
 * Mails the link that confirms a sign-up; to an address that signs in already, that it does.
 * There is no account yet, so it is no row of `mail`. The token follows from the row's id by SECRET_KEY: it is stored
 * nowhere but as a hash, and a repeat mails the same link, for the first mail may have arrived. A no-op for a sign-up
 * that is over.
 */
export async function mailSignUp(ctx: SignUpContext, smtp: Smtp | undefined, key: string): Promise<void> {
  const id = parseId('sup', key);
  if (id === undefined) throw new Error('the key of a sign-up job is no id of a sign-up');
  const now = ctx.clock.now();
  const row = await findSignUpToMail(ctx.database, id, now);
  if (row === undefined) return;
  if (smtp === undefined)
    throw new Error('a sign-up waits, and no mail server is set: set SMTP_URL and MAIL_FROM again');
  const token = tokenOf(ctx, id, row.token_hash);
  if (!(await setSignUpToken(ctx.database, id, hashToken(token), now))) return;
  const isKnown = (await findPersonToMail(ctx.database, row.email)) !== undefined;
  const { baseUrl } = ctx.config;
  const shop = shopName(ctx.config);
  const message = isKnown ? knownMessage(shop, baseUrl) : confirmMessage(shop, `${baseUrl}/portal/confirm#${token}`);
  const { kind, answer } = await smtp.send({ ...renderMessage(message), id: publicId('sup', id), to: row.email });
  if (kind === 'later') throw new JobFault(`the mail server answered: ${answer}`);
  if (isKnown || kind === 'refused') await dropSignUp(ctx.database, id);
}

/**
 * The token of a sign-up: the one that was mailed, or else a first one.
 * The key may have been exchanged since it was mailed.
 */
function tokenOf({ secrets }: SignUpContext, id: Uuid, mailed: Buffer | null): string {
  const [present = '', ...earlier] = secrets.everySignature(`sign-up ${id}`);
  return earlier.find((token) => mailed?.equals(hashToken(token)) === true) ?? present;
}

const FOOTER = 'You get this mail because someone gave your address to open an account. If it was not you, do nothing.';

// Nothing that was typed into the form stands in it: a form that anyone fills in must not write to others in our name.
function confirmMessage(shop: string, url: string): Message {
  return {
    subject: `Confirm your address for ${shop}`,
    paragraphs: [
      `Someone asked ${shop} for an account with this address.`,
      'The link confirms it. It works once, within a day.',
    ],
    action: { label: 'Confirm the address', url },
    footer: FOOTER,
  };
}

function knownMessage(shop: string, baseUrl: string): Message {
  return {
    subject: `You sign in at ${shop} already`,
    paragraphs: [
      `Someone asked ${shop} for an account with this address, which signs in already. Nothing has changed.`,
      'If you have forgotten the password, the page of the sign-in mails you a link to a new one.',
    ],
    action: { label: 'Sign in', url: `${baseUrl}/portal/sign-in` },
    footer: FOOTER,
  };
}
