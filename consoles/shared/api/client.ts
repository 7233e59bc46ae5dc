import { OPERATIONS, type Operations } from '../../../sdk/src/generated.ts';
import { NoAnswer, problemOf, Refused } from './failures.ts';
import { OPERATIONS as PORTAL_OPERATIONS, type Operations as PortalOperations } from './portal-operations.ts';

type All = Operations & PortalOperations;
export type OperationId = keyof All;
/** What an operation takes. */
export type Input<Id extends OperationId> = All[Id]['input'];
/** The body of an operation's success. */
export type Reply<Id extends OperationId> = All[Id]['reply'];

type Place = { readonly method: string; readonly path: string };
const PLACES: Readonly<Record<OperationId, Place>> = {
  ...under('/api/v1', OPERATIONS),
  ...under('/portal/api/v1', PORTAL_OPERATIONS),
};

/** Longer than the service takes for anything: placing an order fetches its artwork for up to a minute. */
const TIMEOUT_MS = 90_000;

/** What the calls of this page share. The token is in no storage: a script of another page cannot read it. */
const shared: {
  csrfToken: string | undefined;
  aheadMs: number;
  onSignedOut: Ask | undefined;
  onProofNeeded: Ask | undefined;
} = { csrfToken: undefined, aheadMs: 0, onSignedOut: undefined, onProofNeeded: undefined };

/** Asks the person for the password. */
type Ask = () => Promise<'signed in' | 'given up'>;

/** Takes the token that unsafe calls are sent with from now on. */
export function keepCsrfToken(session: { readonly csrf_token: string } | undefined): void {
  shared.csrfToken = session?.csrf_token;
}

/** Sets what a call waits for when the session has ended: it is sent again once the person has signed in. */
export function whenSignedOut(ask: Ask | undefined): void {
  shared.onSignedOut = ask;
}

/** Sets what a call waits for when the password was given too long ago: it is sent again once it was given anew. */
export function whenProofNeeded(ask: Ask | undefined): void {
  shared.onProofNeeded = ask;
}

/** The service's time in milliseconds: deadlines do not follow a clock that is wrong here. */
export function serviceNowMs(): number {
  return Date.now() + shared.aheadMs;
}

/**
 * Calls an operation of the documents. Throws `Refused` with the service's words, and `NoAnswer` when none came.
 * A call that finds the session over, or the password given too long ago, waits for the person and is sent a second time.
 */
export async function call<Id extends OperationId>(id: Id, input: Input<Id>, signal?: AbortSignal): Promise<Reply<Id>> {
  const text = await (await answerOf(id, input, 'application/json', signal)).text().catch(lost);
  // The one border at which the service is believed to send what its documents say.
  return (text === '' ? undefined : JSON.parse(text)) as Reply<Id>;
}

/** As `call`, of a change that is made once for a key, however often it is sent. */
export async function callOnce<Id extends OperationId>(id: Id, input: Input<Id>, key: string): Promise<Reply<Id>> {
  const answer = await answerOf(id, input, 'application/json', undefined, { 'idempotency-key': key });
  // As above: the service sends what its documents say.
  return JSON.parse(await answer.text().catch(lost)) as Reply<Id>;
}

/** Fetches a document, such as a PDF. Throws as `call` does. */
export async function fetchFile<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  mediaType: string,
  signal?: AbortSignal,
): Promise<Blob> {
  return (await answerOf(id, input, mediaType, signal)).blob().catch(lost);
}

/** Fetches a document, such as a PDF, and has the browser keep it under a name. Throws as `call` does. */
export async function download<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  { mediaType, name }: { mediaType: string; name: string },
): Promise<void> {
  const file = await fetchFile(id, input, mediaType);
  const url = URL.createObjectURL(file);
  keepAs(name, url);
  // The browser has taken the file over by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Has the browser keep a whole list as CSV under a name. It streams the file by itself, however long that takes.
 * Throws as `call` does: a link shows no refusal, so one record is read before.
 */
export async function saveList<Id extends OperationId>(id: Id, input: Input<Id>, name: string): Promise<void> {
  const { query, ...rest } = input as Loose;
  await (await answerOf(id, { ...rest, query: { ...query, limit: 1 } } as Input<Id>, 'application/json')).text();
  keepAs(name, addressOf(id, { ...rest, query: { ...query, format: 'csv' } }));
}

function keepAs(name: string, url: string): void {
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
}

/** The address of a file that the browser fetches by itself, however long it takes: a link, not a call. */
export function addressOfFile<Id extends OperationId>(id: Id, input: Input<Id>): string {
  return addressOf(id, input as Loose);
}

type Loose = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
};

/** Sends a call, and once more where the session had ended and has begun again. */
async function answerOf<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  mediaType: string,
  signal?: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  try {
    return await send(id, input, mediaType, headers, signal);
  } catch (error) {
    if (!(error instanceof Refused) || !(await isWorthRepeating(id, error))) throw error;
    return await send(id, input, mediaType, headers, signal);
  }
}

async function send<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  mediaType: string,
  more: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const { method } = PLACES[id];
  const { body } = input as Loose;
  const answer = await fetch(addressOf(id, input as Loose), {
    method,
    signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
    credentials: 'same-origin',
    redirect: 'error',
    headers: {
      accept: mediaType,
      ...more,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'GET' || shared.csrfToken === undefined ? {} : { 'x-platen-csrf': shared.csrfToken }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    return lost();
  });
  keepTime(answer);
  if (!answer.ok) throw new Refused(problemOf(answer, await answer.text().catch(lost)));
  return answer;
}

function lost(): never {
  throw new NoAnswer();
}

function addressOf(id: OperationId, { path = {}, query = {} }: Loose): string {
  const filled = PLACES[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(path[name])));
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}

function keepTime(answer: Response): void {
  const sentMs = Date.parse(answer.headers.get('date') ?? '');
  // The header has whole seconds; half of one is its middle.
  if (!Number.isNaN(sentMs)) shared.aheadMs = sentMs + 500 - Date.now();
}

/** Operations that ask who the person is, so that a refusal of theirs means nothing else. */
const ABOUT_SIGNING_IN: ReadonlySet<string> = new Set([
  ...['signIn', 'getSession', 'signOut', 'proveSession'],
  ...['readLink', 'acceptLink'],
]);

async function isWorthRepeating(id: OperationId, { problem }: Refused): Promise<boolean> {
  if (ABOUT_SIGNING_IN.has(id)) return false;
  if (problem.code === 'unauthorized') return (await shared.onSignedOut?.()) === 'signed in';
  if (problem.code === 'proof_required') return (await shared.onProofNeeded?.()) === 'signed in';
  if (problem.code !== 'csrf_refused') return false;
  // Another tab has signed in anew; its session has a token of its own.
  const session = await call('getSession', {}).catch(() => undefined);
  const isNew = session !== undefined && session.csrf_token !== shared.csrfToken;
  if (isNew) keepCsrfToken(session);
  return isNew;
}

function under<Places extends Readonly<Record<string, Place>>>(prefix: string, places: Places): Places {
  return Object.fromEntries(
    Object.entries(places).map(([id, { method, path }]) => [id, { method, path: prefix + path }]),
  ) as Places;
}
