import { setTimeout as delay } from 'node:timers/promises';
import {
  type Client,
  createClient,
  isPlatenError,
  PlatenConnectionError,
  type PlatenEvent,
} from '../../sdk/src/index.ts';
import { readConfig } from '../lib/config.ts';
import { messageOf } from '../lib/error-message.ts';
import { newId, publicId } from '../lib/ids.ts';
import { type LoopbackResult, postToLoopback } from '../lib/outbound/loopback.ts';
import { newSigningSecret, signedHeaders } from '../webhooks/sign.ts';
import { oneLine, UsageError } from './report.ts';

export type ListenOptions = {
  readonly token: string;
  readonly baseUrl?: string;
  readonly forwardTo: URL;
  /** All events when left out. */
  readonly events?: readonly string[];
  /** Made for this run when left out. */
  readonly secret?: string;
  readonly json?: boolean;
};

/** How often the log is polled; a token may make ten times as many requests. */
const POLL_MS = 1_000;
/**
 * The longest wait before a retry while the service cannot be reached.
 * Waits double, beginning with that of a poll.
 */
const RETRY_WAIT_MAX_MS = 10_000;
/** The longest `Retry-After` that is followed: a minute is the longest window of the service's limits. */
const RETRY_AFTER_MAX_MS = 60_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** As for a real attempt (spec 6.6; decisions, "Attempts"). */
const ATTEMPT_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** Waits before retries while a local server restarts; then the event is skipped. */
const LOCAL_RETRY_WAITS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Runs `platen listen`: forwards every new event to a server on this machine, until Ctrl-C.
 * Signs as a delivery is signed. Reads the log of events over HTTP as any customer could, carries on after restarts of
 * either side, and changes nothing at the service. An event is forwarded once; only a failed connection is retried, for
 * half a minute. Throws when the service refuses the token.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const baseUrl = options.baseUrl ?? readConfig().baseUrl;
  const client = openClient(options.token, baseUrl);
  const secret = options.secret ?? newSigningSecret();
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  const screen = options.json === true ? scriptScreen : personScreen;
  const session = { client, screen, signal: stop.signal };
  try {
    const start = await retryUntilReached(session, () => client.account.balance({ signal: stop.signal }));
    screen.started({ ...options, baseUrl, secret, accountId: start.account_id });
    const subscriptionId = publicId('whk', newId());
    for await (const event of follow(session, start.as_of, options.events)) {
      const startedMs = performance.now();
      const result = await forward(session, options.forwardTo, { event, secret, subscriptionId });
      screen.forwarded(event, result, Math.round(performance.now() - startedMs));
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
}

/** Makes a client without retries of its own, since retries here are reported. */
function openClient(token: string, baseUrl: string): Client {
  try {
    return createClient({ token, baseUrl, retries: 0, timeoutMs: REQUEST_TIMEOUT_MS });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

type Session = {
  readonly client: Client;
  readonly screen: Screen;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
};

/** Yields every event since a time, each once. Ends when the signal aborts, by throwing its reason. */
async function* follow(
  session: Session,
  since: string,
  events: readonly string[] | undefined,
): AsyncGenerator<PlatenEvent, never, undefined> {
  const { client, signal } = session;
  const wanted = events === undefined ? {} : { event: events.join(',') };
  let cursor: string | undefined;
  for (;;) {
    const from = cursor === undefined ? { since } : { cursor };
    const page = await retryUntilReached(session, () =>
      client.events.list({ ...from, ...wanted, limit: 100 }, { signal }),
    );
    for (const event of page.data) {
      yield event;
      cursor = event.id;
    }
    if (!page.has_more) await delay(POLL_MS, undefined, { signal });
  }
}

/**
 * Retries a request until the service answers.
 * Reports once that it does not, and once that it does again.
 */
async function retryUntilReached<Answer>({ screen, signal }: Session, ask: () => Promise<Answer>): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      const answer = await ask();
      if (failures > 0) screen.notify('The service answers again.');
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      if (failures === 0) {
        const why = oneLine(messageOf(error));
        screen.notify(`The service cannot be reached, trying again until it can: ${why}`);
      }
      const askedMs = isPlatenError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      const backoffMs = Math.min(RETRY_WAIT_MAX_MS, POLL_MS * 2 ** failures);
      await delay(Math.min(RETRY_AFTER_MAX_MS, Math.max(askedMs, backoffMs)), undefined, { signal });
    }
  }
}

