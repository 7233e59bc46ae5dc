import type { Context } from '../../lib/context.ts';
import { parseId, type Uuid } from '../../lib/ids.ts';
import type { RequestLog } from './request-log.ts';

/** A request of a token, as the server has answered it. */
type Served = {
  readonly id: string;
  readonly accountId: Uuid | undefined;
  readonly limitedAs: string;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly code: string | undefined;
};

/** Longer than the path of any operation with its ids. */
const PATH_CHARACTERS_MAX = 300;

/** Notes a request for the developers of its account. */
export function noteRequest(
  { clock, requestLog }: Pick<Context, 'clock'> & { readonly requestLog: RequestLog },
  request: Served,
): void {
  const id = parseId('req', request.id);
  if (id === undefined || request.accountId === undefined) return;
  const { method, route, status, ms } = request;
  // A token's limit counts it by its id, that of an app by the app and the account.
  const [first = '', account] = request.limitedAs.split(' ');
  requestLog.note({
    accountId: request.accountId,
    id,
    at: clock.now(),
    ...{ method, route, status, ms },
    path: request.path.slice(0, PATH_CHARACTERS_MAX),
    code: request.code ?? null,
    tokenId: account === undefined ? (first as Uuid) : null,
    clientId: account === undefined ? null : (first as Uuid),
  });
}
