import { createHash, randomBytes } from 'node:crypto';
import { createOauthClient } from '../../src/accounts/create-oauth-client.ts';
import { createUser } from '../../src/accounts/create-user.ts';
import type { PersonRole, Scope } from '../../src/lib/caller.ts';
import { publicId, type Uuid } from '../../src/lib/ids.ts';
import type { TestService } from './service.ts';

export const REDIRECT = 'https://app.example/callback';
export const PASSWORD = 'correct horse battery';

/** An app that is registered; without a secret it is public. */
export type App = { readonly id: Uuid; readonly clientId: string; readonly secret: string | undefined };

/**
 * Registers an app of the demo account: confidential, with one redirect address and all scopes, unless told
 * otherwise.
 */
export async function openApp(
  service: TestService,
  options: {
    accountId?: Uuid;
    name?: string;
    isPublic?: boolean;
    redirectUris?: readonly string[];
    scopes?: readonly Scope[];
  } = {},
): Promise<App> {
  const { id, secret } = await createOauthClient(service.ctx, {
    accountId: options.accountId ?? service.customer.accountId,
    name: options.name ?? 'Shirt Planner',
    redirectUris: options.redirectUris ?? [REDIRECT],
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
    isConfidential: options.isPublic !== true,
  });
  return { id, clientId: publicId('client', id), secret };
}

export type Person = { readonly id: Uuid; readonly accountId: Uuid; readonly email: string };

let people = 0;

/** Adds a person who may sign in, with the password of all persons here. */
export async function openPerson(
  service: TestService,
  accountId = service.customer.accountId,
  role: PersonRole = 'owner',
): Promise<Person> {
  people += 1;
  const { id, email } = await createUser(service.ctx, {
    accountId,
    email: `ada.${people}@example.com`,
    password: PASSWORD,
    role,
  });
  return { id, accountId, email };
}

export type Visit = { readonly status: number; readonly headers: Headers; readonly text: string };

/** A browser as far as it matters here: it keeps cookies by path, and shows each answer instead of following it. */
export type Browser = {
  readonly get: (path: string) => Promise<Visit>;
  readonly post: (path: string, form: Record<string, string>) => Promise<Visit>;
  /** As it stands: names and what the service has said of them. */
  readonly cookies: () => readonly { readonly name: string; readonly line: string }[];
};

