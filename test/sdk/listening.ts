import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { eventually } from '../harness/context.ts';
import { environment } from '../harness/environment.ts';
import { freePort } from '../harness/process.ts';

export const PROGRAM = fileURLToPath(new URL('../../src/bin/platen.js', import.meta.url));
/** Longer than all the waits of a test together; a command that is still there then is ended. */
export const LIFE_MS = 60_000;

export type Listening = {
  /** What it printed, an object a line; the first says what is signed with. */
  readonly lines: readonly { readonly [name: string]: unknown }[];
  readonly secret: string;
  readonly stderr: () => string;
  /** Ctrl-C, and the exit status. */
  readonly stop: () => Promise<number | null>;
};

/** Starts `platen listen --json` in a process of its own and returns once it listens. */
export async function startListening(env: Record<string, string>, ...args: string[]): Promise<Listening> {
  const child = spawn(process.execPath, [PROGRAM, 'listen', '--json', ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIFE_MS,
    killSignal: 'SIGKILL',
  });
  const lines: { readonly [name: string]: unknown }[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => void lines.push(JSON.parse(line) as { id: string }));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const gone = once(child, 'exit');
  const listening = {
    lines,
    get secret() {
      return String(lines[0]?.secret);
    },
    stderr: () => stderr,
    stop: async () => {
      child.kill('SIGINT');
      await gone;
      return child.exitCode;
    },
  };
  await eventually('it says that it listens', () => lines.length > 0, LIFE_MS);
  return listening;
}

type Hit = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** A developer's own server, which answers as it is told; `close` and `open` are its restart on the same port. */
export async function openReceiver(port = 0) {
  const hits: Hit[] = [];
  const replies: (number | { status: number; location: string })[] = [];
  let server: Server;
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    hits.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
    const reply = replies.shift() ?? 204;
    if (typeof reply === 'number') response.writeHead(reply).end();
    else response.writeHead(reply.status, { location: reply.location }).end();
  }
  const receiver = {
    hits,
    /** Answers in this order, then 204 for ever. */
    replies,
    port,
    url: () => `http://127.0.0.1:${receiver.port}/hooks`,
    open: async () => {
      server = createServer((request, response) => void take(request, response)).listen(receiver.port, '127.0.0.1');
      await once(server, 'listening');
      receiver.port = (server.address() as AddressInfo).port;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  await receiver.open();
  return receiver;
}

/** The two reads that the command needs, over a log that a test writes; it can go away and come back. */
export async function openLog() {
  const port = await freePort();
  const events: string[] = [];
  const queries: string[] = [];
  const refusals: { status: number; retryAfter?: string }[] = [];
  let server: Server;
  const log = {
    url: `http://127.0.0.1:${port}`,
    queries,
    /** Answers in this order before it reads the log again. */
    refusals,
    write: (id: string) => events.push(id),
    open: async () => {
      server = createServer((request, response) => {
        const { pathname, search, searchParams } = new URL(request.url ?? '', log.url);
        const refusal = refusals.shift();
        if (refusal !== undefined) {
          response.writeHead(
            refusal.status,
            refusal.retryAfter === undefined ? {} : { 'retry-after': refusal.retryAfter },
          );
          response.end(JSON.stringify({ code: 'unavailable', detail: 'Not now.' }));
          return;
        }
        response.setHeader('content-type', 'application/json');
        if (pathname.endsWith('/account/balance')) {
          response.end(JSON.stringify({ account_id: 'acct_1', as_of: '2026-11-21T09:30:00.000Z' }));
          return;
        }
        queries.push(search);
        const data = events
          .slice(events.indexOf(searchParams.get('cursor') ?? '') + 1)
          .slice(0, 2)
          .map((id) => ({ id, event: 'order.on_hold', data: { reference: 'PF-1' } }));
        const last = data.at(-1);
        const hasMore = last !== undefined && last.id !== events.at(-1);
        response.end(JSON.stringify({ data, has_more: hasMore, next_cursor: hasMore ? last.id : null }));
      }).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  await log.open();
  return log;
}
