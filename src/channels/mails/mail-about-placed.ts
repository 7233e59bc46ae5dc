import { mailPeople, type NoticeContext } from '../../accounts/notices/mail-people.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Db } from '../../lib/db.ts';
import { publicId } from '../../lib/ids.ts';
import type { InboxRow } from '../inbox/inbox-sql.ts';

type PlacedMail = {
  /** Tells one mail from another of the same order and day. */
  readonly about: string;
  readonly subject: (shopName: string, number: string) => string;
  readonly paragraphs: (what: string, reference: string) => string[];
};

/** A shop holds an order that goes on here. */
export const HOLD_MAIL: PlacedMail = {
  about: '',
  subject: (shopName, number) => `${shopName} holds its order ${number}, which goes on here`,
  paragraphs: (what, reference) => [
    `${what} was put on hold there after it was placed here, as ${reference}. That does not stop it here.`,
    'If it is not to be made, cancel it. If it is to wait, ask the print shop before its production begins.',
  ],
};

/** A shop suspects fraud of an order that goes on here. */
export const RISK_MAIL: PlacedMail = {
  about: 'risk ',
  subject: (shopName, number) => `${shopName} suspects fraud of its order ${number}, which goes on here`,
  paragraphs: (what, reference) => [
    `${what} was called risky there after it was placed here, as ${reference}. That does not stop it here.`,
    'Look at it in the shop. If it is not to be made, cancel it, or ask the print shop before its production begins.',
  ],
};

/** A shop sends pieces itself that are made here. */
export const SENDING_MAIL: PlacedMail = {
  about: 'sent ',
  subject: (shopName, number) => `${shopName} has sent pieces of its order ${number} itself, which are made here`,
  paragraphs: (what, reference) => [
    `Pieces of ${what.replace(/^O/, 'o')} were sent by the shop itself after it was placed here, as ${reference}. That does not stop it here.`,
    'Cancel what is not to be sent twice, or ask the print shop to before its production begins.',
  ],
};

/** A shop has changed an order, and here it is as it was. */
export const CHANGE_MAIL: PlacedMail = {
  about: 'changed ',
  subject: (shopName, number) => `${shopName} has changed its order ${number}, which goes on here as it was`,
  paragraphs: (what, reference) => [
    `${what} was changed there after it was placed here, as ${reference}. Not all of that could be done here.`,
    'The page Shop orders says what differs. Cancel what is not to be made, or ask the print shop before its production begins.',
  ],
};

/** A shop has cancelled an order, and here that was refused. */
export const CANCEL_MAIL: PlacedMail = {
  about: 'cancelled ',
  subject: (shopName, number) => `${shopName} has cancelled its order ${number}, which goes on here`,
  paragraphs: (what, reference) => [
    `${what} was cancelled there after it was placed here, as ${reference}. Here it cannot be cancelled any more, and it goes on.`,
    'The page Shop orders says why. If it has not left yet, the print shop may still help: ask it.',
  ],
};

/** A person has ignored an order while it was placed, and it cannot be cancelled. */
export const IGNORE_MAIL: PlacedMail = {
  about: 'ignored ',
  subject: (shopName, number) => `Order ${number} of ${shopName} was ignored, and goes on here`,
  paragraphs: (what, reference) => [
    `${what} was ignored while it was placed here, as ${reference}. It cannot be cancelled any more, and it goes on.`,
    'The page Shop orders says why. If it has not left yet, the print shop may still help: ask it.',
  ],
};

type PlacedOrder = Pick<InboxRow, 'account_id' | 'id' | 'channel_name' | 'shop_number' | 'order_reference'>;

/** Mails people at once about a placed order, since production may begin; once a day of each kind. */
export async function mailAboutPlaced(ctx: NoticeContext, tx: Db, row: PlacedOrder, mail: PlacedMail): Promise<void> {
  const { account_id: accountId, id, channel_name: shopName, shop_number: number, order_reference: reference } = row;
  const about = `${publicId('sho', id)} ${mail.about}${isoTime(ctx.clock.now()).slice(0, 10)}`;
  await mailPeople(ctx, tx, { accountId, kind: 'held_in_shop', about }, () => ({
    subject: mail.subject(shopName, number),
    paragraphs: mail.paragraphs(`Order ${number} of ${shopName}`, reference ?? 'an order'),
    ...(reference === null ? {} : { link: { label: 'See the order', path: `/orders/${reference}` } }),
  }));
}
