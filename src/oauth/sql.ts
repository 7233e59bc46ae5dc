import type { Scope } from '../lib/caller.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Sealed } from '../lib/secrets.ts';

// A code, a token or a cookie is found by its hash and by nothing else. These statements find out which account it
// belongs to, so none of them can name one.

export type RecordKind = 'authorization_code' | 'refresh_token' | 'session' | 'interaction';

export type NewRecord = {
  readonly keyHash: Buffer;
  readonly kind: RecordKind;
  /** What operators call a session; null for the other kinds. */
  readonly id: Uuid | null;
  readonly uidHash: Buffer | null;
  readonly userId: Uuid | null;
  readonly grantId: Uuid | null;
  readonly sealed: Sealed;
  readonly now: Date;
  readonly expiresAt: Date;
};

/** Each write clears away a few expired rows. */
const EXPIRED_CLEARED_MAX = 20;

const UPSERT_RECORD = statement<never>(
  'oauth_upsert_record',
  `with expired as (
     delete from oauth_record where key_hash in (
       select key_hash from oauth_record where expires_at <= $7 and key_hash <> $1
       order by expires_at limit ${EXPIRED_CLEARED_MAX} for update skip locked)
   )
   insert into oauth_record (key_hash, kind, uid_hash, account_id, user_id, grant_id, sealed, created_at, expires_at, id, sealed_with)
   select $1, $2, $3, coalesce((select account_id from account_user where id = $4), (select account_id from oauth_grant where id = $5)),
     $4, $5, $6, $7, $8, $9, $10
   on conflict (key_hash) do update set
     uid_hash = excluded.uid_hash, account_id = excluded.account_id, user_id = excluded.user_id, sealed = excluded.sealed,
     sealed_with = excluded.sealed_with, expires_at = excluded.expires_at`,
);

/** Inserts or replaces the library's record under a key. */
export async function upsertRecord(db: Db, record: NewRecord): Promise<void> {
  const { keyHash, kind, id, uidHash, userId, grantId, sealed, now, expiresAt } = record;
  await db.all(UPSERT_RECORD, [
    keyHash,
    kind,
    uidHash,
    userId,
    grantId,
    sealed.bytes,
    now,
    expiresAt,
    id,
    sealed.keyId,
  ]);
}

export type RecordRow = { sealed: Buffer; sealed_with: string | null; expires_at: Date; consumed_at: Date | null };

const LIVE = `r.expires_at > $3 and not exists (
       select from oauth_grant g where g.account_id = r.account_id and g.id = r.grant_id and g.revoked_at is not null)
     and not exists (
       select from account_user u join account a on a.id = u.account_id
       where u.account_id = r.account_id and u.id = r.user_id and (a.suspended_at is not null or u.disabled_at is not null))`;

const LOCK_RECORD = statement<RecordRow>(
  'oauth_lock_record',
  `select r.sealed, r.sealed_with, r.expires_at, r.consumed_at from oauth_record r
   where r.key_hash = $1 and r.kind = $2 and ${LIVE}
   for update of r`,
);

/**
 * Locks a code, refresh token or interaction until the transaction ends.
 * Of two requests with the same one, the second waits here and then sees what the first has done.
 * Undefined when it has expired or its grant is revoked.
 */
export async function lockRecord(db: Db, kind: RecordKind, keyHash: Buffer, now: Date): Promise<RecordRow | undefined> {
  return db.one(LOCK_RECORD, [keyHash, kind, now]);
}

const FIND_SESSION = statement<RecordRow>(
  'oauth_find_session',
  `select r.sealed, r.sealed_with, r.expires_at, r.consumed_at from oauth_record r
   where (r.key_hash = $1 or r.uid_hash = $1) and r.kind = $2 and ${LIVE}
   order by r.expires_at desc limit 1`,
);

/**
 * A browser's session by the hash of its cookie or of its lasting id.
 * Undefined when the signed-in user is disabled or the account suspended.
 */
export async function findSession(db: Db, hash: Buffer, now: Date): Promise<RecordRow | undefined> {
  return db.one(FIND_SESSION, [hash, 'session', now]);
}

const RECORD_OWNER = statement<{ user_id: Uuid }>(
  'oauth_record_owner',
  'select user_id from oauth_record where (key_hash = $1 or uid_hash = $1) and user_id is not null limit 1',
);
const LOCK_OWNER = statement<never>(
  'oauth_lock_record_owner',
  'select id from account_user where id = $1 for key share',
);

/**
 * Locks the person of a session or of a pending authorization before that is read.
 * What ends the sessions of a person locks them too. So the record is read as ended, or the end comes after all that
 * this transaction writes, and finds it.
 */
export async function lockOwner(db: Db, hash: Buffer): Promise<void> {
  const owner = await db.one(RECORD_OWNER, [hash]);
  if (owner !== undefined) await db.all(LOCK_OWNER, [owner.user_id]);
}

const CONSUME_RECORD = statement<never>(
  'oauth_consume_record',
  'update oauth_record set consumed_at = $2 where key_hash = $1 and consumed_at is null',
);

/** Marks a code or a refresh token as used. */
export async function consumeRecord(db: Db, keyHash: Buffer, now: Date): Promise<void> {
  await db.all(CONSUME_RECORD, [keyHash, now]);
}

const DELETE_RECORD = statement<never>('oauth_delete_record', 'delete from oauth_record where key_hash = $1');

