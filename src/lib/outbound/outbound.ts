import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { unavailable } from '../errors.ts';
import type { Asker, Owner } from '../turns/owner.ts';
import type { FetchFailureCode, Refusal } from './addresses.ts';
import { type ArtworkServer, targetOn } from './artwork-server.ts';
import { type CallOptions, type CallResult, callServer } from './call.ts';
import { exchangeKept, isReadWhole, loadLibrary } from './exchange.ts';
import { type CallProgress, explainFailure, type Failure, OutboundClosed } from './failures.ts';
import { createGate, type Gate, type GateSettings, type Reachable } from './gate.ts';
import { createKeptConnections, type KeptConnections } from './kept-connections.ts';
import { createHostQueues, HostQueueFullError, type HostQueues } from './per-host-queue.ts';
import { type FetchedFile, type FetchFailed, failed } from './receiver/fetch-once.ts';
import type { Trusted } from './receiver/messages.ts';
import { createReceiver, OfCaller, type Receiver, ReceiverLost } from './receiver/receiver.ts';
import { retryAfterOf } from './retry-after.ts';

export type OutboundSettings = GateSettings & {
  /** A certificate authority (PEM) beside those that Node.js trusts, `NODE_EXTRA_CA_CERTS` included. */
  readonly extraAuthority?: string;
  /** The server of artwork for development, asked for each download; only `npm start` has one. */
  readonly artworkServer?: () => Promise<ArtworkServer | undefined>;
  /** The drop of this machine; only `npm start` has one. */
  readonly drop?: ArtworkServer;
};

export type DownloadOptions = {
  /** Whose turn a look-up and a place at the host takes. */
  readonly owner: Owner;
  readonly maxBytes: number;
  /**
   * For everything: name look-ups, redirects, the wait for a place at the host, and the body.
   * The wait for the first look-up, five seconds at most, comes before it.
   */
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  /**
   * Makes room before the first byte of the body.
   * That is for as many bytes as the server declares, else for `maxBytes`.
   * What it throws, `download` throws.
   */
  readonly reserve?: (bytes: number, signal: AbortSignal) => Promise<void>;
  /** A file that is there and empty. When it cannot be written, `download` throws the system's error. */
  readonly path: string;
  readonly signal?: AbortSignal;
};

export type DownloadResult = FetchedFile | FetchFailed;

export type PostOptions = {
  /** Whose turn the look-up takes. */
  readonly owner: Owner;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /**
   * From its look-up to the end of the answer.
   * The wait for the look-up, five seconds at most, comes before it.
   */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  /**
   * Takes the bytes of the answer, which are thrown away where this is left out.
   * It gets none of a host of `TRUSTED_PRIVATE_HOSTS`: a caller could read the operator's own servers by it.
   */
  readonly takeAnswer?: (chunk: Uint8Array) => void;
};

export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number }
  /** The host or its name failed; `error` is for the caller. */
  | { readonly kind: 'failed'; readonly code: FetchFailureCode; readonly error: string }
  /**
   * The failure is ours, and says nothing of the host.
   * `busy` is a queue of this process that was full, and may be the owner's own. `down` concerns all calls.
   */
  | { readonly kind: 'unavailable'; readonly blame: 'busy' | 'down'; readonly reason: string };

export type Outbound = {
  /**
   * Judges a webhook target without contacting it (decisions, "Webhook target"; bad-input K 166, 178).
   *
   * The rules of every fetch hold, and beyond them no IP address may stand in place of a name (unless trusted), and no
   * name in other than its ASCII form. Throws 503 when no look-up can be made now.
   */
  readonly checkTarget: (url: string, asker: Asker) => Promise<{ readonly kind: 'ok'; readonly url: URL } | Refusal>;
  /**
   * Fetches a file from a remote host, following redirects and judging every hop anew.
   *
   * Whatever the host does is a value; its text holds nothing that the host sent and no address (spec 8; bad-input G).
   * Throws 503 when this process has no place for it, and `HostQueueFullError` when it has none at this host.
   */
  readonly download: (url: string, options: DownloadOptions) => Promise<DownloadResult>;
  /**
   * Sends one POST and follows no redirect (spec 6.4, 6.6).
   *
   * An answer counts once it has arrived whole: one that is larger than `answerBytesMax` or does not end in time is a
   * failure (bad-input K 173). A failure of ours is a value of its own
   * (docs/decisions/0029-what-counts-against-a-receiver.md).
   */
  readonly post: (url: string, options: PostOptions) => Promise<PostResult>;
  /**
   * Sends one request, and reads its answer as text; it follows no redirect.
   * The rules of every fetch hold. A customer must see nothing of an answer but what an interface of ours has read in
   * it: it may be of a host of `TRUSTED_PRIVATE_HOSTS`.
   */
  readonly call: (url: string, options: CallOptions) => Promise<CallResult>;
  /** Aborts all calls, which then fail as values, and waits for them. Nothing is contacted afterwards. */
  readonly close: () => Promise<void>;
  /** Look-ups and calls to hosts that run and that wait. */
  readonly counts: () => Readonly<Record<'lookup' | 'host', { readonly running: number; readonly waiting: number }>>;
};

