import { PlatenConnectionError, type PlatenError, readError } from './errors.ts';
import { OPERATIONS, type Operations } from './generated.ts';
import { isWorthRepeating, type Outcome, type Repeat, readRetryAfter, retryWaitMs } from './retry.ts';
import { checkToken, type Fetch, type Request, sendAuthorised, type TokenSource } from './send.ts';

export type ClientOptions = {
  /** `pat_live_…`, or a function that gives the access token of the moment. */
  readonly token: string | TokenSource;
  /** Where the service is, such as `https://print.example`; with or without `/api/v1`. */
  readonly baseUrl: string;
  /** In place of the `fetch` of the runtime. */
  readonly fetch?: Fetch | undefined;
  /**
   * For each attempt, up to 600,000; 90,000 when left out, since placing an order fetches its artwork for up to a
   * minute.
   */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent again where that can help, up to 10; 3 when left out, 0 for never. */
  readonly retries?: number | undefined;
};

/** What can be said of a single call. */
export type CallOptions = {
  /** Ends the call, whatever it is doing; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
};

export type OperationId = keyof Operations;
/** The body of an operation's success. */
export type Reply<Id extends OperationId> = Operations[Id]['reply'];
/** The body that an operation takes. */
export type Body<Id extends OperationId> = Operations[Id]['input'] extends { body: infer Value } ? Value : never;
/** The query parameters that an operation takes. */
export type Query<Id extends OperationId> = Operations[Id]['input'] extends { query?: infer Value }
  ? NonNullable<Value>
  : never;

/** A success. */
export type Answer<Value> = {
  readonly value: Value;
  readonly headers: { get(name: string): string | null };
};

/** What a call says beside the input of its operation. */
export type CallSettings = CallOptions & {
  /** The idempotency key of an order to be placed, for the errors to carry. */
  readonly externalReference?: string;
};

export type Call = <Id extends OperationId>(
  id: Id,
  input: Operations[Id]['input'],
  settings?: CallSettings,
) => Promise<Answer<Reply<Id>>>;

const TIMEOUT_MS = 90_000;
const TIMEOUT_MAX_MS = 600_000;
const RETRIES = 3;
const RETRIES_MAX = 10;

/** Chance and waiting, which tests replace. */
export type Outside = {
  readonly random: () => number;
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
};

/**
 * Makes the one function that all operations go through: it sends a request, and sends it again where that can help
 * and does no harm. Throws `PlatenError` when the service refuses, `PlatenConnectionError` when no answer came, and
 * the reason of the caller's signal. Options that cannot work are a TypeError at once.
 */
export function createCall(options: ClientOptions, outside: Outside = { random: Math.random, wait }): Call {
  const base = readBaseUrl(options.baseUrl);
  const defaults = {
    timeoutMs: bounded('timeoutMs', options.timeoutMs ?? TIMEOUT_MS, 1, TIMEOUT_MAX_MS),
    retries: bounded('retries', options.retries ?? RETRIES, 0, RETRIES_MAX),
  };
  const { token } = options;
  const source: TokenSource = typeof token === 'function' ? token : () => token;
  if (typeof token !== 'function') checkToken(token);
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  return async <Id extends OperationId>(id: Id, input: Operations[Id]['input'], settings: CallSettings = {}) => {
    const request: Request = {
      ...requestOf(base, id, input),
      timeoutMs: bounded('timeoutMs', settings.timeoutMs ?? defaults.timeoutMs, 1, TIMEOUT_MAX_MS),
      signal: settings.signal,
    };
    const repeat = repeatOf(id);
    const retries = bounded('retries', settings.retries ?? defaults.retries, 0, RETRIES_MAX);
    let lostAnswers = 0;
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await sendAuthorised(fetch, source, request);
      if (outcome.kind === 'lost') lostAnswers += 1;
      const facts = { attempts, lostAnswers, externalReference: settings.externalReference };
      if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) {
        // The one border at which the service is believed to send what its document says.
        return { value: readValue(outcome, facts) as Reply<Id>, headers: outcome.headers };
      }
      const failure = toError(outcome, request, facts);
      if (attempts > retries || !isWorthRepeating(outcome, repeat)) throw failure;
      const waitMs = retryWaitMs(attempts - 1, retryAfterOf(outcome), outside.random());
      if (waitMs === undefined) throw failure;
      await outside.wait(waitMs, settings.signal);
    }
  };
}

/** The address of the API from what the caller gave, without a slash at its end. */
function readBaseUrl(text: string): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && url.username + url.password + url.search + url.hash === '';
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new TypeError('baseUrl must be the address of the service, such as https://print.example.');
  }
  const path = url.pathname.replace(/\/+$/, '');
  return url.origin + (path.endsWith('/api/v1') ? path : `${path}/api/v1`);
}

/** The number as it is: a timer or a loop with any other would end at once, or never. */
function bounded(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}.`);
}

function requestOf(base: string, id: OperationId, input: Input): Pick<Request, 'method' | 'url' | 'text'> {
  const { method, path } = OPERATIONS[id];
  const place = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => pathSegment(name, input.path?.[name]));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) query.set(name, String(value));
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`;
  return {
    method,
    url: `${base}${place}${search}`,
    text: input.body === undefined ? undefined : JSON.stringify(input.body),
  };
}

type Input = {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
};

/** Empty and dotted segments would lead to another operation. */
function pathSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} must be an id or a reference.`);
  return encodeURIComponent(value);
}

/** POSTs that may be sent twice: reads, a cancellation, and an order, which always has its idempotency key. */
const HARMLESS_POSTS: ReadonlySet<string> = new Set([
  'placeOrder',
  'estimateOrder',
  'cancelOrder',
  'validateUploads',
  'quoteShipping',
  'quoteTax',
]);

function repeatOf(id: OperationId): Repeat {
  return OPERATIONS[id].method === 'POST' && !HARMLESS_POSTS.has(id) ? 'a second one' : 'harmless';
}

type Answered = Extract<Outcome, { kind: 'answered' }>;
type Facts = Parameters<typeof readError>[2];

function readValue(answer: Answered, facts: Facts): unknown {
  if (answer.status === 204) return undefined;
  const body = readJson(answer.bytes);
  if (body === undefined) throw readError(headOf(answer), undefined, facts);
  return body;
}

function toError(outcome: Outcome, request: Request, facts: Facts): PlatenError | PlatenConnectionError {
  if (outcome.kind === 'answered') return readError(headOf(outcome), readJson(outcome.bytes), facts);
  const { isTimeout, cause } = outcome;
  const why = isTimeout ? `within ${request.timeoutMs} ms` : `(${reasonOf(cause)})`;
  const doubt = request.method === 'GET' ? '' : ' What was asked may have been done.';
  const message = `${request.method} ${request.url}: no answer ${why}.${doubt}`;
  return new PlatenConnectionError(message, { ...facts, isTimeout, cause });
}

/** What a runtime says of a failed request; some keep the reason one error further in. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause.message : '';
  return inner === '' ? error.message : `${error.message}: ${inner}`;
}

function headOf(answer: Answered): Parameters<typeof readError>[0] {
  const requestId = answer.headers.get('x-request-id') ?? '';
  return { status: answer.status, requestId, retryAfterSeconds: retryAfterOf(answer) };
}

function retryAfterOf(outcome: Outcome): number | undefined {
  return outcome.kind === 'lost' ? undefined : readRetryAfter(outcome.headers.get('retry-after'), Date.now());
}

function readJson(bytes: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    function end(): void {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    }
    signal?.addEventListener('abort', end, { once: true });
  });
}
