import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, firstIdAt, type Uuid } from '../../lib/ids.ts';
import type { Due, Found } from './walk.ts';

/** What of a table ends by a time of its own. */
export type Ending = {
  readonly table: string;
  /** The unique column, and how it is written as text and read back. */
  readonly key: string;
  readonly toText: (column: string) => string;
  readonly fromText: (text: string) => string;
  /** The column from which on its time runs; an index begins with it. */
  readonly at: string;
  readonly account: 'account_id' | null;
  /** SQL of what goes at all, of a row `t`; that of the index. */
  readonly where: string;
  /**
   * SQL of what keeps a row longer.
   * It is asked of the rows of a page, so that the page is read off the index.
   */
  readonly unless?: string;
};

/** The most that one look returns, as a constant for the planner. */
const ROWS_MAX = 500;

type Row = { account_id: Uuid | null; key: string; at: Date; at_text: string; is_due: boolean };

/** Makes the two statements of what ends by a time of its own. */
export function endingByTime(name: string, ending: Ending) {
  const { table, key, toText, fromText, at, account, where, unless = 'false' } = ending;
  const read = statement<Row>(
    `privacy_find_${name}`,
    `select ${account === null ? 'null::uuid' : `t.${account}`} as account_id, ${toText(`t.${key}`)} as key, t.${at} as at, t.${at}::text as at_text,
       not (${unless}) as is_due
     from (
       select t.* from ${table} t
       where t.${at} < $1 and t.${at} >= $2::timestamptz and (t.${at}, t.${key}) > ($2::timestamptz, ${fromText('$3')}) and ${where}
       order by t.${at}, t.${key} limit ${ROWS_MAX}
     ) as t order by t.${at}, t.${key} limit $4`,
  );
  const remove = statement<{ gone: number }>(
    `privacy_drop_${name}`,
    `with given as materialized (
       select t.${key} from ${table} t
       where t.${key} = any(select ${fromText('k')} from unnest($1::text[]) as k) and t.${at} < $2 and ${where} and not (${unless})
       for update skip locked
     ),
     gone as (delete from ${table} t using given g where t.${key} = g.${key} returning 1)
     select count(*)::integer as gone from gone`,
  );
  return {
    find: async (db: Db, before: Date, place: string | undefined, limit: number): Promise<Found> => {
      // The lowest key as text: that of an id, or of bytes.
      const [since = '-infinity', after = key === 'id' ? FIRST_ID : ''] = place?.split('|') ?? [];
      const rows = await db.all(read, [before, since, after, limit]);
      const last = rows.at(-1);
      return {
        due: rows
          .filter((row) => row.is_due)
          .map(({ account_id, key: found, at: when }) => ({ account_id, key: found, at: when })),
        next: last === undefined ? undefined : `${last.at_text}|${last.key}`,
        isEnd: rows.length < limit,
      };
    },
    drop: async (tx: Db, before: Date, due: readonly Due[]): Promise<number> =>
      (await tx.one(remove, [due.map(({ key: found }) => found), before]))?.gone ?? 0,
  };
}

const uuid = { key: 'id', toText: (c: string) => `${c}::text`, fromText: (t: string) => `${t}::uuid` };

/** Background jobs that were given up. */
export const FAILED_JOBS = endingByTime('failed_jobs', {
  ...uuid,
  ...{ table: 'job', at: 'failed_at', account: null, where: 't.failed_at is not null' },
});

/** Tasks that were closed. */
export const CLOSED_TASKS = endingByTime('closed_tasks', {
  ...uuid,
  ...{ table: 'ops_task', at: 'closed_at', account: 'account_id', where: 't.closed_at is not null' },
});

/** Photos of problems that were answered or withdrawn. */
export const ENDED_PHOTOS = endingByTime('ended_problem_photos', {
  ...uuid,
  ...{ table: 'problem_photo', at: 'ended_at', account: 'account_id', where: 't.ended_at is not null' },
});

/** Mails that were sent or given up. */
export const ENDED_MAILS = endingByTime('ended_mails', {
  ...uuid,
  ...{ table: 'mail', at: 'ended_at', account: 'account_id', where: 't.ended_at is not null' },
});

/** Requests of tokens. */
export const OLD_REQUESTS = endingByTime('old_requests', {
  ...uuid,
  ...{ table: 'request_log', at: 'at', account: 'account_id', where: 'true' },
});

/** Replays of events that have ended. */
export const ENDED_REPLAYS = endingByTime('ended_replays', {
  ...uuid,
  ...{ table: 'webhook_replay', at: 'ended_at', account: 'account_id', where: 't.ended_at is not null' },
});

/** Files of many orders. */
export const OLD_ORDER_FILES = endingByTime('old_order_files', {
  ...uuid,
  ...{ table: 'order_file', at: 'created_at', account: 'account_id', where: 'true' },
});

/** Orders of connected shops that were placed or ignored. */
export const ENDED_SHOP_ORDERS = endingByTime('ended_shop_orders', {
  ...uuid,
  ...{ table: 'channel_order', at: 'ended_at', account: 'account_id', where: 't.ended_at is not null' },
});

/** What happened to the sign-in of people. */
export const OLD_SIGN_INS = endingByTime('old_sign_ins', {
  ...uuid,
  ...{ table: 'sign_in_log', at: 'at', account: 'account_id', where: 'true' },
});

/** Tokens of accounts that were revoked. */
export const REVOKED_TOKENS = endingByTime('revoked_tokens', {
  ...uuid,
  ...{ table: 'access_token', at: 'revoked_at', account: 'account_id', where: 't.revoked_at is not null' },
});

