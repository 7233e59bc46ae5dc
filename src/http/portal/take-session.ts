import type { FastifyRequest } from 'fastify';
import { SESSION_CHALLENGE } from '../../accounts/portal/open-session.ts';
import { readSessionCookie } from '../../accounts/portal/session-cookie.ts';
import { type Caller, PERSON_ROLES, type PersonRole, type SignedIn } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { type Authenticate, authenticateHeader } from '../authenticate.ts';

/** How sessions of the portal are known, in both APIs that take them. */
export type Sessions = {
  readonly cookieName: string;
  /** Finds the person of a session's secret. */
  readonly authenticate: Authenticate<SignedIn>;
  /** Whether a text is the CSRF token of a session. */
  readonly isCsrfToken: (sessionId: Uuid, text: string) => boolean;
  /** The origin that people reach the service at, from BASE_URL. */
  readonly baseUrl: string;
};

/**
 * Authenticates a request of the public API by its token, or without one by its session.
 * A client that sends a token means it: the cookie beside it is ignored.
 */
export async function authenticateCaller(
  request: FastifyRequest,
  authenticate: Authenticate<Caller>,
  sessions: Sessions | undefined,
): Promise<Caller> {
  const { authorization, cookie } = request.headers;
  const secret =
    authorization !== undefined || sessions === undefined ? undefined : readSessionCookie(cookie, sessions.cookieName);
  if (secret === undefined || sessions === undefined) return authenticateHeader(authorization, authenticate);
  return takePerson(request, secret, sessions);
}

/**
 * Authenticates a request of the portal by the session of its cookie.
 * Throws 401 without one, and 403 for a change that a page of another site could have sent.
 */
export async function authenticatePerson(request: FastifyRequest, sessions: Sessions): Promise<SignedIn> {
  return takePerson(request, readSessionCookie(request.headers.cookie, sessions.cookieName), sessions);
}

/** Who is signed in in a browser that another site has led here, for what that site has signed. */
export async function personOfBrowser(
  request: FastifyRequest,
  sessions: Pick<Sessions, 'cookieName' | 'authenticate'>,
): Promise<SignedIn | undefined> {
  const secret = readSessionCookie(request.headers.cookie, sessions.cookieName);
  return secret === undefined ? undefined : sessions.authenticate(secret);
}

async function takePerson(request: FastifyRequest, secret: string | undefined, sessions: Sessions): Promise<SignedIn> {
  const caller = secret === undefined ? undefined : await sessions.authenticate(secret);
  if (caller === undefined) {
    throw new ApiError('unauthorized', 'You are not signed in, or your session is over. Sign in.', {
      headers: { 'www-authenticate': SESSION_CHALLENGE },
    });
  }
  if (!isRead(request)) {
    refuseOtherOrigin(request, sessions);
    refuseWithoutToken(request, caller.person.sessionId, sessions);
  }
  return caller;
}

/** Throws 403 unless the browser says that a page of ours sent the request. */
export function refuseOtherOrigin(request: FastifyRequest, { baseUrl }: Pick<Sessions, 'baseUrl'>): void {
  const { origin, host } = request.headers;
  if (typeof origin === 'string' && isOwnOrigin(origin, { baseUrl, host })) return;
  throw new ApiError(
    'csrf_refused',
    `Send the header Origin: ${new URL(baseUrl).origin}. A page of another origin cannot do this.`,
  );
}

/** Throws 403 when a person has none of the roles that may call a route. */
export function requirePersonRole({ person }: SignedIn, roles: readonly PersonRole[]): void {
  if (roles.includes(person.role)) return;
  const required = PERSON_ROLES.filter((role) => roles.includes(role));
  throw new ApiError('insufficient_scope', `This needs the role ${required.join(' or ')}.`, {
    extras: { required_roles: required },
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}

/** RFC 9110 9.2.1: they change nothing, here neither. */
function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function refuseWithoutToken(request: FastifyRequest, sessionId: Uuid, sessions: Sessions): void {
  const given = request.headers['x-platen-csrf'];
  if (typeof given === 'string' && sessions.isCsrfToken(sessionId, given)) return;
  throw new ApiError('csrf_refused', 'Send the header X-Platen-CSRF with the csrf_token of this session.');
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether an origin is that of this service.
 * On a machine for development one may come by another of its loopback names than BASE_URL has; it must then be the
 * very address that the request goes to.
 */
function isOwnOrigin(origin: string, { baseUrl, host }: { baseUrl: string; host: string | undefined }): boolean {
  const base = new URL(baseUrl);
  if (origin === base.origin) return true;
  if (!LOOPBACK.has(base.hostname) || host === undefined || origin !== `http://${host}`) return false;
  return URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname);
}
