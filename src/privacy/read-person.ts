import { validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import { emailKey, phoneKey } from '../orders/search/contact-keys.ts';
import { compact, wordsOf } from '../orders/search/search-terms.ts';
import type { PrivacyContext } from './context.ts';
import type { Subject } from './erase/request-erasure.ts';
import type { RecipientName } from './ledger/entry.ts';
import type { PersonBody } from './ops-schema.ts';

/**
 * Reads whose data a request is about: one order, one recipient or the whole account.
 * Throws 422 unless it says exactly one, and for a recipient that names no person; 404 for an unknown order.
 */
export async function readSubject(
  ctx: Pick<PrivacyContext, 'database'>,
  accountId: Uuid,
  body: PersonBody,
): Promise<Subject> {
  const { order, recipient, whole_account: isWhole } = body;
  if ([order, recipient, isWhole].filter((one) => one !== undefined).length !== 1) {
    const message = 'Send exactly one of order, recipient and whole_account.';
    throw validationFailed([{ path: '', code: 'one_of', message }]);
  }
  if (order !== undefined) return { scope: 'order', accountId, orderId: await opsOrderIdOf(ctx, order) };
  if (recipient !== undefined) return { scope: 'recipient', accountId, recipient: readRecipient(recipient) };
  return { scope: 'account', accountId };
}

function readRecipient({ name, postcode, email, phone }: NonNullable<PersonBody['recipient']>): RecipientName {
  const isNamed = name !== undefined || postcode !== undefined;
  if ([isNamed, email !== undefined, phone !== undefined].filter(Boolean).length !== 1) {
    throw refused('recipient', 'one_of', 'Send name with postcode, or email, or phone.');
  }
  if (email !== undefined) return named({ kind: 'email', email }, emailKey(email).includes('@'), 'recipient.email');
  if (phone !== undefined) return named({ kind: 'phone', phone }, phoneKey(phone).length > 4, 'recipient.phone');
  if (name === undefined) throw refused('recipient.name', 'required', 'is required: a postcode alone names no person.');
  if (postcode === undefined) {
    const message =
      'is required: a name alone may be that of several people. A command takes both as "NAME, POSTCODE".';
    throw refused('recipient.postcode', 'required', message);
  }
  const recipient = { kind: 'name', name, postcode } as const;
  return named(recipient, wordsOf(name).length > 0 && compact(postcode) !== '', 'recipient.name');
}

function named(recipient: RecipientName, isGiven: boolean, path: string): RecipientName {
  if (!isGiven)
    throw refused(path, 'pattern', 'must name a person: a name has a letter, an address an @, a number digits.');
  return recipient;
}

function refused(path: string, code: string, message: string) {
  return validationFailed([{ path, code, message }]);
}

/** Reads a recipient as a command names them: `NAME, POSTCODE`, an e-mail address, or a phone number. */
export function recipientOfText(text: string): NonNullable<PersonBody['recipient']> {
  const comma = text.lastIndexOf(',');
  if (comma === -1 && text.includes('@')) return { email: text };
  if (comma === -1 && /^[+\d\s()./-]+$/.test(text)) return { phone: text };
  if (comma === -1) return { name: text };
  return { name: text.slice(0, comma).trim(), postcode: text.slice(comma + 1).trim() };
}
