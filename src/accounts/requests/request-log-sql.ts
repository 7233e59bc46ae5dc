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

/** A page by what has no index looks through so many: three minutes of a token at its limit. */
export const LOOKED_MAX = 2_000;

type FoundRow = { looked_last: Uuid | null; looked: number } & (
  | LoggedRequestRow
  | { [Name in keyof LoggedRequestRow]: null }
);

const found = (which: string) => `with looked as materialized (
     select ${COLUMNS} from request_log
     where account_id = $1 ${which} and id < coalesce($2::uuid, '${LAST_ID}')
     order by account_id desc, id desc limit ${LOOKED_MAX}
   )
   select (select id from looked order by id limit 1) as looked_last, (select count(*) from looked) as looked, f.*
   from (select) as always left join lateral (
     select * from looked
     where ($4::text is null or method = $4) and ($5::integer is null or status between $5 and $6)
       and ($7::text is null or position($7 in path) > 0) and ($8::uuid is null or token_id = $8)
     order by id desc limit $3
   ) as f on true
   order by f.id desc`;

const FOUND = statement<FoundRow>('accounts_find_requests', found(''));
const FOUND_REFUSED = statement<FoundRow>('accounts_find_refused_requests', found('and status >= 400'));

/** What requests are looked for; what is undefined does not matter. */
export type WantedRequests = {
  readonly method: string | undefined;
  /** The first and the last status. */
  readonly statuses: readonly [number, number] | undefined;
  readonly path: string | undefined;
  readonly tokenId: Uuid | undefined;
};

/**
 * Requests of an account that are wanted, newest first, among the next `LOOKED_MAX`.
 * `goOn` is where to look further; undefined once all have been looked at.
 */
export async function findRequests(
  db: Db,
  accountId: Uuid,
  which: 'all' | 'refused',
  { method, statuses, path, tokenId }: WantedRequests,
  { after, limit }: { readonly after: Uuid | undefined; readonly limit: number },
): Promise<{ rows: LoggedRequestRow[]; goOn: Uuid | undefined }> {
  const wanted = [method ?? null, statuses?.[0] ?? null, statuses?.[1] ?? null, path ?? null, tokenId ?? null];
  const all = await db.all(which === 'all' ? FOUND : FOUND_REFUSED, [accountId, after ?? null, limit, ...wanted]);
  const [first] = all;
  const isCut = first !== undefined && first.looked_last !== null && first.looked >= LOOKED_MAX;
  return {
    rows: all.flatMap((row) => (row.id === null ? [] : [row])),
    goOn: isCut ? (first.looked_last ?? undefined) : undefined,
  };
}

/** A request of an account by its id. */
export async function findRequest(db: Db, accountId: Uuid, id: Uuid): Promise<LoggedRequestRow | undefined> {
  return db.one(ONE, [accountId, id]);
}
