import type { Scope } from '../lib/caller.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

const INSERT_ACCOUNT = statement<never>(
  'accounts_insert_account',
  `with new_account as (
     insert into account (id, name, vat_status, vat_number, created_at) values ($1, $2, $3, $4, $5) returning id
   )
   insert into account_balance (account_id) select id from new_account`,
);

/** Writes an account and its empty balance. */
export async function insertAccount(
  db: Db,
  account: { id: Uuid; name: string; vatStatus: string; vatNumber: string; createdAt: Date },
): Promise<void> {
  const { id, name, vatStatus, vatNumber, createdAt } = account;
  await db.all(INSERT_ACCOUNT, [id, name, vatStatus, vatNumber, createdAt]);
}

const ACCOUNT_BY_NAME = statement<{ id: Uuid }>(
  'accounts_by_name',
  'select id from account where name = $1 order by id limit 1',
);

/** The oldest account of a name; the demo finds its own again by it. */
export async function findAccountByName(db: Db, name: string): Promise<Uuid | undefined> {
  return (await db.one(ACCOUNT_BY_NAME, [name]))?.id;
}

const ACCOUNT_EXISTS = statement<{ id: Uuid }>('accounts_exists', 'select id from account where id = $1');

/** Whether there is such an account. */
export async function accountExists(db: Db, id: Uuid): Promise<boolean> {
  return (await db.one(ACCOUNT_EXISTS, [id])) !== undefined;
}

const INSERT_TOKEN = statement<never>(
  'accounts_insert_token',
  'insert into access_token (id, account_id, name, token_hash, scopes, created_at) values ($1, $2, $3, $4, $5, $6)',
);

/** Writes a token by its hash. */
export async function insertToken(
  db: Db,
  token: { id: Uuid; accountId: Uuid; name: string; hash: Buffer; scopes: readonly Scope[]; createdAt: Date },
): Promise<void> {
  await db.all(INSERT_TOKEN, [token.id, token.accountId, token.name, token.hash, token.scopes, token.createdAt]);
}

const REVOKE_TOKEN = statement<{ id: Uuid }>(
  'accounts_revoke_token',
  'update access_token set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
);

/** Ends a token; false when there is none of that id. Repeating it changes nothing. */
export async function revokeTokenRow(db: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await db.one(REVOKE_TOKEN, [id, now])) !== undefined;
}

const INSERT_TOKEN_UNLESS_KNOWN = statement<{ id: Uuid }>(
  'accounts_insert_token_unless_known',
  `insert into access_token (id, account_id, name, token_hash, scopes, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (token_hash) do nothing returning id`,
);

/** Writes a token by its hash; false when there is one of that hash already, whoever's it is. */
export async function insertTokenUnlessKnown(
  db: Db,
  token: { id: Uuid; accountId: Uuid; name: string; hash: Buffer; scopes: readonly Scope[]; createdAt: Date },
): Promise<boolean> {
  const values = [token.id, token.accountId, token.name, token.hash, token.scopes, token.createdAt];
  return (await db.one(INSERT_TOKEN_UNLESS_KNOWN, values)) !== undefined;
}

type KnownTokenRow = { id: Uuid; account_id: Uuid; scopes: Scope[]; revoked_at: Date | null };

const TOKEN_BY_HASH = statement<KnownTokenRow>(
  'accounts_token_by_hash',
  'select id, account_id, scopes, revoked_at from access_token where token_hash = $1',
);

/** The token of a hash, live or not. */
export async function findTokenByHash(db: Db, hash: Buffer): Promise<KnownTokenRow | undefined> {
  return db.one(TOKEN_BY_HASH, [hash]);
}

export type TokenRow = { limited_as: string; account_id: Uuid; scopes: Scope[] };

