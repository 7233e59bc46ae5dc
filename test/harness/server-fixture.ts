import { connect } from 'node:net';
import { buildServer, type PlatenServer, type ServerOptions } from '../../src/http/server.ts';
import { type Caller, SCOPES, type Scope } from '../../src/lib/caller.ts';
import { newId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { pageQuery, readPage } from '../../src/lib/paging.ts';
import { type Route, route } from '../../src/lib/route.ts';
import { dictionary, nullable, oneOf } from '../../src/lib/schemas.ts';
import { Type } from '../../src/lib/typebox.ts';

export type LogLines = { level: string; fields: object; message: string }[];

/** What the operations of the fixture have seen. */
export type Seen = { bodies: unknown[]; authenticated: string[]; aborted: number };

export type Running = PlatenServer & {
  readonly port: number;
  readonly url: string;
  readonly seen: Seen;
  readonly log: LogLines;
  /** Lets every `/slow` that waits now finish. */
  readonly release: () => void;
};

const SCOPES_OF: Readonly<Record<string, readonly Scope[]>> = {
  good: SCOPES,
  second: SCOPES,
  reader: ['orders:read'],
  writer: ['orders:write'],
  none: [],
};

/** Starts the doors with a few small operations behind them. Limits are off unless given. */
export async function startDoors(options: Partial<ServerOptions<Seen>> = {}): Promise<Running> {
  const seen: Seen = { bodies: [], authenticated: [], aborted: 0 };
  const log: LogLines = [];
  const waiting = new Set<() => void>();
  const callers = new Map<string, Caller>(
    Object.entries(SCOPES_OF).map(([token, scopes]) => [
      token,
      { accountId: newId(), limitedAs: newId(), scopes: new Set(scopes) },
    ]),
  );
  const keep = (level: string) => (fields: object, message: string) => void log.push({ level, fields, message });
  const server = buildServer<Seen>({
    ctx: seen,
    routes: routesOf(waiting),
    authenticate: async (token) => {
      seen.authenticated.push(token);
      return callers.get(token);
    },
    log: { ...silentLog, info: keep('info'), warn: keep('warn'), error: keep('error') },
    clock: { now: () => new Date() },
    settings: {
      baseUrl: 'http://127.0.0.1',
      trustProxy: undefined,
      rateLimitTokenPerMinute: 0,
      rateLimitIpPerMinute: 0,
    },
    ready: async () => ({ ready: true }),
    ...options,
  });
  const { port } = await server.listen(0, '127.0.0.1');
  const release = (): void => {
    for (const done of waiting) done();
    waiting.clear();
  };
  return { ...server, port, url: `http://127.0.0.1:${port}/api/v1`, seen, log, release };
}

const head = { summary: '', replies: {} } as const;

function routesOf(waiting: Set<() => void>): Route<Seen>[] {
  return [
    route({
      ...head,
      method: 'POST',
      path: '/orders',
      access: { scope: 'orders:write' },
      operationId: 'echo',
      body: Type.Object({
        type: Type.Optional(oneOf(['sample', 'bulk'])),
        items: Type.Array(
          Type.Object({
            quantity: Type.Integer({ minimum: 1, maximum: 10_000 }),
            name: Type.Optional(Type.String({ maxLength: 5 })),
          }),
          { minItems: 1, maxItems: 1_000 },
        ),
        notes: Type.Optional(nullable(Type.String())),
        inputs: Type.Optional(dictionary(Type.String(), { maxProperties: 10 })),
      }),
      handle: async (ctx, _caller, { body, unknownFields }) => {
        ctx.bodies.push(body);
        return {
          status: 201,
          body: { body, unknown_fields: unknownFields.map(({ path }) => path) },
          headers: { 'x-own': 'yes' },
        };
      },
    }),
    route({
      ...head,
      method: 'GET',
      path: '/orders',
      access: { scope: 'orders:read' },
      operationId: 'list',
      query: Type.Object({ status: Type.Optional(oneOf(['pending', 'confirmed'])), ...pageQuery('ord') }),
      handle: async (_ctx, _caller, { query }) => ({ status: 200, body: readPage('ord', query) }),
    }),
    route({
      ...head,
      method: 'GET',
      path: '/orders/:id',
      access: { scope: 'orders:read' },
      operationId: 'read',
      params: Type.Object({ id: Type.String() }),
      handle: async (_ctx, _caller, { params }) => ({ status: 200, body: { id: params.id } }),
    }),
    route({
      ...head,
      method: 'POST',
      path: '/orders/:id/cancel',
      access: { scope: 'orders:write' },
      operationId: 'cancel',
      isUrgent: true,
      handle: async (_ctx, _caller, { body }) => ({ status: 200, body: { hasBody: body !== undefined } }),
    }),
    route({
      ...head,
      method: 'DELETE',
      path: '/orders/:id',
      access: { scope: 'orders:write' },
      operationId: 'remove',
      handle: async () => ({ status: 204 }),
    }),
    route({
      ...head,
      method: 'GET',
      path: '/broken',
      access: { scope: 'orders:read' },
      operationId: 'broken',
      handle: async () => {
        throw Object.assign(new Error('relation "secret_table" does not exist'), { detail: 'Key (email)=(a@b)' });
      },
    }),
    route({
      ...head,
      method: 'POST',
      path: '/slow',
      access: { scope: 'orders:read' },
      operationId: 'slow',
      handle: async (ctx, _caller, { signal }) => {
        signal.addEventListener('abort', () => {
          ctx.aborted += 1;
        });
        await new Promise<void>((resolve) => waiting.add(resolve));
        return { status: 200, body: { slow: true } };
      },
    }),
  ];
}

/** Writes bytes to a fresh connection and gives back all that comes until it ends, or `undefined` when it is reset. */
export async function exchange(port: number, chunks: readonly (string | Buffer)[]): Promise<string | undefined> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
    });
    socket.on('error', () => resolve(undefined));
    socket.on('end', () => resolve(received));
    for (const chunk of chunks) socket.write(chunk);
  });
}

/** The JSON of an answer whose members the test goes on to look at. */
export type Answer = {
  status: number;
  code: string;
  detail: string;
  request_id: string;
  errors: { path: string; code: string; valid_values?: string[] }[];
};

/** Reads the JSON of an answer; `{}` when there is none. */
export function parseAnswer(text: string): Answer {
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

/** Polls until a condition holds; throws after twenty seconds. */
export async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    if (isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('what the test waits for did not happen within twenty seconds');
}
