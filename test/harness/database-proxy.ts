import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './database.ts';

/** One exchange with the database: the name of the prepared statement, or the text of a simple one. */
export type Exchange = { readonly statement: string };

/**
 * What a test does with an exchange. `before` is called when it is about to be sent, `after` when the database has
 * answered it and is done with it, which for a statement outside of a transaction is after its commit. `swallow`: it
 * goes no further, and nobody hears anything on this connection again; `cut`: the connection is reset there.
 */
export type Watcher = {
  readonly before?: (exchange: Exchange) => Verdict;
  readonly after?: (exchange: Exchange) => Verdict;
};

export type Verdict = 'pass' | 'swallow' | 'cut';

export type DatabaseProxy = {
  /** The database's address by way of the proxy. */
  readonly url: string;
  readonly watch: (watcher: Watcher) => void;
  readonly close: () => Promise<void>;
};

/**
 * Stands between a service and PostgreSQL, understands where one exchange ends and the next begins, and lets a test
 * see each.
 */
export async function startDatabaseProxy(database: TestDatabase): Promise<DatabaseProxy> {
  const { address } = database;
  if (!('host' in address)) throw new Error('the test database has no socket');
  const { host, port, user, password } = address;
  let watcher: Watcher = {};
  const sockets = new Set<Socket>();

  const server = createServer((service) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    sockets.add(service).add(upstream);
    let isDone = false;
    const stop = (verdict: Verdict): void => {
      isDone = true;
      if (verdict !== 'cut') return;
      service.resetAndDestroy();
      upstream.destroy();
    };
    /** Sent and not answered yet, oldest first. */
    const open: Exchange[] = [];
    const takeRequest = messages(true);
    const takeAnswer = messages(false);
    let batch: Buffer[] = [];
    let statement = '';
    service.on('data', (bytes) => {
      for (const message of takeRequest(bytes)) {
        batch.push(message.bytes);
        if (message.type === 'B') statement = textAt(message.bytes, endOfText(message.bytes, 5) + 1);
        if (message.type === 'Q') statement = textAt(message.bytes, 5);
        const isWhole = message.type === 'S' || message.type === 'Q';
        // What belongs to no exchange (the greeting, the password) goes on at once; the parts of one wait for its end.
        if (!isWhole && PARTS.has(message.type)) continue;
        if (isDone) return;
        if (isWhole) {
          const exchange = { statement };
          const verdict = watcher.before?.(exchange) ?? 'pass';
          if (verdict !== 'pass') return stop(verdict);
          open.push(exchange);
        }
        upstream.write(Buffer.concat(batch));
        batch = [];
      }
    });
    let answer: Buffer[] = [];
    upstream.on('data', (bytes) => {
      for (const message of takeAnswer(bytes)) {
        answer.push(message.bytes);
        if (message.type === 'Z') {
          const exchange = open.shift();
          if (isDone) return;
          const verdict = exchange === undefined ? 'pass' : (watcher.after?.(exchange) ?? 'pass');
          if (verdict !== 'pass') return stop(verdict);
        }
        if (message.type !== 'Z' && open.length > 0) continue;
        service.write(Buffer.concat(answer));
        answer = [];
      }
    });
    for (const [one, other] of [
      [service, upstream],
      [upstream, service],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${ownPort}/${address.database}`,
    watch: (next) => {
      watcher = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The messages that an exchange is made of before its end: parse, bind, describe, execute, close, flush. */
const PARTS: ReadonlySet<string> = new Set(['P', 'B', 'D', 'E', 'C', 'H']);

type Message = { readonly type: string; readonly bytes: Buffer };

/** Cuts a stream into messages: a letter, then a length that counts itself. The first one of a client has no letter. */
function messages(isClient: boolean): (bytes: Buffer) => Message[] {
  let rest = Buffer.alloc(0);
  let isFirst = isClient;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const found: Message[] = [];
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4) return found;
      const length = head + rest.readUInt32BE(head);
      if (rest.length < length) return found;
      found.push({ type: isFirst ? '' : rest.toString('latin1', 0, 1), bytes: rest.subarray(0, length) });
      rest = rest.subarray(length);
      isFirst = false;
    }
  };
}

function endOfText(bytes: Buffer, from: number): number {
  return bytes.indexOf(0, from);
}

function textAt(bytes: Buffer, from: number): string {
  return bytes.toString('utf8', from, endOfText(bytes, from));
}
