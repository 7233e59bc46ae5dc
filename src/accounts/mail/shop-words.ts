import type { Config } from '../../lib/config.ts';

/** What the print shop is called in mails and apps: its name on invoices, or ours while it has none. */
export function shopName({ seller }: Pick<Config, 'seller'>): string {
  return seller.name === '' ? 'Platen' : seller.name;
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** A time in a mail, which does not know where its reader is: `14:05 UTC on 3 March 2026`. */
export function timeInMail(at: Date): string {
  return `${TIME.format(at)} UTC on ${DAY.format(at)}`;
}