export function openBrowser(service: TestService): Browser {
  const jar = new Map<string, { name: string; value: string; path: string; line: string }>();
  const keep = (headers: Headers): void => {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf('='));
      const path = attributes.find((part) => part.startsWith('path='))?.slice('path='.length) ?? '/';
      const key = `${name} ${path}`;
      if (line.includes('expires=Thu, 01 Jan 1970')) jar.delete(key);
      else jar.set(key, { name, value: pair.slice(pair.indexOf('=') + 1), path, line });
    }
  };
  const visit = async (path: string, init: RequestInit): Promise<Visit> => {
    const cookie = [...jar.values()]
      .filter((entry) => path === entry.path || path.startsWith(entry.path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(service.url + path, { ...init, headers, redirect: 'manual' });
    keep(response.headers);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return {
    get: (path) => visit(path, {}),
    post: (path, form) => visit(path, { method: 'POST', body: new URLSearchParams(form) }),
    cookies: () => [...jar.values()],
  };
}

export const VERIFIER = randomBytes(32).toString('base64url');
export const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

/** The path that an app sends a browser to; undefined leaves a parameter out. */
export function authorizePath(app: App, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: REDIRECT,
    scope: 'orders:read',
    state: 'state of the app',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return `/api/v1/oauth/authorize?${query.toString()}`;
}

/** The value of the field that proves where a form comes from. */
export function proofOf(page: Visit): string {
  return /name="proof" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
}

/** Where an answer sends the browser, as a path of the service or a whole address. */
export function nextOf(visit: Visit): string {
  return visit.headers.get('location') ?? `no redirect but ${visit.status}: ${visit.text}`;
}

/** From the app's address to the page that asks for something, signed in or not. Returns that page and its path. */
export async function reachPage(browser: Browser, path: string): Promise<{ path: string; page: Visit }> {
  let at = path;
  for (let hops = 0; hops < 5; hops += 1) {
    const visit = await browser.get(at);
    if (visit.status !== 303) return { path: at, page: visit };
    at = nextOf(visit);
    if (!at.startsWith('/')) return { path: at, page: visit };
  }
  throw new Error(`redirected for ever: ${at}`);
}

/** Signs a person in on the page that waits, up to the page that follows. */
export async function signInOn(
  browser: Browser,
  waiting: { path: string; page: Visit },
  person: { email: string; password?: string; code?: string },
): Promise<{ path: string; page: Visit }> {
  const form = {
    proof: proofOf(waiting.page),
    action: 'sign_in',
    email: person.email,
    password: person.password ?? PASSWORD,
    ...(person.code === undefined ? {} : { code: person.code }),
  };
  const answered = await browser.post(waiting.path, form);
  return answered.status === 303 ? reachPage(browser, nextOf(answered)) : { path: waiting.path, page: answered };
}

/** Answers the consent page and goes on until the browser is sent away: the address of the app that it is sent to. */
export async function decideOn(
  browser: Browser,
  waiting: { path: string; page: Visit },
  action: 'approve' | 'deny',
): Promise<URL> {
  const answered = await browser.post(waiting.path, { proof: proofOf(waiting.page), action });
  const { path } = await reachPage(browser, nextOf(answered));
  return new URL(path);
}

/** The whole way of a person who allows an app what it asks for: the code. */
export async function obtainCode(
  service: TestService,
  app: App,
  person: Person,
  changes: Record<string, string | undefined> = {},
): Promise<string> {
  const browser = openBrowser(service);
  const signIn = await reachPage(browser, authorizePath(app, changes));
  const sent = await decideOn(browser, await signInOn(browser, signIn, person), 'approve');
  const code = sent.searchParams.get('code');
  if (code === null) throw new Error(`no code in ${sent.href}`);
  return code;
}

export type TokenReply = {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  readonly error: string;
  readonly error_description: string;
};

export type TokenAnswer = { readonly status: number; readonly headers: Headers; readonly body: TokenReply };

/** A form to one of the endpoints that apps call themselves; the app's own proof is added unless the form has one. */
export async function callEndpoint(
  service: TestService,
  endpoint: 'token' | 'revoke',
  app: App | undefined,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<TokenAnswer> {
  const proof: Record<string, string> =
    app === undefined
      ? {}
      : { client_id: app.clientId, ...(app.secret === undefined ? {} : { client_secret: app.secret }) };
  const body = typeof form === 'string' ? form : new URLSearchParams({ ...proof, ...form }).toString();
  const response = await fetch(`${service.url}/api/v1/oauth/${endpoint}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as TokenReply,
  };
}

/** Exchanges a code as the app that it was issued to. */
export function redeem(
  service: TestService,
  app: App,
  code: string,
  changes: Record<string, string> = {},
): Promise<TokenAnswer> {
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: VERIFIER, ...changes };
  return callEndpoint(service, 'token', app, form);
}

/** The whole way to tokens. */
export async function obtainTokens(
  service: TestService,
  app: App,
  person: Person,
  changes: Record<string, string | undefined> = {},
): Promise<TokenReply> {
  const { status, body } = await redeem(service, app, await obtainCode(service, app, person, changes));
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`);
  return body;
}

export function refresh(
  service: TestService,
  app: App,
  refreshToken: string,
  changes: Record<string, string> = {},
): Promise<TokenAnswer> {
  return callEndpoint(service, 'token', app, { grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });
}

/** What the API says to a bearer token. */
export async function statusWith(service: TestService, token: string, path = '/orders?limit=1'): Promise<number> {
  const response = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response.status;
}
