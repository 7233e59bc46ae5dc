import { createHash } from 'node:crypto';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { findLiveOauthClient } from '../accounts/sql.ts';
import { hashToken } from '../accounts/token.ts';
import { SCOPES, type Scope } from '../lib/caller.ts';
import { machineSeconds } from '../lib/clock.ts';
import type { Db } from '../lib/db.ts';
import { newId, parseId, publicId, type Uuid } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import {
  consumeRecord,
  deleteRecord,
  findAppAccessToken,
  findLiveGrant,
  findSession,
  insertAccessToken,
  lockOwner,
  lockRecord,
  type RecordKind,
  type RecordRow,
  revokeAppAccessToken,
  revokeGrant,
  upsertRecord,
} from './sql.ts';

/** The transaction of one exchange with the library, on which its storage works. */
export type OAuthTransaction = {
  /** The exchange's transaction. */
  readonly db: Db;
  readonly now: Date;
  /** Whether this is a token request, in which a refresh token that was just used is refused. */
  readonly isTokenRequest: boolean;
  /** The version of the secret of each app that was read in this exchange, by the app's public id. */
  readonly secretVersions: Map<string, number>;
};

/**
 * How long a used refresh token may be repeated without harm.
 * A client that sends the same token twice at once gets one answer and loses nothing. One that is used
 * again later has been stolen, and its whole family ends (bad input L185).
 */
const PARALLEL_REFRESH_MS = 10_000;

/** Grants do not expire by themselves; the library requires a number. */
const FAR_SECONDS = 3_000_000_000;

/**
 * Stores the library's data in our tables, a part for each of its models.
 * Keys are hashed and contents sealed, so that nothing stored can be used against the service. Expiry
 * is judged by the service's clock, and given to the library in the time of this machine, which is the
 * only one that it knows.
 */
export function createStore(
  secrets: Secrets,
  transaction: () => OAuthTransaction,
  /** The refusal of a token request whose grant was revoked while it was answered. */
  revokedMeanwhile: () => Error,
): (model: string) => Adapter {
  const stores: Readonly<Record<string, Adapter>> = {
    Client: clientStore(transaction),
    Grant: grantStore(transaction),
    AccessToken: accessTokenStore(transaction, 'AccessToken', revokedMeanwhile),
    ClientCredentials: accessTokenStore(transaction, 'ClientCredentials', revokedMeanwhile),
    AuthorizationCode: recordStore(transaction, secrets, 'authorization_code'),
    RefreshToken: refreshTokenStore(transaction, secrets),
    Session: sessionStore(transaction, secrets),
    Interaction: interactionStore(transaction, secrets),
  };
  return (model) => stores[model] ?? unusedModel(model);
}

