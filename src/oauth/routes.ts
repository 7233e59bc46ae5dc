import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import { ipKey } from '../http/rate-limit.ts';
import { sendJson } from '../http/request-state.ts';
import { answerQuestion, type ConsentContext, type PageResult, showQuestion } from './consent.ts';
import type { OAuthRequest, OAuthResponse } from './exchange.ts';
import { type Library, type LibrarySource, openLibrary, REQUESTED_SCOPE } from './library.ts';
import { serverMetadata } from './metadata.ts';
import { errorPage, type HtmlPage } from './pages.ts';
import { type OauthRefusal, readForm, readRevokeForm, readTokenForm } from './read-form.ts';

type OauthContext = ConsentContext & LibrarySource;

/**
 * The parameters of an authorization request that the library gets.
 * All others are ignored (RFC 6749 3.1).
 */
const AUTHORIZE_PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
];

/**
 * Mounts OAuth 2.0 (spec 5.6; decisions, "OAuth").
 * Authorization, token and revocation endpoints, the metadata, and the page where people sign in and
 * consent. The library is loaded with the first request that needs it; after a failure the next
 * request tries again.
 */
export function mountOauth(app: FastifyInstance, ctx: OauthContext): void {
  let opened: Promise<Library> | undefined;
  const library = (): Promise<Library> => {
    opened ??= openLibrary(ctx).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  app.get(OAUTH_PATHS.metadata, async (_request, reply) => {
    sendJson(reply, { status: 200, text: JSON.stringify(serverMetadata(ctx.config.baseUrl)) });
  });

  app.get(OAUTH_PATHS.authorize, async (request, reply) => {
    const path = `${OAUTH_PATHS.authorize}?${knownQuery(request).toString()}`;
    return sendToBrowser(reply, await (await library()).handle({ ...browserRequest(request), path }));
  });
  // Where the library continues a request that waited for a person.
  app.get<{ Params: { uid: string } }>(`${OAUTH_PATHS.authorize}/:uid`, async (request, reply) => {
    const path = `${OAUTH_PATHS.authorize}/${encodeURIComponent(request.params.uid)}`;
    return sendToBrowser(reply, await (await library()).handle({ ...browserRequest(request), path }));
  });

  app.get<{ Params: { uid: string } }>(`${OAUTH_PATHS.consent}/:uid`, async (request, reply) =>
    sendPageResult(reply, await showQuestion(ctx, await library(), browserRequest(request), request.params.uid)),
  );
  app.post<{ Params: { uid: string } }>(`${OAUTH_PATHS.consent}/:uid`, async (request, reply) => {
    const form = await readForm(request.raw);
    if ('error' in form) return sendPage(reply, form.status, refusalPage(form));
    const input = {
      oauthRequest: browserRequest(request),
      uid: request.params.uid,
      form,
      ipKey: ipKey(request.ip) ?? 'unknown',
    };
    return sendPageResult(reply, await answerQuestion(ctx, await library(), input));
  });

  for (const [path, read] of [
    [OAUTH_PATHS.token, readTokenForm],
    [OAUTH_PATHS.revoke, readRevokeForm],
  ] as const) {
    app.post(path, async (request, reply) => {
      const form = await readForm(request.raw);
      const { authorization } = request.headers;
      const picked = 'error' in form ? form : read(form, authorization);
      if ('error' in picked) return sendRefusal(reply, picked, ctx.config.baseUrl);
      const oauthRequest: OAuthRequest = { method: 'POST', path, authorization, form: picked.form };
      return sendToClient(reply, await (await library()).handle(oauthRequest), ctx.config.baseUrl);
    });
  }
}

function browserRequest(request: FastifyRequest): OAuthRequest {
  return { method: 'GET', path: OAUTH_PATHS.authorize, cookie: request.headers.cookie };
}

/** The known parameters, each as often as it is given. The library refuses one that is given twice. */
function knownQuery(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '';
  const given = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const known = new URLSearchParams([...given].filter(([name]) => AUTHORIZE_PARAMETERS.includes(name)));
  const scope = known.get('scope');
  if (scope !== null) known.set(REQUESTED_SCOPE, scope);
  return known;
}

/**
 * Sends a redirect as it is, and an error as a page.
 * Such an error must not go to the redirect address of the request.
 */
function sendToBrowser(reply: FastifyReply, oauthResponse: OAuthResponse): FastifyReply {
  if (oauthResponse.cookies.length > 0) reply.header('set-cookie', [...oauthResponse.cookies]);
  if (oauthResponse.location !== undefined) return redirect(reply, oauthResponse.location);
  return sendPage(reply, oauthResponse.status, refusalPage(oauthResponse.body));
}

function refusalPage(refusal: unknown): HtmlPage {
  const { error, error_description: description } = described(refusal);
  return errorPage({
    title: 'This request cannot be answered',
    text: 'The app sent a request that Platen cannot accept. Nothing was allowed. Go back to the app, and contact its developer if it happens again.',
    code: `${String(error)}: ${String(description)}`,
  });
}

function sendPageResult(reply: FastifyReply, result: PageResult): FastifyReply {
  if (result.kind === 'go') return redirect(reply, result.path);
  if (result.retryAfterSeconds !== undefined) reply.header('retry-after', String(result.retryAfterSeconds));
  return sendPage(reply, result.status, result.page);
}

function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .code(303)
    .headers({ location, ...IN_A_POPUP })
    .send();
}

function sendPage(reply: FastifyReply, status: number, page: HtmlPage): FastifyReply {
  return reply
    .code(status)
    .headers({ ...page.headers, ...IN_A_POPUP })
    .send(page.html);
}

/** An app may open these pages in a window and wait for its end; `same-origin` would separate the two. */
const IN_A_POPUP = { 'cross-origin-opener-policy': 'unsafe-none' };

/** Tokens must not be stored by any cache (RFC 6749 5.1). */
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' };

function sendRefusal(reply: FastifyReply, refusal: OauthRefusal, realm: string): void {
  const { status, ...body } = refusal;
  sendToClient(reply, { status, location: undefined, cookies: [], challenge: undefined, body }, realm);
}

/** For errors that the library only names. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  invalid_grant:
    'The code or refresh token is unknown, expired, revoked or used, or belongs to another app, redirect_uri or code_verifier. Send the person to the authorization endpoint again.',
  invalid_client: 'The client is unknown, or its secret is missing or wrong.',
};

function sendToClient(reply: FastifyReply, oauthResponse: OAuthResponse, realm: string): void {
  const { status } = oauthResponse;
  // RFC 9110 15.5.2 requires a challenge with each 401, whichever way the client tried to authenticate.
  const challenge = oauthResponse.challenge ?? `Basic realm="${realm}"`;
  const headers = { ...NO_STORE, ...(status === 401 ? { 'www-authenticate': challenge } : {}) };
  const text = oauthResponse.body === '' ? undefined : JSON.stringify(described(oauthResponse.body));
  sendJson(reply, { status, headers, text });
}

/** The library's answer; a refusal also gets a description. */
function described(body: unknown): Readonly<Record<string, unknown>> {
  const members: Readonly<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {};
  const description = DESCRIPTIONS[String(members.error)];
  return description === undefined ? members : { ...members, error_description: description };
}
