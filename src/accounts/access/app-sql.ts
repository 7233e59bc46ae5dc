import type { Scope } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Apps, and what people have allowed them.

export type ListedClientRow = {
  id: Uuid;
  account_id: Uuid;
  name: string;
  is_confidential: boolean;
  redirect_uris: string[];
  scopes: Scope[];
  created_at: Date;
  rotated_at: Date | null;
  removed_at: Date | null;
};

const CLIENT_COLUMNS = `id, account_id, name, secret_hash is not null as is_confidential, redirect_uris, scopes,
   created_at, rotated_at, removed_at`;

const LIST_CLIENTS = statement<ListedClientRow>(
  'access_list_clients',
  `select ${CLIENT_COLUMNS} from oauth_client where account_id = $1 and id < $2 order by id desc limit $3`,
);

/** A page of the apps that an account has registered, newest first, from after `before`. */
export async function listClientRows(
  db: Db,
  page: { accountId: Uuid; before: Uuid; limit: number },
): Promise<ListedClientRow[]> {
  return db.all(LIST_CLIENTS, [page.accountId, page.before, page.limit]);
}

const FIND_CLIENT = statement<ListedClientRow>(
  'access_find_client',
  `select ${CLIENT_COLUMNS} from oauth_client where id = $1`,
);

/** An app by its id, removed or not. */
export async function findClientRow(db: Db, id: Uuid): Promise<ListedClientRow | undefined> {
  return db.one(FIND_CLIENT, [id]);
}

const ROTATE_CLIENT = statement<{ id: Uuid }>(
  'access_rotate_client',
  `update oauth_client set secret_hash = $2, secret_version = secret_version + 1, rotated_at = $3
   where id = $1 and secret_hash is not null and removed_at is null returning id`,
);

/** Replaces the hash of an app's secret; false for one that is public or removed. */
export async function rotateClientRow(tx: Db, id: Uuid, secretHash: Buffer, now: Date): Promise<boolean> {
  return (await tx.one(ROTATE_CLIENT, [id, secretHash, now])) !== undefined;
}

const REMOVE_CLIENT = statement<{ id: Uuid }>(
  'access_remove_client',
  'update oauth_client set removed_at = coalesce(removed_at, $2) where id = $1 returning id',
);

/** Removes an app; false when there is none of that id. Idempotent. */
export async function removeClientRow(tx: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(REMOVE_CLIENT, [id, now])) !== undefined;
}

export type ListedGrantRow = {
  id: Uuid;
  account_id: Uuid;
  user_id: Uuid;
  email: string;
  client_id: Uuid;
  client_name: string;
  scopes: Scope[];
  created_at: Date;
  revoked_at: Date | null;
};

const GRANTS = `select g.id, g.account_id, g.user_id, u.email, g.client_id, c.name as client_name, g.scopes, g.created_at, g.revoked_at
   from oauth_grant g join oauth_client c on c.id = g.client_id
   join account_user u on u.account_id = g.account_id and u.id = g.user_id`;

const LIST_GRANTS_OF_ACCOUNT = statement<ListedGrantRow>(
  'access_list_grants_of_account',
  `${GRANTS} where g.account_id = $1 and g.revoked_at is null and ($4::uuid is null or g.client_id = $4)
     and c.removed_at is null and g.id < $2 order by g.id desc limit $3`,
);

const LIST_GRANTS_OF_CLIENT = statement<ListedGrantRow>(
  'access_list_grants_of_client',
  `${GRANTS} where g.client_id = $1 and g.revoked_at is null and c.removed_at is null and g.id < $2
   order by g.id desc limit $3`,
);

/** Which grants: those of an account's people, those to an app, or the overlap of both. */
export type GrantsOf =
  | { readonly accountId: Uuid; readonly clientId: Uuid | undefined }
  | { readonly accountId: undefined; readonly clientId: Uuid };

/** A page of the grants in force, newest first, from after `before`. */
export async function listGrantRows(
  db: Db,
  of: GrantsOf,
  page: { before: Uuid; limit: number },
): Promise<ListedGrantRow[]> {
  const { before, limit } = page;
  if (of.accountId === undefined) return db.all(LIST_GRANTS_OF_CLIENT, [of.clientId, before, limit]);
  return db.all(LIST_GRANTS_OF_ACCOUNT, [of.accountId, before, limit, of.clientId ?? null]);
}

const FIND_GRANT = statement<ListedGrantRow>('access_find_grant', `${GRANTS} where g.id = $1`);

/** A grant by its id, revoked or not. */
export async function findGrantRow(db: Db, id: Uuid): Promise<ListedGrantRow | undefined> {
  return db.one(FIND_GRANT, [id]);
}

const REVOKE_GRANT_BY_ID = statement<{ id: Uuid }>(
  'access_revoke_grant',
  'update oauth_grant set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
);

/** Revokes a grant; false when there is none of that id. Idempotent. */
export async function revokeGrantRow(tx: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(REVOKE_GRANT_BY_ID, [id, now])) !== undefined;
}

const REVOKE_GRANTS_OF_ACCOUNT = statement<{ id: Uuid }>(
  'access_revoke_grants_of_account',
  `update oauth_grant set revoked_at = $2 where revoked_at is null and account_id = $1 and id in (
     select id from oauth_grant where account_id = $1 and revoked_at is null and ($4::uuid is null or client_id = $4)
     order by id limit $3)
   returning id`,
);

const REVOKE_GRANTS_OF_CLIENT = statement<{ id: Uuid }>(
  'access_revoke_grants_of_client',
  `update oauth_grant set revoked_at = $2 where revoked_at is null and (account_id, id) in (
     select account_id, id from oauth_grant where client_id = $1 and revoked_at is null order by id limit $3)
   returning id`,
);

/** Revokes up to `limit` grants that are in force. Returns how many. */
export async function revokeGrantRows(tx: Db, of: GrantsOf, limit: number, now: Date): Promise<number> {
  const revoked =
    of.accountId === undefined
      ? await tx.all(REVOKE_GRANTS_OF_CLIENT, [of.clientId, now, limit])
      : await tx.all(REVOKE_GRANTS_OF_ACCOUNT, [of.accountId, now, limit, of.clientId ?? null]);
  return revoked.length;
}
