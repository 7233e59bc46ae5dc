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

/** How often the log is asked for news; a token may ask ten times as often. */
const POLL_MS = 1_000;
/** After this wait the service is asked again when it could not be reached, doubling from a poll's wait. */
const TROUBLE_WAIT_MAX_MS = 10_000;
/** More is not waited for, whatever the service asks: a minute is the longest window of its limits. */
const RETRY_AFTER_MAX_MS = 60_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** As a real attempt has it (spec 6.6; decisions, "Attempts"). */
const ATTEMPT_TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 65_536;
/** A local server that is being restarted is waited for; then the event is passed over. */
const LOCAL_WAITS_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * `platen listen`: forwards every event from now on to a server on this machine, signed as a delivery is, until Ctrl-C. It reads the
 * log of events over HTTP as any customer could, goes on after restarts of either side, and changes nothing at the service.
 * An event is forwarded once; only where the connection fails is it tried again, for half a minute. Throws when the
 * service refuses the token.
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
  const world = { client, screen, signal: stop.signal };
  try {
    const start = await untilReached(world, () => client.account.balance({ signal: stop.signal }));
    screen.started({ ...options, baseUrl, secret, accountId: start.account_id });
    const subscriptionId = publicId('whk', newId());
    for await (const event of follow(world, start.as_of, options.events)) {
      const startedMs = performance.now();
      const result = await forward(world, options.forwardTo, { event, secret, subscriptionId });
      screen.forwarded(event, result, Math.round(performance.now() - startedMs));
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
  }
}

/** Retries are done here, where they can be told of. */
function openClient(token: string, baseUrl: string): Client {
  try {
    return createClient({ token, baseUrl, retries: 0, timeoutMs: REQUEST_TIMEOUT_MS });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

type World = {
  readonly client: Client;
  readonly screen: Screen;
  /** Ends at Ctrl-C. */
  readonly signal: AbortSignal;
};

/** Every event since a time, as they come, each once. Ends when the signal does, by throwing its reason. */
async function* follow(
  world: World,
  since: string,
  events: readonly string[] | undefined,
): AsyncGenerator<PlatenEvent, never, undefined> {
  const { client, signal } = world;
  const wanted = events === undefined ? {} : { event: events.join(',') };
  let cursor: string | undefined;
  for (;;) {
    const from = cursor === undefined ? { since } : { cursor };
    const page = await untilReached(world, () => client.events.list({ ...from, ...wanted, limit: 100 }, { signal }));
    for (const event of page.data) {
      yield event;
      cursor = event.id;
    }
    if (!page.has_more) await delay(POLL_MS, undefined, { signal });
  }
}

/** Asks until the service answers, and tells once when it does not and once when it does again. */
async function untilReached<Answer>({ screen, signal }: World, ask: () => Promise<Answer>): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      const answer = await ask();
      if (failures > 0) screen.told('The service answers again.');
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      if (failures === 0) {
        const why = oneLine(messageOf(error));
        screen.told(`The service cannot be asked, trying again until it can: ${why}`);
      }
      const askedMs = isPlatenError(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
      const backoffMs = Math.min(TROUBLE_WAIT_MAX_MS, POLL_MS * 2 ** failures);
      await delay(Math.min(RETRY_AFTER_MAX_MS, Math.max(askedMs, backoffMs)), undefined, { signal });
    }
  }
}

/** A restart, a limit or a network is over at some time; a token that is refused stays refused. */
function mayPass(error: unknown): boolean {
  if (isPlatenError(error)) return error.status === 429 || error.status >= 500;
  return error instanceof PlatenConnectionError;
}

/** One event to the local server, with the headers and the signature of a delivery's attempt (spec 6.4, 6.5). */
async function forward(
  { screen, signal }: World,
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
    const waitMs = LOCAL_WAITS_MS[attempt];
    if (result.kind !== 'unreached' || waitMs === undefined) return result;
    if (attempt === 0) screen.told(`${result.error} (${url.href}); waiting for it.`);
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
  /** What a person wants to know beside the events: on standard error. */
  readonly told: (line: string) => void;
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
  told: (line) => process.stderr.write(`platen: ${line}\n`),
};

/** For scripts: an object a line, the first tells what the others will be signed with. */
const scriptScreen: Screen = {
  started: ({ accountId, baseUrl, forwardTo, events, secret }) => {
    print({ account_id: accountId, base_url: baseUrl, forward_to: forwardTo.href, events: events ?? [], secret });
  },
  forwarded: (event, result, ms) => {
    const outcome =
      result.kind === 'answered' ? { status: result.status, error: null } : { status: null, error: result.error };
    print({ id: event.id, event: event.event, reference: event.data.reference, ...outcome, ms });
  },
  told: personScreen.told,
};

function print(line: string | object): void {
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
}
