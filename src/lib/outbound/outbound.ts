import { connect, isIP, type Socket } from 'node:net';
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls';
import { Client, type Dispatcher } from 'undici';
import { type FetchFailureCode, isSameAddress, type Refusal } from './addresses.ts';
import { type ArtworkServer, targetOn } from './artwork-server.ts';
import { ConnectionError, explainFailure } from './failures.ts';
import { createGate, type Gate, type GateSettings, type Reachable } from './gate.ts';
import { createHostQueues, HostQueueFullError, type HostQueues } from './per-host-queue.ts';

export type OutboundSettings = GateSettings & {
  /** A certificate authority (PEM) beside those that Node.js trusts, `NODE_EXTRA_CA_CERTS` included. */
  readonly extraAuthority?: string;
  /** The server of artwork for development, asked for each download; only `npm start` has one. */
  readonly artworkServer?: () => Promise<ArtworkServer | undefined>;
};

export type DownloadOptions = {
  readonly maxBytes: number;
  /** For everything: the wait in the queue, name look-ups, redirects and the body. */
  readonly timeoutMs: number;
  readonly redirectsMax: number;
  /** Takes the body in order, at most `maxBytes` in all; what it throws, `download` throws. */
  readonly sink: (chunk: Uint8Array) => Promise<void> | void;
  readonly signal?: AbortSignal;
};

export type DownloadResult =
  | { readonly kind: 'ok'; readonly bytes: number }
  /** `message` tells the caller what to change. */
  | { readonly kind: 'failed'; readonly code: FetchFailureCode; readonly message: string };

export type PostOptions = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
};

export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterSeconds?: number }
  | { readonly kind: 'failed'; readonly code: FetchFailureCode; readonly error: string };

export type Outbound = {
  /**
   * Judges a webhook target without contacting it (decisions, "Webhook target"; bad-input K 166, 178).
   *
   * The rules of every fetch hold, and beyond them no IP address may stand in place of a name (unless trusted), and no
   * name in other than its ASCII form.
   */
  readonly checkTarget: (url: string) => Promise<{ readonly kind: 'ok'; readonly url: URL } | Refusal>;
  /**
   * Fetches a file from a remote host into `sink`, following redirects and judging every hop anew.
   *
   * Whatever the host does is a value; its text holds nothing that the host sent and no address (spec 8; bad-input G).
   */
  readonly download: (url: string, options: DownloadOptions) => Promise<DownloadResult>;
  /**
   * Sends one POST and follows no redirect (spec 6.4, 6.6).
   *
   * An answer counts once it has arrived whole: one that is larger than `answerBytesMax` or does not end in time is a
   * failure (bad-input K 173).
   */
  readonly post: (url: string, options: PostOptions) => Promise<PostResult>;
  /** Aborts all calls, which then fail as values, and waits for them. Nothing is contacted afterwards. */
  readonly close: () => Promise<void>;
};

const CHECK_TIMEOUT_MS = 5_000;

/**
 * Makes all outbound calls to hosts that customers name.
 *
 * Each call looks its host up anew, is refused unless every address is public or the host is trusted, and has a
 * connection of its own to exactly the checked addresses: an idle connection that was kept would outlive the check that
 * allowed it. Proxy settings of the environment have no effect.
 */
