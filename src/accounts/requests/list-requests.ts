import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { parseId, publicId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import {
  findRequest,
  findRequests,
  type LoggedRequestRow,
  listRequestRows,
  type WantedRequests,
} from './request-log-sql.ts';
import type { ListRequestsQuery, OwnRequest } from './requests-schema.ts';

/**
 * A page of the requests that tokens of the account have made in the last seven days, newest first.
 * One that was just made is there a second later. By what has no index a page looks through a bounded number: it may
 * be short, or empty, and another follows all the same.
 */
export async function listRequests(
  ctx: Pick<Context, 'database'>,
  { accountId }: SignedIn,
  query: ListRequestsQuery,
): Promise<Page<OwnRequest>> {
  const { limit, after } = readPage('req', query);
  const wanted = wantedIn(query);
  if (query.id === undefined && wanted !== undefined) {
    const part = { after, limit: limit + 1 };
    const { rows, goOn } = await findRequests(ctx.database, accountId, query.outcome ?? 'all', wanted, part);
    const page = toPage(rows, limit, requestView, (request) => request.id);
    if (page.has_more || goOn === undefined) return page;
    return { ...page, has_more: true, next_cursor: publicId('req', goOn) };
  }
  const rows =
    query.id === undefined
      ? await listRequestRows(ctx.database, accountId, query.outcome ?? 'all', { after, limit: limit + 1 })
      : await onlyOne(ctx, accountId, query.id);
  return toPage(rows, limit, requestView, (request) => request.id);
}

/** What the query asks for that has no index; undefined when it asks for nothing of it. */
function wantedIn({ method, status, path, token }: ListRequestsQuery): WantedRequests | undefined {
  if (method === undefined && status === undefined && path === undefined && token === undefined) return undefined;
  const tokenId = token === undefined ? undefined : parseId('tok', token);
  return { method, path, tokenId, statuses: status === undefined ? undefined : statusesOf(status) };
}

/** `404` is itself, `4xx` is 400 to 499. */
function statusesOf(text: string): [number, number] {
  if (!text.endsWith('xx')) return [Number(text), Number(text)];
  const hundred = Number(text[0]) * 100;
  return [hundred, hundred + 99];
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