const CHECK_TIMEOUT_MS = 5_000;

/** One thread for this process. It is ended when it has been idle, and does not keep the process alive. */
const receiver = createReceiver();

/**
 * Makes all outbound calls to hosts that customers name.
 *
 * Each call looks its host up anew, is refused unless every address is public or the host is trusted, and goes to
 * exactly the checked addresses. A download has a connection of its own; a POST may use one that an earlier POST of the
 * same owner to the same origin left, if its address is among those that were checked for this call. Proxy settings of
 * the environment have no effect.
 */
export function createOutbound(settings: OutboundSettings): Outbound {
  const calls: Calls = {
    gate: createGate(settings),
    queues: createHostQueues(),
    kept: createKeptConnections(),
    extraAuthority: settings.extraAuthority,
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(settings.extraAuthority === undefined
        ? {}
        : { ca: [...getCACertificates('default'), settings.extraAuthority] }),
    }),
    artworkServer: settings.artworkServer,
    drop: settings.drop,
  };
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  async function within<T>(
    timeoutMs: number,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal, start: Start) => Promise<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    if (isClosed) deadline.abort(new OutboundClosed());
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const progress: CallProgress = { phase: 'waiting' };
    let isFirst = true;
    const begun = (): void => {
      progress.phase = 'reaching';
      // The time that a queue of ours took is not the host's.
      if (isFirst) timer.refresh();
      isFirst = false;
    };
    const signal = outer === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outer]);
    const task = work(signal, { progress, begun });
    running.set(deadline, task);
    try {
      return await task;
    } finally {
      clearTimeout(timer);
      running.delete(deadline);
    }
  }

  return {
    checkTarget: (url, { owner, signal: outer }) =>
      within(CHECK_TIMEOUT_MS, outer, (signal, start) => checkTarget(calls, url, { owner, signal, ...start })),
    download: (url, options) =>
      within(options.timeoutMs, options.signal, (signal, start) => download({ calls, options, signal, ...start }, url)),
    post: async (url, options) => {
      await loadLibrary();
      return within(options.timeoutMs, undefined, (signal, start) => post(calls, url, options, { signal, ...start }));
    },
    call: async (url, options) => {
      await loadLibrary();
      return within(options.timeoutMs, undefined, (signal, start) =>
        callServer(calls, url, options, { signal, ...start }),
      );
    },
    close: async () => {
      isClosed = true;
      for (const deadline of running.keys()) deadline.abort(new OutboundClosed());
      await Promise.allSettled(running.values());
      calls.kept.close();
    },
    counts: () => ({ lookup: calls.gate.lookups(), host: calls.queues.counts() }),
  };
}

/** How far a call is, and what is called once its first look-up begins: its time-out then starts anew. */
type Start = { readonly progress: CallProgress; readonly begun: () => void };

/** What every outbound call uses. */
type Calls = {
  readonly gate: Gate;
  readonly queues: HostQueues;
  readonly kept: KeptConnections;
  readonly extraAuthority: string | undefined;
  readonly secureContext: SecureContext;
  readonly artworkServer: OutboundSettings['artworkServer'];
  readonly drop: OutboundSettings['drop'];
};

async function checkTarget(
  calls: Calls,
  url: string,
  { owner, signal, progress, begun }: Start & { readonly owner: Owner; readonly signal: AbortSignal },
): ReturnType<Outbound['checkTarget']> {
  try {
    const judged = await calls.gate.judgeWebhook(url, { owner, signal, begun });
    return judged.kind === 'ok' ? { kind: 'ok', url: judged.url } : judged;
  } catch (error) {
    const failure = explainFailure(error, signal, progress);
    if (isOurs(failure, signal)) throw tooBusy(error);
    return { kind: 'refused', code: failure.code, message: `The URL could not be checked: ${failure.reason}.` };
  }
}

/**
 * Whether a refusal would blame the caller for a failure of ours.
 * A close ends the requests themselves.
 */
function isOurs({ blame }: Failure, signal: AbortSignal): boolean {
  if (signal.reason instanceof OutboundClosed) return false;
  return blame === 'busy' || blame === 'down';
}

function tooBusy(cause: unknown): Error {
  return unavailable('Too many calls to other servers are under way right now. Try again in a few seconds.', cause);
}