/** A model that none of our grants uses; a call to it is a bug of ours. */
function unusedModel(model: string): Adapter {
  const refuse = (): Promise<never> => Promise.reject(new Error(`the OAuth library has asked for a ${model}`));
  return {
    upsert: refuse,
    find: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

function clientStore(transaction: () => OAuthTransaction): Adapter {
  return {
    ...unusedModel('Client'),
    find: async (id) => {
      const uuid = parseId('client', id);
      const row = uuid === undefined ? undefined : await findLiveOauthClient(transaction().db, uuid);
      if (row === undefined) return undefined;
      transaction().secretVersions.set(id, row.secret_version);
      return {
        client_id: id,
        client_name: row.name,
        // The hash in its place: a presented secret is hashed before the two are compared (`openLibrary`).
        ...(row.secret_hash === null ? {} : { client_secret: row.secret_hash.toString('hex') }),
        token_endpoint_auth_method: row.secret_hash === null ? 'none' : 'client_secret_basic',
        redirect_uris: row.redirect_uris,
        response_types: row.redirect_uris.length === 0 ? [] : ['code'],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        scope: row.scopes.join(' '),
      };
    },
  };
}

function grantStore(transaction: () => OAuthTransaction): Adapter {
  return {
    ...unusedModel('Grant'),
    find: async (id) => {
      const row = await findLiveGrant(transaction().db, id as Uuid);
      if (row === undefined) return undefined;
      return {
        jti: id,
        kind: 'Grant',
        accountId: row.user_id,
        clientId: publicId('client', row.client_id),
        openid: { scope: row.scopes.join(' ') },
        // What the person was not offered counts as refused, or the library would ask for it again without end.
        rejected: { openid: { scope: SCOPES.filter((scope) => !row.scopes.includes(scope)).join(' ') } },
        ...lifetime(FAR_SECONDS),
      };
    },
    destroy: (id) => revokeGrant(transaction().db, id as Uuid, transaction().now),
  };
}

/** Does nothing. The row of the grant carries the revocation for everything that came from it. */
const revokedWithGrant = (): Promise<void> => Promise.resolve();

function accessTokenStore(
  transaction: () => OAuthTransaction,
  kind: 'AccessToken' | 'ClientCredentials',
  revokedMeanwhile: () => Error,
): Adapter {
  return {
    ...unusedModel(kind),
    upsert: async (token, payload, expiresInSeconds) => {
      const { db, now, secretVersions } = transaction();
      const clientId = parseId('client', String(payload.clientId));
      const secretVersion = secretVersions.get(String(payload.clientId));
      if (clientId === undefined || secretVersion === undefined) throw new Error('an access token for no client');
      const written = await insertAccessToken(db, {
        id: newId(now.getTime()),
        hash: hashToken(token),
        scopes: readScopes(payload.scope),
        clientId,
        createdAt: now,
        expiresAt: secondsAfter(now, expiresInSeconds),
        grantId: idOrNull(payload.grantId),
        secretVersion,
      });
      if (!written) throw revokedMeanwhile();
    },
    find: async (token) => {
      const { db, now } = transaction();
      const row = await findAppAccessToken(db, hashToken(token), now);
      if (row === undefined || (row.grant_id === null) !== (kind === 'ClientCredentials')) return undefined;
      return {
        jti: token,
        kind,
        clientId: publicId('client', row.client_id),
        scope: row.scopes.join(' '),
        ...(row.grant_id === null ? {} : { grantId: row.grant_id, accountId: row.user_id ?? undefined }),
        ...lifetime(secondsBetween(now, row.expires_at)),
      };
    },
    destroy: (token) => revokeAppAccessToken(transaction().db, hashToken(token), transaction().now),
    revokeByGrantId: revokedWithGrant,
  };
}

function recordStore(transaction: () => OAuthTransaction, secrets: Secrets, kind: RecordKind): Adapter {
  return {
    ...unusedModel(kind),
    upsert: async (id, payload, expiresInSeconds) => {
      const { db, now } = transaction();
      await upsertRecord(db, {
        keyHash: keyHash(kind, id),
        kind,
        id: kind === 'session' ? newId(now.getTime()) : null,
        uidHash: typeof payload.uid === 'string' ? keyHash('uid', payload.uid) : null,
        userId: idOrNull(kind === 'interaction' ? signedInFor(payload) : payload.accountId),
        grantId: kind === 'interaction' ? null : idOrNull(payload.grantId),
        sealed: secrets.seal(JSON.stringify({ ...payload, jti: undefined })),
        now,
        expiresAt: secondsAfter(now, expiresInSeconds),
      });
    },
    find: async (id) => {
      const { db, now } = transaction();
      return opened(secrets, await lockRecord(db, kind, keyHash(kind, id), now), now, id);
    },
    consume: (id) => consumeRecord(transaction().db, keyHash(kind, id), transaction().now),
    destroy: (id) => deleteRecord(transaction().db, keyHash(kind, id)),
    revokeByGrantId: revokedWithGrant,
  };
}

/**
 * As other records, but a token that was used a moment ago counts as unknown.
 * The library then does not take it for stolen.
 */
function refreshTokenStore(transaction: () => OAuthTransaction, secrets: Secrets): Adapter {
  return {
    ...recordStore(transaction, secrets, 'refresh_token'),
    find: async (token) => {
      const { db, now, isTokenRequest } = transaction();
      const row = await lockRecord(db, 'refresh_token', keyHash('refresh_token', token), now);
      const usedMs = row?.consumed_at == null ? undefined : now.getTime() - row.consumed_at.getTime();
      if (isTokenRequest && usedMs !== undefined && usedMs <= PARALLEL_REFRESH_MS) return undefined;
      return opened(secrets, row, now, token);
    },
  };
}

/** Pending authorizations: the person who has signed in for one is locked first, then the record. */
function interactionStore(transaction: () => OAuthTransaction, secrets: Secrets): Adapter {
  const store = recordStore(transaction, secrets, 'interaction');
  return {
    ...store,
    find: async (id) => {
      await lockOwner(transaction().db, keyHash('interaction', id));
      return store.find(id);
    },
  };
}

/**
 * Sessions, which are not locked when read.
 * Every request of a browser reads its session, and none of them uses it up. The person is locked.
 */
function sessionStore(transaction: () => OAuthTransaction, secrets: Secrets): Adapter {
  const findBy = async (part: 'session' | 'uid', id: string): Promise<AdapterPayload | undefined> => {
    const { db, now } = transaction();
    await lockOwner(db, keyHash(part, id));
    return opened(secrets, await findSession(db, keyHash(part, id), now), now, id);
  };
  return {
    ...recordStore(transaction, secrets, 'session'),
    find: (id) => findBy('session', id),
    // Only for reading who is signed in.
    findByUid: (uid) => findBy('uid', uid),
  };
}

/**
 * The person who has signed in for a pending authorization: now, or in the session that it belongs to.
 * What ends their sessions must end it as well.
 */
function signedInFor({ result, session }: AdapterPayload): unknown {
  return result?.login?.accountId ?? session?.accountId;
}

/** The kind is part of what is hashed, so that a code is never found among cookies. */
function keyHash(kind: RecordKind | 'uid', id: string): Buffer {
  return createHash('sha256').update(`${kind} ${id}`).digest();
}

function opened(secrets: Secrets, row: RecordRow | undefined, now: Date, id: string): AdapterPayload | undefined {
  if (row === undefined) return undefined;
  let text: string;
  try {
    text = secrets.unseal({ bytes: row.sealed, keyId: row.sealed_with });
  } catch {
    // Sealed with a key that is not set: its owner starts again, as after an expiry.
    return undefined;
  }
  return {
    ...(JSON.parse(text) as AdapterPayload),
    jti: id,
    ...(row.consumed_at === null ? {} : { consumed: Math.floor(row.consumed_at.getTime() / 1_000) }),
    ...lifetime(secondsBetween(now, row.expires_at)),
  };
}

/**
 * The remaining lifetime by our clock, added to this machine's time.
 * The library compares `exp` with that.
 */
function lifetime(seconds: number): { iat: number; exp: number } {
  const iat = machineSeconds();
  return { iat, exp: iat + seconds };
}

function secondsAfter(now: Date, seconds: number | undefined): Date {
  if (seconds === undefined) throw new Error('the OAuth library stores what never expires');
  return new Date(now.getTime() + seconds * 1_000);
}

function secondsBetween(now: Date, then: Date): number {
  return Math.max(1, Math.floor((then.getTime() - now.getTime()) / 1_000));
}

function idOrNull(value: unknown): Uuid | null {
  return typeof value === 'string' ? (value as Uuid) : null;
}

function readScopes(value: unknown): Scope[] {
  const names = new Set(typeof value === 'string' ? value.split(' ') : []);
  return SCOPES.filter((scope) => names.has(scope));
}
