import { connect, isIP, type Socket } from 'node:net';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { Owner } from '../turns/owner.ts';
import { isSameAddress } from './addresses.ts';
import { type CallProgress, ConnectionError } from './failures.ts';
import type { Reachable } from './gate.ts';
import { type Connection, discard, KEPT_IDLE_MS, type KeptConnections } from './kept-connections.ts';

/** What is sent. */
export type OutboundRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** Loads what makes calls: 10 MB, which a process does not need before its first one. */
export async function loadLibrary(): Promise<typeof import('undici')> {
  return import('undici');
}

const HEADER_BYTES_MAX = 16_384;
/** So much earlier than the server says that it closes an idle connection is it given up. */
const KEPT_THRESHOLD_MS = 1_000;

/** One call to a host that may be contacted. */
export type Exchange = {
  readonly target: Reachable;
  readonly request: OutboundRequest;
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
  readonly progress: CallProgress;
};

/**
 * Sends one request on a connection of its own.
 * The connection is closed when this returns, read to its end or not.
 */
export async function exchangeOnce<T>(
  call: Exchange,
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const connection = await open(call);
  try {
    return await read(await send(connection, call, { reset: true }));
  } finally {
    discard(connection);
  }
}

/**
 * Sends one request on a connection that an earlier exchange of the owner left, or on a new one.
 * The connection is kept when its answer was read to the end, and closed otherwise. A server may close a kept
 * connection in the moment in which it is used: the request is then sent again on a new one, so it must be one that
 * may arrive twice.
 */
export async function exchangeKept<T>(
  { kept, owner, call }: { readonly kept: KeptConnections; readonly owner: Owner; readonly call: Exchange },
  read: (answer: Dispatcher.ResponseData) => Promise<T>,
): Promise<T> {
  const { connection, answer } = (await sendOnKept(kept.take(owner, call.target), call)) ?? (await sendOnNew(call));
  try {
    const result = await read(answer);
    if (answer.body.readableEnded) kept.keep(owner, connection);
    else discard(connection);
    return result;
  } catch (error) {
    discard(connection);
    throw error;
  }
}

type Answered = { readonly connection: Connection; readonly answer: Dispatcher.ResponseData };

/** The errors of a request whose connection the server had closed already. */
const CLOSED_BEFORE = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_INFO)$/;

/** Undefined when there is no connection, or the server has closed it before it answered. */
async function sendOnKept(connection: Connection | undefined, call: Exchange): Promise<Answered | undefined> {
  if (connection === undefined) return undefined;
  call.progress.phase = 'talking';
  try {
    return { connection, answer: await send(connection, call, { reset: false }) };
  } catch (error) {
    discard(connection);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (call.signal.aborted || !CLOSED_BEFORE.test(code)) throw error;
    call.progress.phase = 'reaching';
    return undefined;
  }
}

async function sendOnNew(call: Exchange): Promise<Answered> {
  const connection = await open(call);
  try {
    return { connection, answer: await send(connection, call, { reset: false }) };
  } catch (error) {
    discard(connection);
    throw error;
  }
}

async function send(
  { client }: Connection,
  { target, request, signal }: Exchange,
  { reset }: { readonly reset: boolean },
): Promise<Dispatcher.ResponseData> {
  const path = `${target.url.pathname}${target.url.search}`;
  const answer = await client.request({ path, ...request, signal, reset });
  // A body that is left unread is cut with its connection, which it reports as an error.
  answer.body.on('error', () => {});
  return answer;
}

async function open(call: Exchange): Promise<Connection> {
  const { origin } = call.target.url;
  const { Client } = await loadLibrary();
  const socket = await openSocket(call);
  let isGiven = false;
  const client = new Client(origin, {
    // Undici is still preparing the request; a callback at once would be lost. It gets this one socket and no other.
    connect: (_options, callback) => {
      const isFirst = !isGiven;
      isGiven = true;
      queueMicrotask(() => {
        if (isFirst) callback(null, socket);
        else callback(new ConnectionError('ECONNRESET'), null);
      });
    },
    allowH2: false,
    useMilo: false,
    pipelining: 1,
    maxHeaderSize: HEADER_BYTES_MAX,
    // The signal is the one deadline; these watch pauses only, and a slow drip has none.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEPT_IDLE_MS,
    // What the server asks for can only be shorter.
    keepAliveMaxTimeout: KEPT_IDLE_MS,
    keepAliveTimeoutThreshold: KEPT_THRESHOLD_MS,
  });
  return { client, socket, origin, address: socket.remoteAddress ?? '', openedMs: performance.now() };
}

/** The chunks of a body, typed at this border: it is a byte stream that undici declares as `any`. */
export function chunksOf(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  return body;
}

/**
 * Reads a body to its end; false when it has more than so many bytes.
 * Hands them to `take` where that is given, and throws them away otherwise.
 * Rejects when it ends too early. An iterator would cost as much as the rest of a small answer.
 */
export async function isReadWhole(
  body: Dispatcher.ResponseData['body'],
  bytesMax: number,
  take?: (chunk: Uint8Array) => void,
): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  let bytes = 0;
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
    take?.(chunk);
    if (bytes <= bytesMax) return;
    resolve(false);
    body.destroy();
  });
  body.once('end', () => resolve(true));
  body.once('error', reject);
  body.once('close', () => reject(new ConnectionError('ERR_STREAM_PREMATURE_CLOSE')));
  return promise;
}

const NEXT_ADDRESS_AFTER_MS = 250;

/**
 * A verified TLS connection to one of the checked addresses, never to one looked up again.
 *
 * The certificate is held against the host name. An abort destroys the socket at once, in every phase.
 */
async function openSocket({ target, signal, secureContext, progress }: Exchange): Promise<TLSSocket> {
  signal.throwIfAborted();
  const addresses = target.addresses.map((address) => ({ address, family: isIP(address) }));
  const plain = connect({
    host: target.host,
    port: target.reachedAt ?? target.port,
    lookup: (_hostname, _options, callback) => callback(null, addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    noDelay: true,
  });
  signal.addEventListener('abort', () => plain.destroy(), { once: true });
  await opened(plain, 'connect');
  progress.phase = 'talking';
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
    secureContext,
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
