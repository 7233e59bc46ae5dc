import type { Scope } from '../lib/caller.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

const INSERT_ACCOUNT = statement<never>(
  'accounts_insert_account',
  `with new_account as (
     insert into account (id, name, vat_status, created_at) values ($1, $2, $3, $4) returning id
   )
   insert into account_balance (account_id) select id from new_account`,
);

/** Writes an account and its empty balance. */
export async function insertAccount(
  db: Db,
  account: { id: Uuid; name: string; vatStatus: string; createdAt: Date },
): Promise<void> {
  await db.all(INSERT_ACCOUNT, [account.id, account.name, account.vatStatus, account.createdAt]);
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

export type TokenRow = { id: Uuid; account_id: Uuid; scopes: Scope[] };

const LIVE_TOKEN = statement<TokenRow>(
  'accounts_live_token',
  `select t.id, t.account_id, t.scopes
   from access_token t join account a on a.id = t.account_id
   where t.token_hash = $1 and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2)
     and a.suspended_at is null`,
);

/** The token of a hash, when it is neither revoked nor expired and its account is not suspended. */
export async function findLiveToken(db: Db, hash: Buffer, now: Date): Promise<TokenRow | undefined> {
  return db.one(LIVE_TOKEN, [hash, now]);
}
