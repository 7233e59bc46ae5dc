import type { PersonRole } from '../../lib/caller.ts';
import type { Message } from '../../lib/mail/message.ts';
import { timeInMail } from './shop-words.ts';

/** On whose word a link is made: a person of the account, the print shop, or the reader of the mail. */
export type AskedBy = { readonly kind: 'person'; readonly name: string } | { readonly kind: 'shop' | 'reader' };

/** What a mail with a link that works once has to say. */
export type MailedLink = {
  readonly kind: 'invitation' | 'reset';
  readonly shop: string;
  readonly account: string;
  readonly role: PersonRole | null;
  readonly askedBy: AskedBy;
  readonly url: string;
  readonly endsAt: Date;
};

const ROLE_WORDS: Readonly<Record<PersonRole, string>> = {
  owner: 'an owner, who does everything and decides who may sign in',
  manager: 'a manager, who does everything but decide who may sign in',
  orders: 'one who places and follows orders',
  reader: 'one who sees everything and changes nothing',
};

/** The mail by which a person comes in, or chooses a new password. */
export function linkMessage(link: MailedLink): Message {
  return link.kind === 'invitation' ? invitationMessage(link) : resetMessage(link);
}

function invitationMessage({ shop, account, role, askedBy, url, endsAt }: MailedLink): Message {
  if (role === null) throw new Error('an invitation without a role');
  const who = askedBy.kind === 'person' ? askedBy.name : shop;
  return {
    // Without the account: a person who signs up names it, and the mail goes out in the shop's name.
    subject: `An invitation to sign in at ${shop}`,
    paragraphs: [
      `${who} invites you to sign in for ${account} at ${shop}, as ${ROLE_WORDS[role]}.`,
      `The link works once, until ${timeInMail(endsAt)}. After that, ask ${who} for another one.`,
    ],
    action: { label: 'Accept the invitation', url },
    footer: `You get this mail because ${who} gave your address. If you do not expect it, do nothing: without the link no one signs in in your name.`,
  };
}

function resetMessage({ shop, account, askedBy, url, endsAt }: MailedLink): Message {
  const asked =
    askedBy.kind === 'reader'
      ? `Someone asked for a new password for your sign-in for ${account}.`
      : `${askedBy.kind === 'person' ? askedBy.name : shop} sends you a link to a new password for ${account}.`;
  return {
    subject: `A new password for ${shop}`,
    paragraphs: [
      asked,
      `The link works once, until ${timeInMail(endsAt)}. A new password signs you out everywhere else.`,
    ],
    action: { label: 'Choose a new password', url },
    footer: 'If you did not ask for it, do nothing: your password stays as it is, and no one but you has this link.',
  };
}
