import type { PersonRole, Scope } from '../lib/caller.ts';
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

const LOCK_ACCOUNT = statement<never>('accounts_lock', 'select id from account where id = $1 for no key update');

/** Locks the row of an account until the transaction ends. */
export async function lockAccountRow(tx: Db, accountId: Uuid): Promise<void> {
  await tx.all(LOCK_ACCOUNT, [accountId]);
}

const ACCOUNT_BY_NAME = statement<{ id: Uuid }>(
  'accounts_by_name',
  // By the index of names, which is of small letters.
  'select id from account where lower(name) collate "C" = lower($1) and name = $1 order by id limit 1',
);

/** The oldest account of a name; the demo finds its own again by it. */
export async function findAccountByName(db: Db, name: string): Promise<Uuid | undefined> {
  return (await db.one(ACCOUNT_BY_NAME, [name]))?.id;
}

const ACCOUNT_EXISTS = statement<{ id: Uuid }>('accounts_exists', 'select id from account where id = $1');

/** Whether an account exists. */
export async function accountExists(db: Db, id: Uuid): Promise<boolean> {
  return (await db.one(ACCOUNT_EXISTS, [id])) !== undefined;
}

const INSERT_TOKEN = statement<never>(
  'accounts_insert_token',
  `insert into access_token (id, account_id, name, token_hash, scopes, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Writes a token by its hash. */
export async function insertToken(
  db: Db,
  token: {
    id: Uuid;
    accountId: Uuid;
    name: string;
    hash: Buffer;
    scopes: readonly Scope[];
    createdAt: Date;
    /** Null for one that does not expire. */
    expiresAt: Date | null;
  },
): Promise<void> {
  const { id, accountId, name, hash, scopes, createdAt, expiresAt } = token;
  await db.all(INSERT_TOKEN, [id, accountId, name, hash, scopes, createdAt, expiresAt]);
}

const INSERT_TOKEN_UNLESS_KNOWN = statement<{ id: Uuid }>(
  'accounts_insert_token_unless_known',
  `insert into access_token (id, account_id, name, token_hash, scopes, created_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (token_hash) do nothing returning id`,
);

/** Writes a token by its hash; false when any account has one of that hash already. */
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

export type TokenRow = {
  id: Uuid;
  limited_as: string;
  account_id: Uuid;
  scopes: Scope[];
  last_used_at: Date | null;
};

// An app's tokens change every hour, and a person can consent any number of times: the limit counts by app and account.
const LIVE_TOKEN = statement<TokenRow>(
  'accounts_live_token',
  `select t.id, coalesce(t.client_id || ' ' || t.account_id, t.id::text) as limited_as, t.account_id, t.scopes, t.last_used_at
   from access_token t join account a on a.id = t.account_id
   left join oauth_grant g on g.account_id = t.account_id and g.id = t.grant_id
   left join oauth_client c on c.id = t.client_id left join account owner on owner.id = c.account_id
   where t.token_hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)
     and a.suspended_at is null and g.revoked_at is null and owner.suspended_at is null
     and c.removed_at is null and coalesce(t.secret_version, 0) = coalesce(c.secret_version, 0)`,
);

/**
 * The token of a hash, if it may be used now.
 * Neither it nor the grant that it comes from is revoked, it has not expired, and neither its account nor that of the
 * app's owner is suspended. Its app is not removed, and has the secret that it had then. `limited_as` is the subject of
 * the rate limit by token.
 */
export async function findLiveToken(db: Db, hash: Buffer, now: Date): Promise<TokenRow | undefined> {
  return db.one(LIVE_TOKEN, [hash, now]);
}

const INSERT_USER = statement<{ id: Uuid }>(
  'accounts_insert_user',
  `insert into account_user (id, account_id, email, password_hash, role, name, created_at) values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (email) do nothing returning id`,
);

/** Writes a person who may sign in; false when the address is taken. */
export async function insertUserUnlessKnown(
  db: Db,
  user: {
    id: Uuid;
    accountId: Uuid;
    email: string;
    passwordHash: string;
    role: PersonRole;
    name: string;
    createdAt: Date;
  },
): Promise<boolean> {
  const { id, accountId, email, passwordHash, role, name, createdAt } = user;
  const values = [id, accountId, email, passwordHash, role, name, createdAt];
  return (await db.one(INSERT_USER, values)) !== undefined;
}

const USER_BY_EMAIL = statement<{ id: Uuid; password_hash: string }>(
  'accounts_user_by_email',
  `select u.id, u.password_hash from account_user u join account a on a.id = u.account_id
   where u.email = $1 and u.disabled_at is null and a.suspended_at is null`,
);

/** The person of an address, unless the person is disabled or the account suspended. */
export async function findUserByEmail(db: Db, email: string): Promise<{ id: Uuid; password_hash: string } | undefined> {
  return db.one(USER_BY_EMAIL, [email]);
}

const LOCK_USER_WITH_PASSWORD = statement<{ id: Uuid }>(
  'accounts_lock_user_with_password',
  'select id from account_user where id = $1 and password_hash = $2 and disabled_at is null for key share',
);

/**
 * Whether a person still has the password that was compared, and is not disabled.
 * If so, neither changes before the transaction ends.
 */
export async function lockUserWithPassword(tx: Db, id: Uuid, passwordHash: string): Promise<boolean> {
  return (await tx.one(LOCK_USER_WITH_PASSWORD, [id, passwordHash])) !== undefined;
}

export type UserRow = { id: Uuid; account_id: Uuid; email: string; role: PersonRole; account_name: string };

const LIVE_USER = statement<UserRow>(
  'accounts_live_user',
  `select u.id, u.account_id, u.email, u.role, a.name as account_name
   from account_user u join account a on a.id = u.account_id
   where u.id = $1 and u.disabled_at is null and a.suspended_at is null`,
);

/** A person who has signed in, with their account, unless disabled or suspended. */
export async function findLiveUser(db: Db, id: Uuid): Promise<UserRow | undefined> {
  return db.one(LIVE_USER, [id]);
}

const INSERT_CLIENT = statement<never>(
  'accounts_insert_client',
  `insert into oauth_client (id, account_id, name, secret_hash, redirect_uris, scopes, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Writes a registered app. */
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
  secret_version: number;
  redirect_uris: string[];
  scopes: Scope[];
};

const LIVE_CLIENT = statement<OauthClientRow>(
  'accounts_live_client',
  `select c.id, c.name, a.name as account_name, c.secret_hash, c.secret_version, c.redirect_uris, c.scopes
   from oauth_client c join account a on a.id = c.account_id
   where c.id = $1 and c.removed_at is null and a.suspended_at is null`,
);

/** An app, unless it is removed or the account that registered it is suspended. */
export async function findLiveOauthClient(db: Db, id: Uuid): Promise<OauthClientRow | undefined> {
  return db.one(LIVE_CLIENT, [id]);
}
