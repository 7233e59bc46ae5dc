import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { ListOpsRequestsQuery, OpsCancellationRequest } from './ops-schema.ts';
import { type AskedRow, findAnyRequest, listRequestsByDeadline } from './sql.ts';
import { opsAskedView } from './view.ts';

type ReadContext = Pick<Context, 'database'>;

/** A page of the requests of all accounts in a state, without one the open ones, by their deadlines. */
export async function listOpsRequests(
  ctx: ReadContext,
  query: ListOpsRequestsQuery,
): Promise<Page<OpsCancellationRequest>> {
  const { limit, after } = readPage('creq', query);
  const { state = 'open' } = query;
  const rows = await listRequestsByDeadline(ctx.database, { state, after, limit: limit + 1 });
  return toPage(rows, limit, opsAskedView, ({ id }) => id);
}

/** A request of any account. Throws 404. */
export async function getOpsRequest(ctx: ReadContext, requestId: string): Promise<OpsCancellationRequest> {
  return opsAskedView(await findOpsRequest(ctx, requestId));
}

/** The row of a request of any account. Throws 404. */
export async function findOpsRequest(ctx: ReadContext, requestId: string): Promise<AskedRow> {
  const id = parseId('creq', requestId);
  const request = id === undefined ? undefined : await findAnyRequest(ctx.database, id);
  if (request === undefined) throw noSuch('request');
  return request;
}
