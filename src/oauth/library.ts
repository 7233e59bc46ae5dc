import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync, timingSafeEqual } from 'node:crypto';
import type {
  Client,
  Configuration,
  Interaction,
  InteractionResults,
  KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import { findLiveUser } from '../accounts/sql.ts';
import { hashToken, newToken } from '../accounts/token.ts';
import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import { SCOPES } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { exchange, type OAuthRequest, type OAuthResponse, unconnected } from './exchange.ts';
import { createStore, type OAuthTransaction } from './store.ts';

/**
 * Lifetimes (decisions, "OAuth").
 * A session ends with the browser, and in any case after a working day.
 */
const SECONDS = {
  accessToken: 3_600,
  refreshToken: 90 * 86_400,
  authorizationCode: 60,
  interaction: 15 * 60,
  session: 8 * 3_600,
} as const;

/**
 * Carries the scope of an authorization request a second time, as it was sent.
 * The library drops names that it does not know, and an unknown name must be refused (bad input L186).
 */
export const REQUESTED_SCOPE = 'requested_scope';

export type LibrarySource = Pick<Context, 'config' | 'database' | 'clock' | 'secrets'>;

/** A pending authorization: a request that waits for a person, within one transaction. */
export type PendingAuthorization = {
  readonly interaction: Interaction;
  readonly transaction: OAuthTransaction;
  /** Records the person's decision; returns the path where the authorization continues. */
  readonly decide: (result: InteractionResults) => Promise<string>;
  /** Ends the browser's session unless it is this user's. */
  readonly signOutOthers: (userId: string | undefined) => Promise<void>;
};

export type Library = {
  /**
   * Handles one request to an endpoint of the protocol in one transaction.
   * A request that fails throws and is rolled back.
   */
  readonly handle: (oauthRequest: OAuthRequest) => Promise<OAuthResponse>;
  /**
   * Runs `work` with this browser's pending authorization request.
   * The request is undefined when there is none any more.
   */
  readonly withInteraction: <T>(
    oauthRequest: OAuthRequest,
    work: (pending: PendingAuthorization) => Promise<T>,
  ) => Promise<T | undefined>;
};

/** The running exchange: the transaction its storage works on, and the first failure in it. */
type CurrentTransaction = { readonly transaction: OAuthTransaction; failure: unknown };

/**
 * Loads the protocol library and makes it serve our endpoints on our tables.
 * See docs/decisions/0014-oauth.md. It takes some 30 MB, so it is loaded with the first OAuth request.
 */
export async function openLibrary(source: LibrarySource): Promise<Library> {
  const { Provider, errors, interactionPolicy } = await import('oidc-provider');
  const origin = new URL(source.config.baseUrl);
  const current = new AsyncLocalStorage<CurrentTransaction>();
  const transaction = (): OAuthTransaction => {
    const running = current.getStore();
    if (running === undefined) throw new Error('the OAuth library has asked for something outside of an exchange');
    return running.transaction;
  };
  const fail = (error: unknown): void => {
    const running = current.getStore();
    if (running !== undefined) running.failure ??= error;
  };

  const checkScope = async (ctx: KoaContextWithOIDC, requested: unknown): Promise<void> => {
    const { params, client } = ctx.oidc;
    if (params === undefined || client === undefined) throw new Error('a scope is checked before its client is known');
    params.scope = grantableScope(client, requested ?? params.scope, errors.InvalidScope);
  };
  const provider = new Provider(origin.origin, {
    ...settings(source),
    adapter: createStore(source.secrets, transaction, () => new errors.InvalidGrant('the grant was revoked')),
    interactions: { policy: interactionPolicy.base(), url: pendingPath },
    extraParams: { [REQUESTED_SCOPE]: checkScope },
    findAccount: async (_ctx: unknown, id: string) => {
      const user = await findLiveUser(transaction().db, id as Uuid);
      return user === undefined ? undefined : { accountId: user.id, claims: async () => ({ sub: user.id }) };
    },
  });
  // The headers of an exchange are ours; this one gives the service's public address.
  provider.proxy = true;
  provider.on('server_error', (_ctx, error) => fail(error));
  provider.on('error', fail);
  useOwnSecretForms(provider);
  provider.registerGrantType(
    'client_credentials',
    async (ctx) => {
      // A client that cannot authenticate cannot act on its own behalf.
      if (ctx.oidc.client.clientAuthMethod === 'none')
        throw new errors.UnauthorizedClient('a public app has no account of its own to act for');
      const scope = grantableScope(ctx.oidc.client, ctx.oidc.params.scope, errors.InvalidScope);
      const token = new provider.ClientCredentials({ client: ctx.oidc.client, scope });
      const accessToken = await token.save();
      ctx.body = { access_token: accessToken, expires_in: token.expiration, scope, token_type: 'Bearer' };
    },
    ['scope'],
  );

  const handler = provider.callback();
  const inTransaction = <T>(isTokenRequest: boolean, work: (transaction: OAuthTransaction) => Promise<T>): Promise<T> =>
    source.database.transaction(async (tx) => {
      const running: CurrentTransaction = {
        transaction: {
          db: sequential(tx, (error) => (running.failure ??= error)),
          now: source.clock.now(),
          isTokenRequest,
          secretVersions: new Map(),
        },
        failure: undefined,
      };
      const result = await current.run(running, () => work(running.transaction));
      // The library answers a failure of ours as a result; thrown, it rolls the transaction back.
      if (running.failure !== undefined) throw running.failure;
      return result;
    });

  return {
    handle: (oauthRequest) =>
      inTransaction(oauthRequest.path === OAUTH_PATHS.token, async () =>
        ownPaths(await exchange(handler, oauthRequest, origin), origin),
      ),
    withInteraction: (oauthRequest, work) =>
      inTransaction(false, async (transaction) => {
        const { request, response } = unconnected(oauthRequest, origin);
        let interaction: Interaction;
        try {
          interaction = await provider.interactionDetails(request, response);
        } catch (error) {
          if (error instanceof errors.SessionNotFound) return undefined;
          throw error;
        }
        return work({
          interaction,
          transaction,
          decide: async (result) => ownPath(await provider.interactionResult(request, response, result), origin),
          signOutOthers: async (userId) => {
            const session = await provider.Session.get(provider.createContext(request, response));
            if (session.accountId !== undefined && session.accountId !== userId) await session.destroy();
          },
        });
      }),
  };
}

function settings(source: LibrarySource): Configuration {
  const off = { enabled: false };
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax' } as const;
  return {
    // Whatever is not named here is off or unreachable: only four paths lead to the library.
    features: {
      devInteractions: off,
      dPoP: off,
      userinfo: off,
      rpInitiatedLogout: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: off,
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        // Another app's token is neither shown nor revoked (bad input L187).
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    routes: {
      authorization: OAUTH_PATHS.authorize,
      token: OAUTH_PATHS.token,
      revocation: OAUTH_PATHS.revoke,
    },
    responseTypes: ['code'],
    scopes: [...SCOPES],
    claims: {},
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // The library requires a key, though nothing is ever signed: there are no ID tokens.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
    cookies: {
      keys: [...source.secrets.everySignature('oauth cookies')],
      names: { session: 'platen_session', interaction: 'platen_waiting', resume: 'platen_resume' },
      long: cookie,
      short: cookie,
    },
    ttl: {
      AccessToken: SECONDS.accessToken,
      ClientCredentials: SECONDS.accessToken,
      RefreshToken: SECONDS.refreshToken,
      AuthorizationCode: SECONDS.authorizationCode,
      Interaction: SECONDS.interaction,
      Session: SECONDS.session,
      Grant: SECONDS.refreshToken,
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 0,
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    expiresWithSession: async () => false,
    // Every request needs its own consent: only what this request was allowed counts.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    renderError: async (ctx, out) => {
      ctx.body = out;
    },
  };
}

/**
 * Gives tokens the form of all our secrets.
 * An app's secret is compared by its hash, which is all that is stored.
 */
function useOwnSecretForms(provider: Provider): void {
  for (const [model, prefix] of [
    [provider.AccessToken, 'oat_'],
    [provider.ClientCredentials, 'oat_'],
    [provider.RefreshToken, 'ort_'],
  ] as const) {
    const { generateTokenId } = model.prototype;
    model.prototype.generateTokenId = function generate() {
      // Called for what it also records on the token.
      generateTokenId.call(this);
      return newToken(prefix);
    };
  }
  provider.Client.prototype.compareClientSecret = function compare(given) {
    const expected = Buffer.from(this.clientSecret ?? '', 'hex');
    const actual = hashToken(given);
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  };
}

/**
 * The requested scopes, or all that the app is registered with.
 * Throws for a scope that the app lacks (bad input L186).
 */
function grantableScope(
  client: Client,
  scope: unknown,
  InvalidScope: new (description: string, scope: string) => Error,
): string {
  const registered = client.scope ?? '';
  if (typeof scope !== 'string') return registered;
  const allowed = new Set(registered.split(' '));
  const beyond = scope.split(' ').find((name) => !allowed.has(name));
  if (beyond === undefined) return scope;
  throw new InvalidScope('a scope is unknown, or the app is not registered with it', beyond);
}

function pendingPath(_ctx: unknown, interaction: Interaction): string {
  return `${OAUTH_PATHS.consent}/${interaction.uid}`;
}

/**
 * Runs statements one after another, as a connection needs.
 * Reports each failure, which the library may swallow.
 */
function sequential(tx: Db, onFailure: (error: unknown) => void): Db {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run);
    last = next.catch(onFailure);
    return next;
  };
  return {
    all: (what, values) => inTurn(() => tx.all(what, values)),
    one: (what, values) => inTurn(() => tx.one(what, values)),
    afterCommit: tx.afterCommit,
  };
}

function ownPaths(oauthResponse: OAuthResponse, origin: URL): OAuthResponse {
  return oauthResponse.location === undefined
    ? oauthResponse
    : { ...oauthResponse, location: ownPath(oauthResponse.location, origin) };
}

/**
 * Within the flow a browser stays on the host that it used, which has its cookies.
 * Other origins' addresses stay as they are.
 */
function ownPath(location: string, origin: URL): string {
  return location.startsWith(`${origin.origin}${OAUTH_PATHS.authorize}/`)
    ? location.slice(origin.origin.length)
    : location;
}
