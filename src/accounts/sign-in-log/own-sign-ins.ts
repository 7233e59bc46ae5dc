import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { ListSignInsQuery, SignInEntry } from './sign-in-log-schema.ts';
import { isPersonOf, listSignIns } from './sign-in-log-sql.ts';

type LogContext = Pick<Context, 'database'>;

/** A page of what happened to the sign-in of the person who asks, the newest first. */
export async function listOwnSignIns(
  ctx: LogContext,
  { accountId, person }: SignedIn,
  query: ListSignInsQuery,
): Promise<Page<SignInEntry>> {
  return pageOf(ctx, { accountId, userId: person.userId, isOwn: true }, query);
}

/**
 * A page of what happened to the sign-in of a person of the account, for its owners.
 * Without the addresses of the network, which may say where a person lives. Throws 404 for any other person.
 */
export async function listSignInsOf(
  ctx: LogContext,
  { accountId, person }: SignedIn,
  userId: Uuid,
  query: ListSignInsQuery,
): Promise<Page<SignInEntry>> {
  if (!(await isPersonOf(ctx.database, accountId, userId))) throw noSuch('user');
  return pageOf(ctx, { accountId, userId, isOwn: userId === person.userId }, query);
}

async function pageOf(
  { database }: LogContext,
  { isOwn, ...of }: { readonly accountId: Uuid; readonly userId: Uuid; readonly isOwn: boolean },
  query: ListSignInsQuery,
): Promise<Page<SignInEntry>> {
  const { limit, after } = readPage('act', query);
  const rows = await listSignIns(database, of, { before: after, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    ({ id, kind, at, times, ip, user_agent: userAgent }) => ({
      id: publicId('act', id),
      event: kind,
      at: isoTime(at),
      times,
      address: isOwn && ip !== '' ? ip : null,
      user_agent: userAgent,
    }),
    ({ id }) => id,
  );
}