/** Deletes the record under a key. */
export async function deleteRecord(db: Db, keyHash: Buffer): Promise<void> {
  await db.all(DELETE_RECORD, [keyHash]);
}

const INSERT_GRANT = statement<never>(
  'oauth_insert_grant',
  `with spent as (
     delete from oauth_grant where id in (
       select g.id from oauth_grant g join account_user u on u.account_id = g.account_id
       where u.id = $2 and g.created_at < $5::timestamptz - interval '1 day'
         and not exists (select from oauth_record r where r.grant_id = g.id)
         and not exists (select from access_token t where t.grant_id = g.id)
       limit ${EXPIRED_CLEARED_MAX} for update of g skip locked)
   )
   insert into oauth_grant (id, account_id, user_id, client_id, scopes, created_at)
   select $1, u.account_id, u.id, $3, $4, $5 from account_user u where u.id = $2`,
);

/**
 * Records the scopes that a person allows an app for their account.
 * Deletes grants that have nothing left.
 */
export async function insertGrant(
  db: Db,
  grant: { id: Uuid; userId: Uuid; clientId: Uuid; scopes: readonly Scope[]; createdAt: Date },
): Promise<void> {
  await db.all(INSERT_GRANT, [grant.id, grant.userId, grant.clientId, grant.scopes, grant.createdAt]);
}

export type GrantRow = { user_id: Uuid; client_id: Uuid; scopes: Scope[] };

const LIVE_GRANT = statement<GrantRow>(
  'oauth_live_grant',
  'select user_id, client_id, scopes from oauth_grant where id = $1 and revoked_at is null',
);

/** A grant, unless it is revoked. */
export async function findLiveGrant(db: Db, id: Uuid): Promise<GrantRow | undefined> {
  return db.one(LIVE_GRANT, [id]);
}

const REVOKE_GRANT = statement<never>(
  'oauth_revoke_grant',
  'update oauth_grant set revoked_at = $2 where id = $1 and revoked_at is null',
);

/** Revokes a grant, and with it every code and token that came from it. */
export async function revokeGrant(db: Db, id: Uuid, now: Date): Promise<void> {
  await db.all(REVOKE_GRANT, [id, now]);
}

const INSERT_ACCESS_TOKEN = statement<{ id: Uuid }>(
  'oauth_insert_access_token',
  `with expired as (
     delete from access_token where id in (
       select id from access_token where client_id is not null and expires_at <= $5
       order by expires_at limit ${EXPIRED_CLEARED_MAX} for update skip locked)
   )
   insert into access_token (id, account_id, token_hash, scopes, created_at, expires_at, client_id, grant_id, secret_version)
   select $1, coalesce(g.account_id, c.account_id), $2, $3, $5, $6, c.id, g.id, $8
   from oauth_client c left join oauth_grant g on g.client_id = c.id and g.id = $7 and g.revoked_at is null
   where c.id = $4 and ($7::uuid is null or g.id is not null)
   returning id`,
);

/**
 * Writes an access token by its hash.
 * It is for the account of the grant, or without one for the account that registered the app. False when the grant has
 * been revoked meanwhile. `secretVersion` is that of the secret that the app has shown: if it was rotated meanwhile,
 * the token is good for nothing.
 */
export async function insertAccessToken(
  db: Db,
  token: {
    id: Uuid;
    hash: Buffer;
    scopes: readonly Scope[];
    clientId: Uuid;
    createdAt: Date;
    expiresAt: Date;
    grantId: Uuid | null;
    secretVersion: number;
  },
): Promise<boolean> {
  const { id, hash, scopes, clientId, createdAt, expiresAt, grantId, secretVersion } = token;
  const values = [id, hash, scopes, clientId, createdAt, expiresAt, grantId, secretVersion];
  return (await db.one(INSERT_ACCESS_TOKEN, values)) !== undefined;
}

export type AccessTokenRow = {
  client_id: Uuid;
  grant_id: Uuid | null;
  user_id: Uuid | null;
  scopes: Scope[];
  expires_at: Date;
};

const APP_ACCESS_TOKEN = statement<AccessTokenRow>(
  'oauth_app_access_token',
  `select t.client_id, t.grant_id, g.user_id, t.scopes, t.expires_at
   from access_token t join oauth_client c on c.id = t.client_id join account owner on owner.id = c.account_id
   left join oauth_grant g on g.account_id = t.account_id and g.id = t.grant_id
   where t.token_hash = $1 and t.revoked_at is null and t.expires_at > $2
     and g.revoked_at is null and owner.suspended_at is null
     and c.removed_at is null and coalesce(t.secret_version, 0) = c.secret_version`,
);

/** An app's access token that is still valid. */
export async function findAppAccessToken(db: Db, hash: Buffer, now: Date): Promise<AccessTokenRow | undefined> {
  return db.one(APP_ACCESS_TOKEN, [hash, now]);
}

const REVOKE_APP_ACCESS_TOKEN = statement<never>(
  'oauth_revoke_app_access_token',
  'update access_token set revoked_at = $2 where token_hash = $1 and client_id is not null and revoked_at is null',
);

/** Revokes an app's access token. */
export async function revokeAppAccessToken(db: Db, hash: Buffer, now: Date): Promise<void> {
  await db.all(REVOKE_APP_ACCESS_TOKEN, [hash, now]);
}
