import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Permit } from '../../artwork/drop/permit.ts';
import { type DropFolder, DropRefused } from './drop-folder.ts';

/** What the drop needs beside its folder. */
export type DropSettings = {
  /** Settled once the files can be taken. */
  readonly folder: Promise<DropFolder>;
  /** The origin of the pages that may leave files: that of BASE_URL. */
  readonly pagesOrigin: string;
  /** Reads a permit that this service has signed; undefined for any other text. */
  readonly readPermit: (text: string) => Permit | undefined;
};

export type RunningDrop = { readonly port: number; readonly stop: () => Promise<void> };

/** The largest file takes this long at 1 Mbit/s, with some room. */
const REQUEST_TIMEOUT_MS = 480_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** A body of which nothing arrives for this long is cut. */
const IDLE_MS = 15_000;
const CONNECTIONS_MAX = 128;
/** How long a refused upload may go on, so that its answer is read. */
const LINGER_MS = 3_000;

/** Starts the drop, which takes pictures by permit and serves them; a proxy before it speaks TLS. */
export async function startDrop(settings: DropSettings, at: { host: string; port: number }): Promise<RunningDrop> {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS }, listenerOf(settings));
  return await listen(server, at);
}

/** Starts a second server on this machine by https, for a service that accepts exactly its certificate. */
export async function startLocalFiles(
  settings: DropSettings,
  tls: { readonly key: string; readonly cert: string },
): Promise<RunningDrop> {
  const server = createTlsServer({ ...tls, headersTimeout: HEADERS_TIMEOUT_MS }, listenerOf(settings));
  // A client that does not accept the certificate hangs up; that is its own affair.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return await listen(server, { host: '127.0.0.1', port: 0 });
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<RunningDrop> {
  server.maxConnections = CONNECTIONS_MAX;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.setTimeout(IDLE_MS, (socket) => socket.destroy());
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listenerOf(settings: DropSettings): RequestListener {
  return (request, response) => {
    for (const [name, value] of Object.entries(SAFE)) response.setHeader(name, value);
    answer(settings, request, response).catch((error: unknown) => refuse(request, response, error));
  };
}

/** Whatever a browser makes of a file here: it runs nothing, shows nothing and guesses nothing. */
const SAFE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
};

async function answer(settings: DropSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '/' } = request;
  if (url === '/files') return await answerPage(settings, request, response);
  if (method !== 'GET' && method !== 'HEAD') throw new DropRefused(405, 'Only GET is answered at this address.');
  const file = await (await settings.folder).find(url);
  if (file === undefined) throw new DropRefused(404, 'There is no file at this address, or its 24 hours are over.');
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': file.size,
    'content-disposition': 'attachment',
  });
  if (method === 'HEAD') response.end();
  else await file.send(response);
}

async function answerPage(settings: DropSettings, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { origin } = request.headers;
  if (origin === undefined || !isOfPages(origin, settings.pagesOrigin)) {
    throw new DropRefused(403, 'Files are taken from the pages of the portal alone.');
  }
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'Origin');
  if (request.method === 'OPTIONS') {
    response.setHeader('access-control-allow-methods', 'PUT');
    response.setHeader('access-control-allow-headers', 'authorization, content-type');
    response.setHeader('access-control-max-age', '600');
    response.writeHead(204).end();
    return;
  }
  if (request.method !== 'PUT') throw new DropRefused(405, 'A file is left by PUT.');
  const permit = settings.readPermit(/^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
  if (permit === undefined)
    throw new DropRefused(401, 'The permit is none of ours, or has ended. Choose the file again.');
  if (request.headers['content-type'] !== permit.type) {
    throw new DropRefused(415, `The permit is for a file of the type ${permit.type}.`);
  }
  if (request.headers['content-length'] !== String(permit.size)) {
    throw new DropRefused(413, `The permit is for a file of exactly ${permit.size} bytes.`);
  }
  await (await settings.folder).take(permit, request);
  response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
}

/** On one machine the loopback names are one, as for sessions (docs/decisions/0049). */
function isOfPages(origin: string, own: string): boolean {
  if (origin === own) return true;
  const [one, other] = [URL.parse(origin), URL.parse(own)];
  const isLoopback = (url: URL | null): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  return isLoopback(one) && isLoopback(other) && one?.port === other?.port && one?.protocol === other?.protocol;
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  // A request that was read whole counts as destroyed, too.
  if (response.headersSent || request.socket.destroyed) {
    response.destroy();
    return;
  }
  const { status, message } =
    error instanceof DropRefused ? error : { status: 500, message: 'The file could not be taken. Try again.' };
  const isWhole = request.complete;
  response.writeHead(status, { 'content-type': 'application/json', ...(isWhole ? {} : { connection: 'close' }) });
  response.end(JSON.stringify({ detail: message }));
  if (isWhole) return;
  // A socket that is closed while bytes arrive takes the answer with it: it stays open for a moment.
  request.resume();
  setTimeout(() => request.destroy(), LINGER_MS).unref();
}
