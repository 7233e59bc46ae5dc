import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { Authority, Certificate } from './authority.ts';

/** One request as it arrived: the body is the exact bytes, so that a signature over them can be checked. */
export type Hit = {
  readonly method: string;
  /** With its query string. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** A well-behaved answer, or one with a plain flaw; `contentLength` may lie. */
export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Waits before the first byte of the answer. */
  readonly delayMs?: number;
  readonly contentLength?: number;
};

/** Full control of one answer; the misbehaviours below are ready-made. Must end or destroy the response itself. */
export type Handler = (hit: Hit, response: ServerResponse) => void | Promise<void>;

export type Stranger = {
  readonly hostname: string;
  readonly port: number;
  /** `host:port` as `TRUSTED_PRIVATE_HOSTS` takes it. */
  readonly hostPort: string;
  /** Every request so far, whole, oldest first. */
  readonly hits: readonly Hit[];
  /** How many TCP connections were ever accepted, and how many are open now. */
  readonly connections: () => { readonly accepted: number; readonly open: number };
  readonly url: (path: string, hostname?: string) => string;
  /** Answers a path (without query) from now on; a path never served answers 404. */
  readonly serve: (path: string, reply: Reply | Handler) => void;
  /** Answers every path below one from now on, unless it is served itself. */
  readonly serveBelow: (path: string, handler: Handler) => void;
  readonly close: () => Promise<void>;
};

export type StrangerOptions = {
  readonly authority: Authority;
  /** The names in its certificate; the first is the one in `url()`. */
  readonly hostnames?: readonly string[];
  /** In place of one that the authority issues for the names. */
  readonly certificate?: Certificate;
};

/**
 * A real HTTPS server on 127.0.0.1 and a free port: an artwork host or a webhook receiver that does what it is told,
 * rightly or wrongly, and remembers what it was sent.
 */
export async function startStranger(options: StrangerOptions): Promise<Stranger> {
  const hostnames = options.hostnames ?? ['localhost'];
  const hostname = hostnames[0] ?? 'localhost';
  const certificate = options.certificate ?? options.authority.issue({ hostnames, ips: ['127.0.0.1'] });
  const replies = new Map<string, Reply | Handler>();
  const belows = new Map<string, Handler>();
  const hits: Hit[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;

  const server = createServer(certificate, (request, response) => {
    void takeIn(request, response);
  });
  async function takeIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    } catch {
      return; // The caller went away while it was still sending.
    }
    const path = request.url ?? '/';
    const hit = { method: request.method ?? '', path, headers: request.headers, body: Buffer.concat(chunks) };
    hits.push(hit);
    const [plain = path] = path.split('?');
    const below = [...belows].find(([prefix]) => plain.startsWith(`${prefix}/`))?.[1];
    const reply = replies.get(plain) ?? below ?? { status: 404 };
    if (typeof reply === 'function') await reply(hit, response);
    else answer(reply, response);
  }
  server.on('connection', (socket: Socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // A caller that refuses our certificate or hangs up is what many tests are about.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    hostname,
    port,
    hostPort: `${hostname}:${port}`,
    hits,
    connections: () => ({ accepted, open: sockets.size }),
    url: (path, host = hostname) => `https://${host}:${port}${path}`,
    serve: (path, reply) => {
      replies.set(path, reply);
    },
    serveBelow: (path, handler) => {
      belows.set(path, handler);
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function answer(reply: Reply, response: ServerResponse): void {
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : (reply.body ?? Buffer.alloc(0));
  const timer = setTimeout(() => {
    response.writeHead(reply.status ?? 200, { 'content-length': reply.contentLength ?? body.length, ...reply.headers });
    response.write(body);
    // A server that promised more than it has ends the connection in the middle of its answer.
    if ((reply.contentLength ?? body.length) > body.length) setImmediate(() => response.socket?.end());
    else response.end();
  }, reply.delayMs ?? 0);
  response.once('close', () => clearTimeout(timer));
}

/** Takes the request and never answers. */
export const hang: Handler = () => {};

/** Cuts the connection by a TCP reset in place of an answer. */
export const reset: Handler = (_hit, response) => {
  response.socket?.destroy();
};

/** Answers with a status other than 200 and where to go instead. */
export function redirectTo(location: string, status = 302): Reply {
  return { status, headers: { location }, body: 'gone elsewhere' };
}

/** Sends a body bit by bit: each chunk, then a wait. Without end if the body is undefined. */
export function drip(options: { body?: Uint8Array; chunkBytes: number; everyMs: number; status?: number }): Handler {
  return (_hit, response) => {
    const { body, chunkBytes, everyMs } = options;
    const length = body === undefined ? {} : { 'content-length': body.length };
    response.writeHead(options.status ?? 200, length);
    let at = 0;
    const timer = setInterval(() => {
      response.write(body === undefined ? Buffer.alloc(chunkBytes, 1) : body.subarray(at, at + chunkBytes));
      at += chunkBytes;
      if (body === undefined || at < body.length) return;
      clearInterval(timer);
      response.end();
    }, everyMs);
    response.once('close', () => clearInterval(timer));
  };
}

/** Sends without end, as fast as the caller reads; `sentBytes` tells how much the caller and the kernel took. */
export function endless(status = 200): { readonly handler: Handler; readonly sentBytes: () => number } {
  const chunk = Buffer.alloc(65_536, 7);
  let sentBytes = 0;
  function* chunks(): Generator<Buffer> {
    for (;;) {
      sentBytes += chunk.length;
      yield chunk;
    }
  }
  const handler: Handler = async (_hit, response) => {
    response.writeHead(status);
    // It ends in one way only: the caller hangs up.
    await pipeline(chunks, response).catch(() => undefined);
  };
  return { handler, sentBytes: () => sentBytes };
}

/** Writes bytes of its own in place of an HTTP answer, and ends the connection unless told to keep it. */
export function raw(text: string, after: 'end' | 'stay' = 'end'): Handler {
  return (_hit, response) => {
    if (after === 'end') response.socket?.end(text, 'latin1');
    else response.socket?.write(text, 'latin1');
  };
}