async function download(step: FetchStep, url: string): Promise<DownloadResult> {
  const { calls, options, signal, progress, begun } = step;
  const { owner } = options;
  try {
    const ofDevelopment = await fetchFromArtworkServer(step, url);
    if (ofDevelopment !== undefined) return ofDevelopment;
    let next = url;
    for (let hop = 0; hop <= options.redirectsMax; hop += 1) {
      progress.phase = 'waiting';
      const subject = hop === 0 ? 'The URL' : 'The address that the URL redirects to';
      const target = await calls.gate.judge(next, subject, { owner, signal, begun });
      // Only the caller's own text can be "not a URL"; a bad one sent by the server is a failed fetch.
      if (target.kind === 'refused')
        return failed(hop > 0 && target.code === 'url' ? 'fetch' : target.code, target.message);
      const fetched = await calls.queues.inTurn({ host: target.host, owner, signal }, () => fetchFrom(step, target));
      if (fetched.kind === 'unreached') return unreached(fetched.failure, signal);
      if (fetched.kind !== 'redirect') return fetched;
      next = fetched.location;
    }
    return failed('fetch', `The URL must lead to the file in at most ${options.redirectsMax} redirects.`);
  } catch (error) {
    // Limits of ours, not a fault of the address.
    if (error instanceof HostQueueFullError) throw error;
    if (error instanceof ReceiverLost) throw tooBusy(error);
    if (error instanceof OfCaller) throw error.cause;
    return unreached(explainFailure(error, signal, progress), signal, error);
  }
}

function unreached(failure: Failure, signal: AbortSignal, cause?: unknown): FetchFailed {
  if (isOurs(failure, signal)) throw tooBusy(cause);
  return failed(failure.code, `The file could not be fetched: ${failure.reason}.`);
}

/** A download under way. */
type FetchStep = Start & {
  readonly calls: Calls;
  readonly options: DownloadOptions;
  readonly signal: AbortSignal;
};

/**
 * Fetches from the drop of this machine or the server of artwork, when the URL names one of them.
 *
 * Only its own certificate is accepted, and no redirect leads to it or away from it.
 */
async function fetchFromArtworkServer(step: FetchStep, url: string): Promise<DownloadResult | undefined> {
  const { calls, options, signal } = step;
  const isOfDrop = calls.drop !== undefined && targetOn(calls.drop, url) !== undefined;
  const server = isOfDrop ? calls.drop : await calls.artworkServer?.();
  const target = server === undefined ? undefined : targetOn(server, url);
  if (server === undefined || target === undefined) return undefined;
  const call = { host: target.host, owner: options.owner, signal };
  const fetched = await calls.queues.inTurn(call, () => fetchFrom(step, target, { only: server.certificate }));
  if (fetched.kind === 'unreached') return unreached(fetched.failure, signal);
  return fetched.kind === 'redirect' ? failed('fetch', 'The server of artwork must not redirect.') : fetched;
}

async function fetchFrom(
  { calls, options, signal, progress }: FetchStep,
  { url, host, port, addresses }: Reachable,
  trusted: Trusted = { beside: calls.extraAuthority },
): ReturnType<Receiver['fetch']> {
  const { owner, path, maxBytes } = options;
  const target = { url: url.href, host, port, addresses };
  const reserve = async (bytes: number): Promise<void> => options.reserve?.(bytes, signal);
  return receiver.fetch({ owner, target, trusted, path, maxBytes }, { signal, progress, reserve });
}

async function post(
  calls: Calls,
  url: string,
  options: PostOptions,
  { signal, progress, begun }: Start & { readonly signal: AbortSignal },
): Promise<PostResult> {
  try {
    const target = await calls.gate.judge(url, 'The URL', { owner: options.owner, signal, begun });
    if (target.kind === 'refused') return { kind: 'failed', code: target.code, error: target.message };
    const request = { method: 'POST', headers: options.headers, body: options.body } as const;
    const call = { target, request, secureContext: calls.secureContext, signal, progress };
    const { owner } = options;
    return await exchangeKept({ kept: calls.kept, owner, call }, async ({ statusCode, headers, body }) => {
      const takeAnswer = target.isTrustedPrivate ? undefined : options.takeAnswer;
      if (!(await isReadWhole(body, options.answerBytesMax, takeAnswer))) {
        return { kind: 'failed', code: 'size', error: `The answer has more than ${options.answerBytesMax} bytes.` };
      }
      return { kind: 'answered', status: statusCode, ...retryAfterOf(headers) };
    });
  } catch (error) {
    const { code, reason, blame } = explainFailure(error, signal, progress);
    if (blame === 'busy' || blame === 'down') return { kind: 'unavailable', blame, reason };
    if (blame === 'unclear' && !(await calls.gate.isNetworkUp())) {
      return { kind: 'unavailable', blame: 'down', reason: 'the name servers of this service do not answer' };
    }
    return { kind: 'failed', code, error: `No answer: ${reason}.` };
  }
}
