import { connect, isIP, type Socket } from 'node:net';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import type { Dispatcher } from 'undici';
import { isSameAddress } from './addresses.ts';
import { type CallProgress, ConnectionError } from './failures.ts';
import type { Reachable } from './gate.ts';

/** What is sent. */
export type OutboundRequest = {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
};

/** Loads what makes calls: 10 MB, which a process does not need before its first one. */
export async function loadLibrary(): Promise<typeof import('undici')> {
  return import('undici');
}

const HEADER_BYTES_MAX = 16_384;

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
  const { target, request, signal } = call;
  const { Client } = await loadLibrary();
  const socket = await openSocket(call);
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

/** The chunks of a body, typed at this border: it is a byte stream that undici declares as `any`. */
export function chunksOf(body: Dispatcher.ResponseData['body']): AsyncIterable<Uint8Array> {
  return body;
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
    port: target.port,
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
