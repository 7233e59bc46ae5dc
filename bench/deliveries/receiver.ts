import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../test/harness/authority.ts';
import { answer } from '../service-process.ts';

/** How a receiver is reached. */
export type ReceiverReady = { readonly hostPort: string; readonly authorityPem: string };

/**
 * What arrived since the last question: deliveries, distinct ones, and how late each was (ms, in order).
 * `replayed` is of the subscription whose events are replayed: how late what is new was, and how many old ones came.
 */
export type Arrived = {
  readonly count: number;
  readonly distinct: number;
  readonly lagsMs: readonly number[];
  readonly replayed: { readonly lagsMs: readonly number[]; readonly old: number };
};

/**
 * A receiver over HTTPS in a process of its own. It answers 200 at once on `/answers` and `/replayed`, and never on any
 * other path. The connections stay open as long as Node.js keeps them by default.
 */
const authority = createAuthority();
const server = createServer(authority.issue({ hostnames: ['localhost'], ips: ['127.0.0.1'] }));
let ids = new Set<string>();
let count = 0;
let lagsMs: number[] = [];
let replayed: { lagsMs: number[]; old: number } = { lagsMs: [], old: 0 };
/** What is older than this when it comes is replayed. */
const OLD_MS = 600_000;
const CREATED_AT = /"created_at":"([^"]+)"/;

server.on('request', (request, response) => {
  const isReplayed = request.url === '/replayed';
  if (request.url !== '/answers' && !isReplayed) return;
  const atMs = Date.now();
  request.once('data', (chunk: Buffer) => {
    const createdAt = CREATED_AT.exec(chunk.toString('latin1'))?.[1];
    if (createdAt === undefined) return;
    const lagMs = atMs - Date.parse(createdAt);
    if (!isReplayed) lagsMs.push(lagMs);
    else if (lagMs < OLD_MS) replayed.lagsMs.push(lagMs);
    else replayed.old += 1;
  });
  request.resume();
  request.once('end', () => {
    if (!isReplayed) {
      count += 1;
      ids.add(String(request.headers['svc-delivery-id']));
    }
    response.writeHead(200, { 'content-length': 0 }).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ hostPort: `127.0.0.1:${port}`, authorityPem: authority.caPem } satisfies ReceiverReady);
});

answer(async () => {
  const arrived: Arrived = {
    count,
    distinct: ids.size,
    lagsMs: lagsMs.toSorted((a, b) => a - b),
    replayed: { ...replayed, lagsMs: replayed.lagsMs.toSorted((a, b) => a - b) },
  };
  [count, ids, lagsMs, replayed] = [0, new Set(), [], { lagsMs: [], old: 0 }];
  return arrived;
});
process.on('SIGTERM', () => process.exit(0));
