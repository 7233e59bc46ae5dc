import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { parseId, publicId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { findRequest, type LoggedRequestRow, listRequestRows } from './request-log-sql.ts';
import type { ListRequestsQuery, OwnRequest } from './requests-schema.ts';

/**
 * A page of the requests that tokens of the account have made in the last seven days, newest first.
 * One that was just made is there a second later.
 */
export async function listRequests(
  ctx: Pick<Context, 'database'>,
  { accountId }: SignedIn,
  query: ListRequestsQuery,
): Promise<Page<OwnRequest>> {
  const { limit, after } = readPage('req', query);
  const rows =
    query.id === undefined
      ? await listRequestRows(ctx.database, accountId, query.outcome ?? 'all', { after, limit: limit + 1 })
      : await onlyOne(ctx, accountId, query.id);
  return toPage(rows, limit, requestView, (request) => request.id);
}

async function onlyOne(
  ctx: Pick<Context, 'database'>,
  accountId: SignedIn['accountId'],
  text: string,
): Promise<LoggedRequestRow[]> {
  const id = parseId('req', text);
  const row = id === undefined ? undefined : await findRequest(ctx.database, accountId, id);
  return row === undefined ? [] : [row];
}

function requestView(row: LoggedRequestRow): OwnRequest {
  const { method, route, path, status, code, ms } = row;
  return {
    id: publicId('req', row.id),
    at: isoTime(row.at),
    ...{ method, route, path, status, code, ms },
    token_id: row.token_id === null ? null : publicId('tok', row.token_id),
    client_id: row.client_id === null ? null : publicId('client', row.client_id),
  };
}
