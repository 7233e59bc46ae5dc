import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';

export type LoggedRequest = {
  readonly accountId: Uuid;
  readonly id: Uuid;
  readonly at: Date;
  readonly method: string;
  readonly route: string;
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly ms: number;
  readonly tokenId: Uuid | null;
  readonly clientId: Uuid | null;
};

const INSERT = statement<never>(
  'accounts_insert_requests',
  `insert into request_log (account_id, id, at, method, route, path, status, code, ms, token_id, client_id)
   select account_id, id, at, method, route, path, status, code, ms, token_id, client_id
   from json_to_recordset($1::json) as r(account_id uuid, id uuid, at timestamptz, method text, route text, path text,
     status smallint, code text, ms real, token_id uuid, client_id uuid)
   on conflict do nothing`,
);

/** Writes requests, each once. */
export async function insertRequests(db: Db, requests: readonly LoggedRequest[]): Promise<void> {
  const rows = requests.map(({ accountId, tokenId, clientId, ...rest }) => ({
    ...rest,
    account_id: accountId,
    token_id: tokenId,
    client_id: clientId,
  }));
  await db.all(INSERT, [JSON.stringify(rows)]);
}

export type LoggedRequestRow = {
  id: Uuid;
  at: Date;
  method: string;
  route: string;
  path: string;
  status: number;
  code: string | null;
  ms: number;
  token_id: Uuid | null;
  client_id: Uuid | null;
};

const COLUMNS = 'id, at, method, route, path, status, code, ms, token_id, client_id';

const PAGE = statement<LoggedRequestRow>(
  'accounts_page_of_requests',
  `select ${COLUMNS} from request_log
   where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by account_id desc, id desc limit $3`,
);

const REFUSED = statement<LoggedRequestRow>(
  'accounts_page_of_refused_requests',
  `select ${COLUMNS} from request_log
   where account_id = $1 and status >= 400 and id < coalesce($2::uuid, '${LAST_ID}') order by account_id desc, id desc limit $3`,
);

const ONE = statement<LoggedRequestRow>(
  'accounts_one_request',
  `select ${COLUMNS} from request_log where account_id = $1 and id = $2`,
);

/** Requests of an account, newest first, from after `after`; all of them, or those that were refused. */
export async function listRequestRows(
  db: Db,
  accountId: Uuid,
  which: 'all' | 'refused',
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<LoggedRequestRow[]> {
  return db.all(which === 'all' ? PAGE : REFUSED, [accountId, after ?? null, limit]);
}

/** A request of an account by its id. */
export async function findRequest(db: Db, accountId: Uuid, id: Uuid): Promise<LoggedRequestRow | undefined> {
  return db.one(ONE, [accountId, id]);
}
