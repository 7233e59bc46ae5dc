import { newId } from '../../lib/ids.ts';
import { timeInMail } from '../mail/shop-words.ts';
import type { Notice } from './mail-people.ts';

const SECURITY = { label: 'Look at your sign-in', path: '/security' } as const;

/** What happened to a person's sign-in. */
export type SecurityEvent = 'password_changed' | 'factor_added' | 'factor_removed';

const WORDS: Readonly<Record<SecurityEvent, readonly [subject: string, sentence: string]>> = {
  password_changed: [
    'Your password was changed',
    'The password that you sign in with was changed, and you were signed out everywhere else.',
  ],
  factor_added: ['A second factor was added', 'Signing in takes a code from an app beside your password from now on.'],
  factor_removed: ['Your second factor was removed', 'Your password alone signs you in from now on.'],
};

/** The mail about it. */
export function securityNotice(event: SecurityEvent, at: Date): Notice {
  const [subject, sentence] = WORDS[event];
  return { subject, paragraphs: [`${sentence} It was done at ${timeInMail(at)}.`], link: SECURITY };
}

/** The mail about a sign-in with a browser that the person has not used lately. */
export function newBrowserNotice(userAgent: string, at: Date): Notice {
  const browser = userAgent === '' ? 'a browser that does not say its name' : userAgent;
  return {
    subject: 'A sign-in with another browser',
    paragraphs: [`You were signed in at ${timeInMail(at)} with a browser that you have not used lately: ${browser}`],
    link: SECURITY,
  };
}

/** Tells one event from another of its kind: each is mailed. */
export function onceAbout(event: string, at: Date): string {
  return `${event} ${newId(at.getTime())}`;
}