/** Tokens of operators that were revoked. */
export const REVOKED_OPERATOR_TOKENS = endingByTime('revoked_operator_tokens', {
  ...uuid,
  ...{ table: 'operator_token', at: 'revoked_at', account: null, where: 't.revoked_at is not null' },
});

/** Grants that were revoked and have no token and no code left. */
export const REVOKED_GRANTS = endingByTime('revoked_grants', {
  ...uuid,
  ...{ table: 'oauth_grant', at: 'revoked_at', account: 'account_id' },
  where: 't.revoked_at is not null',
  unless: `(select true from oauth_record r where r.grant_id = t.id limit 1) is not null
    or (select true from access_token a where a.grant_id = t.id limit 1) is not null`,
});

/** Access tokens of apps that have expired. */
export const EXPIRED_TOKENS = endingByTime('expired_tokens', {
  ...uuid,
  ...{ table: 'access_token', at: 'expires_at', account: 'account_id', where: 't.client_id is not null' },
});

/** Codes, refresh tokens and sessions that have expired. */
export const EXPIRED_RECORDS = endingByTime('expired_records', {
  ...{ table: 'oauth_record', key: 'key_hash', at: 'expires_at', account: null, where: 'true' },
  toText: (column) => `encode(${column}, 'hex')`,
  fromText: (text) => `decode(${text}, 'hex')`,
});

/** Sessions of the portal that are over. */
export const ENDED_SESSIONS = endingByTime('ended_sessions', {
  ...uuid,
  ...{ table: 'portal_session', at: 'ends_at', account: 'account_id', where: 'true' },
});

/** Invitations and links to choose a password that are over. */
export const ENDED_LINKS = endingByTime('ended_links', {
  ...uuid,
  ...{ table: 'account_link', at: 'ends_at', account: 'account_id', where: 'true' },
});

/** Sign-ups that were not confirmed, or not decided. */
export const ENDED_SIGN_UPS = endingByTime('ended_sign_ups', {
  ...uuid,
  ...{ table: 'sign_up', at: 'ends_at', account: null, where: 'true' },
});

/** Top-ups by card that came to nothing. */
export const UNPAID_TOP_UPS = endingByTime('unpaid_top_ups', {
  ...uuid,
  ...{ table: 'card_top_up', at: 'settled_at', account: 'account_id', where: "t.state in ('expired', 'failed')" },
});

/** Cards and direct debits that were saved, or not, on the provider's page. */
export const ENDED_SAVINGS = endingByTime('ended_savings', {
  ...uuid,
  ...{ table: 'method_saving', at: 'ended_at', account: 'account_id', where: 't.ended_at is not null' },
});

/** Windows of attempts to sign in that have ended. */
export const ENDED_ATTEMPTS = endingByTime('ended_attempts', {
  ...{ table: 'sign_in_attempt', key: 'subject', at: 'ends_at', account: null, where: 'true' },
  toText: (column) => column,
  fromText: (text) => `${text}::text`,
});

/** A row of the audit log is written at most this long after the time in its id. */
const WRITTEN_WITHIN_MS = 600_000;

const AUDIT = statement<Row>(
  'privacy_find_audit_log',
  `select null::uuid as account_id, id::text as key, created_at as at, '' as at_text, true as is_due from (
     select id, created_at from operator_action where id > $1 and id < $2 order by id limit ${ROWS_MAX}
   ) as a order by id limit $3`,
);

/** Finds what operators did before a time, by the ids, which have the time in them. */
export async function findOldActions(db: Db, before: Date, place: string | undefined, limit: number): Promise<Found> {
  const until = firstIdAt(new Date(before.getTime() - WRITTEN_WITHIN_MS));
  const rows = await db.all(AUDIT, [place ?? FIRST_ID, until, limit]);
  return {
    due: rows.map(({ account_id, key, at }) => ({ account_id, key, at })),
    next: rows.at(-1)?.key,
    isEnd: rows.length < limit,
  };
}

const DROP_AUDIT = statement<{ gone: number }>(
  'privacy_drop_audit_log',
  `with gone as (delete from operator_action where id = any($1::uuid[]) returning 1)
   select count(*)::integer as gone from gone`,
);

/** Deletes rows of the audit log. */
export async function dropActions(tx: Db, due: readonly Due[]): Promise<number> {
  return (await tx.one(DROP_AUDIT, [due.map(({ key }) => key)]))?.gone ?? 0;
}

/** SQL of an order that was placed with a revision of a brand, read off the index. */
const orderWith = (revision: string): string =>
  `select true from orders o where o.brand is not null and o.brand ->> 'revision_id' = ${revision}.id::text
     and o.account_id = ${revision}.account_id order by o.id limit 1`;

/** What brands showed before they were changed, where no order was placed with it. */
export const SUPERSEDED_BRANDS = endingByTime('superseded_brands', {
  ...uuid,
  ...{ table: 'brand_revision', at: 'superseded_at', account: 'account_id', where: 't.superseded_at is not null' },
  unless: `(${orderWith('t')}) is not null`,
});

/** Brands that were archived, with their revisions, where no order was placed with any of them. */
export const ARCHIVED_BRANDS = endingByTime('archived_brands', {
  ...uuid,
  ...{ table: 'brand', at: 'archived_at', account: 'account_id', where: 't.archived_at is not null' },
  unless: `(select true from brand_revision r
    where r.brand_id = t.id and r.account_id = t.account_id and (${orderWith('r')}) is not null limit 1) is not null`,
});