// An app's tokens change every hour, and a person can allow it any number of times: what is limited is the app at the account.
const LIVE_TOKEN = statement<TokenRow>(
  'accounts_live_token',
  `select coalesce(t.client_id || ' ' || t.account_id, t.id::text) as limited_as, t.account_id, t.scopes
   from access_token t join account a on a.id = t.account_id
   left join oauth_grant g on g.account_id = t.account_id and g.id = t.grant_id
   left join oauth_client c on c.id = t.client_id left join account owner on owner.id = c.account_id
   where t.token_hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)
     and a.suspended_at is null and g.revoked_at is null and owner.suspended_at is null`,
);

/**
 * The token of a hash, when neither it nor the grant that it comes from is revoked, it has not expired, and neither its account
 * nor that of the app's owner is suspended. `limited_as` is what the limit by token counts by.
 */
export async function findLiveToken(db: Db, hash: Buffer, now: Date): Promise<TokenRow | undefined> {
  return db.one(LIVE_TOKEN, [hash, now]);
}

const INSERT_USER = statement<{ id: Uuid }>(
  'accounts_insert_user',
  `insert into account_user (id, account_id, email, password_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (email) do nothing returning id`,
);

/** Writes a person who may sign in; false when the address is taken. */
export async function insertUserUnlessKnown(
  db: Db,
  user: { id: Uuid; accountId: Uuid; email: string; passwordHash: string; createdAt: Date },
): Promise<boolean> {
  const values = [user.id, user.accountId, user.email, user.passwordHash, user.createdAt];
  return (await db.one(INSERT_USER, values)) !== undefined;
}

const USER_BY_EMAIL = statement<{ id: Uuid; password_hash: string }>(
  'accounts_user_by_email',
  `select u.id, u.password_hash from account_user u join account a on a.id = u.account_id
   where u.email = $1 and a.suspended_at is null`,
);

/** The person of an address, unless the account is suspended. */
export async function findUserByEmail(db: Db, email: string): Promise<{ id: Uuid; password_hash: string } | undefined> {
  return db.one(USER_BY_EMAIL, [email]);
}

export type UserRow = { id: Uuid; account_id: Uuid; email: string; account_name: string };

const LIVE_USER = statement<UserRow>(
  'accounts_live_user',
  `select u.id, u.account_id, u.email, a.name as account_name
   from account_user u join account a on a.id = u.account_id
   where u.id = $1 and a.suspended_at is null`,
);

/** A person who has signed in, with his account, unless that is suspended. */
export async function findLiveUser(db: Db, id: Uuid): Promise<UserRow | undefined> {
  return db.one(LIVE_USER, [id]);
}

