import assert from 'node:assert/strict';
import type { Session } from '../../src/accounts/portal/schema.ts';
import type { PersonRole } from '../../src/lib/caller.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { checkAnswer, checkPortalAnswer } from './contract.ts';
import { openPerson, PASSWORD, type Person } from './oauth.ts';
import type { Answer, ErrorReply, TestService } from './service.ts';

// The portal as a page of it speaks to the service: with a cookie, an origin and a token against forgery.

export { PASSWORD } from './oauth.ts';

/** What a request is sent with. Undefined takes a header away. */
export type Sent = {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
};

/** The name of the cookie where the service is reached by http. */
export const COOKIE = 'platen_session';

/** A JSON request to a whole path. What comes from below `/portal/api/v1` is held to its document. */
export async function call<Body = ErrorReply>(
  service: Pick<TestService, 'url'>,
  method: string,
  path: string,
  { body, headers = {} }: Sent = {},
): Promise<Answer<Body>> {
  const given = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const sent = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const response = await fetch(service.url + path, {
    method,
    headers: Object.fromEntries(sent),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const seen = { status: response.status, headers: response.headers, text };
  if (path.startsWith('/portal/api/v1')) checkPortalAnswer(method, path.slice('/portal/api/v1'.length), seen);
  return { ...seen, body: (text === '' ? undefined : JSON.parse(text)) as Body };
}

/** A person who is signed in, in one browser. */
export type PortalClient = {
  readonly person: Person;
  readonly service: TestService;
  /** The secret in the cookie. */
  readonly secret: string;
  readonly session: Session;
  /** A request below `/portal/api/v1`, with all that a page of ours sends. */
  readonly request: <Body = ErrorReply>(method: string, path: string, sent?: Sent) => Promise<Answer<Body>>;
  /** As `request`, below `/api/v1`. */
  readonly api: <Body = ErrorReply>(method: string, path: string, sent?: Sent) => Promise<Answer<Body>>;
  /** The same browser at another node. */
  readonly at: (node: TestService) => PortalClient;
};

/** Signs in; the answer as it comes. */
export async function signIn(
  service: Pick<TestService, 'url'>,
  body: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer<Session & Partial<Pick<ErrorReply, 'code' | 'detail'>>>> {
  return call(service, 'POST', '/portal/api/v1/session', { body, headers: { origin: service.url, ...headers } });
}

/** The secret that an answer sets as a cookie. */
export function secretOf(answer: { readonly headers: Headers }): string {
  const [line = ''] = answer.headers.getSetCookie();
  return /^platen_session=([^;]*)/.exec(line)?.[1] ?? '';
}

/** Signs a person in. */
export async function openPortal(service: TestService, person: Person, more: object = {}): Promise<PortalClient> {
  const answer = await signIn(service, { email: person.email, password: PASSWORD, ...more });
  assert.equal(answer.status, 201, answer.text);
  return clientOf(service, person, secretOf(answer), answer.body);
}

/** Signs a new person of a role in. */
export async function openRole(
  service: TestService,
  role: PersonRole,
  accountId: Uuid = service.customer.accountId,
): Promise<PortalClient> {
  return openPortal(service, await openPerson(service, accountId, role));
}

function clientOf(service: TestService, person: Person, secret: string, session: Session): PortalClient {
  const ask =
    (prefix: string) =>
    <Body = ErrorReply>(method: string, path: string, { body, headers = {} }: Sent = {}): Promise<Answer<Body>> =>
      call<Body>(service, method, prefix + path, {
        body,
        headers: {
          cookie: `${COOKIE}=${secret}`,
          ...(method === 'GET' ? {} : { origin: service.url, 'x-platen-csrf': session.csrf_token }),
          ...headers,
        },
      });
  const checked = async <Body = ErrorReply>(method: string, path: string, sent?: Sent): Promise<Answer<Body>> => {
    const answer = await ask('/api/v1')<Body>(method, path, sent);
    // A refusal of sessions alone is in the document of the portal.
    if (!/"code":"csrf_refused"|"required_roles":/.test(answer.text)) checkAnswer(method, path, answer);
    return answer;
  };
  const at = (node: TestService): PortalClient => clientOf(node, person, secret, session);
  return { person, service, secret, session, request: ask('/portal/api/v1'), api: checked, at };
}

/** Makes the last proof of a session too old for what asks for the password again. */
export async function pastProof(service: TestService, { person }: PortalClient): Promise<void> {
  const text = "update portal_session set proven_at = proven_at - interval '15 minutes' where user_id = $1";
  await service.ctx.database.all({ name: 'test_past_proof', text }, [person.id]);
}