export function createOutbound(settings: OutboundSettings): Outbound {
  const calls: Calls = {
    gate: createGate(settings),
    queues: createHostQueues(),
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(settings.extraAuthority === undefined
        ? {}
        : { ca: [...getCACertificates('default'), settings.extraAuthority] }),
    }),
    artworkServer: settings.artworkServer,
  };
  const running = new Map<AbortController, Promise<unknown>>();
  let isClosed = false;

  async function within<T>(
    timeoutMs: number,
    outer: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = new AbortController();
    if (isClosed) deadline.abort();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const task = work(outer === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outer]));
    running.set(deadline, task);
    try {
      return await task;
    } finally {
      clearTimeout(timer);
      running.delete(deadline);
    }
  }

  return {
    checkTarget: (url) => within(CHECK_TIMEOUT_MS, undefined, (signal) => checkTarget(calls, url, signal)),
    download: (url, options) =>
      within(options.timeoutMs, options.signal, (signal) => download(calls, url, options, signal)),
    post: (url, options) => within(options.timeoutMs, undefined, (signal) => post(calls, url, options, signal)),
    close: async () => {
      isClosed = true;
      for (const deadline of running.keys()) deadline.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** What every outbound call uses. */
type Calls = {
  readonly gate: Gate;
  readonly queues: HostQueues;
  readonly secureContext: SecureContext;
  readonly artworkServer: OutboundSettings['artworkServer'];
};

async function checkTarget(calls: Calls, url: string, signal: AbortSignal): ReturnType<Outbound['checkTarget']> {
  try {
    const judged = await calls.gate.judgeWebhook(url, signal);
    return judged.kind === 'ok' ? { kind: 'ok', url: judged.url } : judged;
  } catch (error) {
    const { code, reason } = explainFailure(error, signal);
    return { kind: 'refused', code, message: `The URL could not be checked: ${reason}.` };
  }
}

async function download(
  calls: Calls,
  url: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadResult> {
  try {
    const ofDevelopment = await fetchFromArtworkServer(calls, url, options, signal);
    if (ofDevelopment !== undefined) return ofDevelopment;
    let next = url;
    for (let hop = 0; hop <= options.redirectsMax; hop += 1) {
      const target = await calls.gate.judge(
        next,
        hop === 0 ? 'The URL' : 'The address that the URL redirects to',
        signal,
      );
      // Only the caller's own text can be "not a URL"; a bad one sent by the server is a failed fetch.
      if (target.kind === 'refused')
        return failed(hop > 0 && target.code === 'url' ? 'fetch' : target.code, target.message);
      const step = await calls.queues.inTurn(target.host, signal, () => fetchOnce(calls, target, options, signal));
      if (step.kind !== 'redirect') return step;
      next = step.location;
    }
    return failed('fetch', `The URL must lead to the file in at most ${options.redirectsMax} redirects.`);
  } catch (error) {
    if (error instanceof SinkFailure) throw error.cause;
    // A limit of ours, not a fault of the address.
    if (error instanceof HostQueueFullError) throw error;
    const { code, reason } = explainFailure(error, signal);
    return failed(code, `The file could not be fetched: ${reason}.`);
  }
}

/**
 * Fetches from the server of artwork for development, when there is one and the URL names it.
 *
 * Only its own certificate is accepted, and no redirect leads to it or away from it.
 */
async function fetchFromArtworkServer(
  calls: Calls,
  url: string,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadResult | undefined> {
  const server = await calls.artworkServer?.();
  const target = server === undefined ? undefined : targetOn(server, url);
  if (server === undefined || target === undefined) return undefined;
  const own = { ...calls, secureContext: createSecureContext({ minVersion: 'TLSv1.2', ca: [server.certificate] }) };
  const step = await calls.queues.inTurn(target.host, signal, () => fetchOnce(own, target, options, signal));
  return step.kind === 'redirect' ? failed('fetch', 'The server of artwork must not redirect.') : step;
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Identity encoding, so that the bytes counted are the bytes stored; and the three formats we accept. */
const DOWNLOAD_HEADERS = {
  'user-agent': 'platen-artwork/1',
  accept: 'image/png, image/jpeg, image/webp, */*;q=0.1',
  'accept-encoding': 'identity',
};

type Step = DownloadResult | { readonly kind: 'redirect'; readonly location: string };

async function fetchOnce(
  calls: Calls,
  target: Reachable,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Step> {
  const request = { method: 'GET', headers: DOWNLOAD_HEADERS, body: null } as const;
  return exchange(calls, target, request, signal, async ({ statusCode, headers, body }) => {
    if (REDIRECT_STATUSES.includes(statusCode)) return redirect(target, headers.location);
    if (statusCode !== 200) {
      return failed('fetch', `The server must answer 200 with the file, and answered ${statusCode}.`);
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return failed('fetch', 'The server must send the file without content encoding.');
    const tooLarge = failed('size', `The file must have at most ${options.maxBytes} bytes.`);
    if (Number(headers['content-length'] ?? 0) > options.maxBytes) return tooLarge;
    let bytes = 0;
    for await (const chunk of chunksOf(body)) {
      bytes += chunk.length;
      if (bytes > options.maxBytes) return tooLarge;
      await pour(chunk, options.sink);
    }
    return { kind: 'ok', bytes };
  });
}

function redirect(target: Reachable, location: string | string[] | undefined): Step {
  if (typeof location !== 'string') return failed('fetch', 'The server redirects without saying where to.');
  const url = URL.parse(location, target.url.href);
  if (url === null) return failed('fetch', 'The server redirects to something that is not a URL.');
  return { kind: 'redirect', location: url.href };
}

/**
 * An error of the caller's sink, such as a full disk.
 * It must not be reported as the remote host's fault.
 */
class SinkFailure extends Error {}

async function pour(chunk: Uint8Array, sink: DownloadOptions['sink']): Promise<void> {
  try {
    await sink(chunk);
  } catch (cause) {
    throw new SinkFailure('the sink failed', { cause });
  }
}

function failed(code: FetchFailureCode, message: string): DownloadResult {
  return { kind: 'failed', code, message };
}

async function post(calls: Calls, url: string, options: PostOptions, signal: AbortSignal): Promise<PostResult> {
  try {
    const target = await calls.gate.judge(url, 'The URL', signal);
    if (target.kind === 'refused') return { kind: 'failed', code: target.code, error: target.message };
    const request = { method: 'POST', headers: options.headers, body: options.body } as const;
    return await exchange(calls, target, request, signal, async ({ statusCode, headers, body }) => {
      let bytes = 0;
      for await (const chunk of chunksOf(body)) {
        bytes += chunk.length;
        if (bytes > options.answerBytesMax) {
          return { kind: 'failed', code: 'size', error: `The answer has more than ${options.answerBytesMax} bytes.` };
        }
      }
      return { kind: 'answered', status: statusCode, ...retryAfter(headers) };
    });
  } catch (error) {
    const { code, reason } = explainFailure(error, signal);
    return { kind: 'failed', code, error: `No answer: ${reason}.` };
  }
}

/**
 * Both forms of `Retry-After` (RFC 9110, 10.2.3); a time of day is read by the answer's own `Date`,
 * not by our clock.
 */
function retryAfter(headers: Dispatcher.ResponseData['headers']): { retryAfterSeconds?: number } {
  const value = String(headers['retry-after'] ?? '').trim();
  const seconds = /^\d{1,9}$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(String(headers.date ?? ''))) / 1_000);
  return seconds >= 0 ? { retryAfterSeconds: seconds } : {};
}

type OutboundRequest = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

const HEADER_BYTES_MAX = 16_384;

/**
 * Sends one request on a connection of its own.
 * The connection is closed when this returns, read to its end or not.
 */
async function exchange<T>(
  calls: Calls,
  target: Reachable,
  request: OutboundRequest,
  signal: AbortSignal,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const socket = await openSocket(calls, target, signal);
  const client = new Client(target.url.origin, {
    // Undici is still preparing the request; a callback at once would be lost.
    connect: (_options, callback) => queueMicrotask(() => callback(null, socket)),
    allowH2: false,
    useMilo: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The signal is the one deadline; these watch pauses only, and a slow drip has none.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const path = `${target.url.pathname}${target.url.search}`;
    const answer = await client.request({ path, ...request, signal, reset: true });
    // A body that is left unread is cut below, which it reports as an error.
    answer.body.on('error', () => {});
    return await read(answer);
  } finally {
    socket.destroy();
    await client.destroy();
  }
}

/** Typed at this border: the body is a byte stream that undici declares as `any`. */
function chunksOf(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  return body;
}

const NEXT_ADDRESS_AFTER_MS = 250;

/**
 * A verified TLS connection to one of the checked addresses, never to one looked up again.
 *
 * The certificate is held against the host name. An abort destroys the socket at once, in every phase.
 */
async function openSocket(calls: Calls, target: Reachable, signal: AbortSignal): Promise<TLSSocket> {
  signal.throwIfAborted();
  const addresses = target.addresses.map((address) => ({ address, family: isIP(address) }));
  const plain = connect({
    host: target.host,
    port: target.port,
    lookup: (_hostname, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  });
  signal.addEventListener('abort', () => plain.destroy(), { once: true });
  await opened(plain, 'connect');
  const reached = plain.remoteAddress ?? '';
  if (!target.addresses.some((address) => isSameAddress(address, reached))) {
    plain.destroy();
    throw new ConnectionError('ERR_OTHER_ADDRESS');
  }
  const secure = tlsConnect({
    socket: plain,
    host: target.host,
    // A server name is never an IP address; the certificate is then held against `host`.
    servername: isIP(target.host) === 0 ? target.host : '',
    secureContext: calls.secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  await opened(secure, 'secureConnect');
  return secure;
}

/**
 * Waits until a socket is ready; rejects with its error, or when it closes without one.
 *
 * Late errors are swallowed here.
 */
async function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(event, resolve);
  socket.on('error', reject);
  socket.once('close', () => reject(new ConnectionError('ECONNRESET')));
  await promise;
}
