import { createHash } from 'node:crypto';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { newId, type Uuid } from '../../lib/ids.ts';
import type { Browser } from '../../lib/route.ts';
import { insertSignIn, type SignInEvent } from './sign-in-log-sql.ts';

/** Refusals, which anyone can cause: one row an hour, whatever the browsers say of themselves. */
const FOLDED: readonly SignInEvent[] = ['refused', 'code_refused'];

const USER_AGENT_CHARACTERS_MAX = 200;

/** Where what happened came from; nothing where it was done elsewhere. */
export type From = Partial<Browser>;

/**
 * Notes what happened to the sign-in of a person, in the caller's transaction or beside it.
 * A sign-in from the same place and browser within an hour is one row, and so are all refusals of an hour: they fill
 * nothing, however many there are.
 */
export async function noteSignIn(
  { clock }: Pick<Context, 'clock'>,
  db: Db,
  userId: Uuid,
  kind: SignInEvent,
  { ipKey = '', userAgent = '' }: From = {},
): Promise<void> {
  const at = clock.now();
  const browser = plainAgent(userAgent);
  const alike = FOLDED.includes(kind)
    ? ''
    : createHash('sha256').update(`${ipKey}\n${browser}`).digest('hex').slice(0, 16);
  await insertSignIn(db, { id: newId(at.getTime()), userId, kind, at, ip: ipKey, userAgent: browser, alike });
}

/** What a browser says of itself, without what no text may hold. */
export function plainAgent(userAgent: string): string {
  return Array.from(userAgent.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, USER_AGENT_CHARACTERS_MAX)
    .join('');
}