const INSERT_CLIENT = statement<never>(
  'accounts_insert_client',
  `insert into oauth_client (id, account_id, name, secret_hash, redirect_uris, scopes, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Writes an app that is registered. */
export async function insertOauthClient(
  db: Db,
  client: {
    id: Uuid;
    accountId: Uuid;
    name: string;
    secretHash: Buffer | null;
    redirectUris: readonly string[];
    scopes: readonly Scope[];
    createdAt: Date;
  },
): Promise<void> {
  const { id, accountId, name, secretHash, redirectUris, scopes, createdAt } = client;
  await db.all(INSERT_CLIENT, [id, accountId, name, secretHash, redirectUris, scopes, createdAt]);
}

export type OauthClientRow = {
  id: Uuid;
  name: string;
  account_name: string;
  secret_hash: Buffer | null;
  redirect_uris: string[];
  scopes: Scope[];
};

const LIVE_CLIENT = statement<OauthClientRow>(
  'accounts_live_client',
  `select c.id, c.name, a.name as account_name, c.secret_hash, c.redirect_uris, c.scopes
   from oauth_client c join account a on a.id = c.account_id
   where c.id = $1 and a.suspended_at is null`,
);

/** An app, unless the account that registered it is suspended. */
export async function findLiveOauthClient(db: Db, id: Uuid): Promise<OauthClientRow | undefined> {
  return db.one(LIVE_CLIENT, [id]);
}

export type SignInAttemptRow = { subject: string; attempts: number; ends_at: Date };

/** Windows that are over are cleared away by those who come later, a few at a time. */
const ENDED_ATTEMPTS_CLEARED_MAX = 20;

// In the order of the subjects, so that two statements that count the same ones never wait for each other in a circle.
const COUNT_ATTEMPTS = statement<SignInAttemptRow>(
  'accounts_count_sign_in_attempts',
  `with ended as (
     delete from sign_in_attempt where subject in (
       select subject from sign_in_attempt where ends_at <= $2 and subject <> all($1::text[])
       order by ends_at limit ${ENDED_ATTEMPTS_CLEARED_MAX} for update skip locked)
   )
   insert into sign_in_attempt as s (subject, attempts, ends_at)
   select subject, 1, $3 from unnest($1::text[]) as subject order by subject
   on conflict (subject) do update set
     attempts = case when s.ends_at <= $2 then 1 else s.attempts + 1 end,
     ends_at = case when s.ends_at <= $2 then excluded.ends_at else s.ends_at end
   returning subject, attempts, ends_at`,
);

/** Counts an attempt for each subject in its window, and opens a window to `endsAt` where there is none. */
export async function countSignInAttempts(
  db: Db,
  attempt: { subjects: readonly string[]; now: Date; endsAt: Date },
): Promise<SignInAttemptRow[]> {
  return db.all(COUNT_ATTEMPTS, [attempt.subjects, attempt.now, attempt.endsAt]);
}

const FORGIVE_ATTEMPTS = statement<never>(
  'accounts_forgive_sign_in_attempts',
  `with cleared as (delete from sign_in_attempt where subject = any($1))
   update sign_in_attempt set attempts = greatest(attempts - 1, 0) where subject = $2`,
);

/** Forgets the counts of some subjects and takes one attempt back from another. */
export async function forgiveSignInAttempts(
  db: Db,
  subjects: { cleared: readonly string[]; lowered: string },
): Promise<void> {
  await db.all(FORGIVE_ATTEMPTS, [subjects.cleared, subjects.lowered]);
}

// What operators do -------------------------------------------------------------------------------------------------------

const INSERT_ACTION = statement<{ id: Uuid }>(
  'accounts_insert_operator_action',
  `insert into operator_action (id, operator_id, action, order_id, subject_id, detail, idempotency_key, request_hash, created_at)
   values ($1, $2, $3, $4, $5, $6::json, $7, $8, $9)
   on conflict (operator_id, idempotency_key) where idempotency_key is not null do nothing
   returning id`,
);

/** Records what an operator does; false when the key is taken. Waits for a request of the same key that is under way. */
export async function insertOperatorAction(
  db: Db,
  action: {
    id: Uuid;
    operatorId: Uuid;
    action: string;
    orderId: Uuid | null;
    subjectId: Uuid | null;
    detail: object;
    key: string | null;
    requestHash: Buffer;
    now: Date;
  },
): Promise<boolean> {
  const { id, operatorId, orderId, subjectId, detail, key, requestHash, now } = action;
  const values = [id, operatorId, action.action, orderId, subjectId, JSON.stringify(detail), key, requestHash, now];
  return (await db.one(INSERT_ACTION, values)) !== undefined;
}

const FIND_ACTION = statement<{ request_hash: Buffer; subject_id: Uuid | null }>(
  'accounts_find_operator_action',
  'select request_hash, subject_id from operator_action where operator_id = $1 and idempotency_key = $2',
);

/** What was done under a key, in a statement of its own: the loser of a key does not see the winner in its own snapshot. */
export async function findOperatorAction(
  db: Db,
  operatorId: Uuid,
  key: string,
): Promise<{ request_hash: Buffer; subject_id: Uuid | null } | undefined> {
  return db.one(FIND_ACTION, [operatorId, key]);
}