/**
 * Tells whether a retry can succeed.
 * It can after a restart, a limit or a network failure; a token that is refused stays refused.
 */
function isTransient(error: unknown): boolean {
  if (isPlatenError(error)) return error.status === 429 || error.status >= 500;
  return error instanceof PlatenConnectionError;
}

/** Posts one event to the local server, with the headers and signature of an attempt (spec 6.4, 6.5). */
async function forward(
  { screen, signal }: Session,
  url: URL,
  delivery: { readonly event: PlatenEvent; readonly secret: string; readonly subscriptionId: string },
): Promise<LoopbackResult> {
  const { event, secret, subscriptionId } = delivery;
  const body = Buffer.from(JSON.stringify(event));
  const deliveryId = publicId('dlv', newId());
  for (let attempt = 0; ; attempt += 1) {
    const about = { event: event.event, eventId: event.id, subscriptionId, deliveryId, at: new Date(), body };
    const headers = signedHeaders(secret, about);
    const settings = { timeoutMs: ATTEMPT_TIMEOUT_MS, answerBytesMax: ANSWER_BYTES_MAX, signal };
    const result = await postToLoopback(url, { headers, body, ...settings });
    const waitMs = LOCAL_RETRY_WAITS_MS[attempt];
    if (result.kind !== 'unreached' || waitMs === undefined) return result;
    if (attempt === 0) screen.notify(`${result.error} (${url.href}); waiting for it.`);
    await delay(waitMs, undefined, { signal });
  }
}

type Started = Omit<ListenOptions, 'token'> & {
  readonly baseUrl: string;
  readonly secret: string;
  readonly accountId: string;
};

type Screen = {
  readonly started: (started: Started) => void;
  readonly forwarded: (event: PlatenEvent, result: LoopbackResult, ms: number) => void;
  /** Reports what a person wants to know besides the events, on standard error. */
  readonly notify: (line: string) => void;
};

const personScreen: Screen = {
  started: ({ accountId, baseUrl, forwardTo, events, secret }) => {
    print(`Listening to ${events?.join(', ') ?? 'all events'} of ${accountId} at ${baseUrl}. Stop with Ctrl-C.`);
    print(`Forwarding to  ${forwardTo.href}`);
    print(`Signing secret ${secret}`);
  },
  forwarded: (event, result, ms) => {
    const time = new Date().toISOString().slice(11, 19);
    const outcome = result.kind === 'answered' ? `${result.status} in ${ms} ms` : `not delivered: ${result.error}`;
    print(`${time}  ${event.event.padEnd(22)}  ${event.data.reference}  ${event.id}  ${outcome}`);
  },
  notify: (line) => process.stderr.write(`platen: ${line}\n`),
};

/** For scripts: one JSON object a line. The first has the secret that signs the others. */
const scriptScreen: Screen = {
  started: ({ accountId, baseUrl, forwardTo, events, secret }) => {
    print({ account_id: accountId, base_url: baseUrl, forward_to: forwardTo.href, events: events ?? [], secret });
  },
  forwarded: (event, result, ms) => {
    const outcome =
      result.kind === 'answered' ? { status: result.status, error: null } : { status: null, error: result.error };
    print({ id: event.id, event: event.event, reference: event.data.reference, ...outcome, ms });
  },
  notify: personScreen.notify,
};

function print(line: string | object): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}
