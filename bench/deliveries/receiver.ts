import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../test/harness/authority.ts';
import { answer } from '../service-process.ts';

/** How a receiver is reached. */
export type ReceiverReady = { readonly hostPort: string; readonly authorityPem: string };

/** What arrived since the last question: deliveries, distinct ones, and how late each was (ms, in order). */
export type Arrived = { readonly count: number; readonly distinct: number; readonly lagsMs: readonly number[] };

/**
 * A receiver over HTTPS in a process of its own. It answers 200 at once on `/answers` and never on any other path. The
 * connections stay open as long as Node.js keeps them by default.
 */
const authority = createAuthority();
const server = createServer(authority.issue({ hostnames: ['localhost'], ips: ['127.0.0.1'] }));
let ids = new Set<string>();
let count = 0;
let lagsMs: number[] = [];
const CREATED_AT = /"created_at":"([^"]+)"/;

server.on('request', (request, response) => {
  if (request.url !== '/answers') return;
  const atMs = Date.now();
  request.once('data', (chunk: Buffer) => {
    const createdAt = CREATED_AT.exec(chunk.toString('latin1'))?.[1];
    if (createdAt !== undefined) lagsMs.push(atMs - Date.parse(createdAt));
  });
  request.resume();
  request.once('end', () => {
    count += 1;
    ids.add(String(request.headers['svc-delivery-id']));
    response.writeHead(200, { 'content-length': 0 }).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ hostPort: `127.0.0.1:${port}`, authorityPem: authority.caPem } satisfies ReceiverReady);
});

answer(async () => {
  const arrived: Arrived = { count, distinct: ids.size, lagsMs: lagsMs.toSorted((a, b) => a - b) };
  [count, ids, lagsMs] = [0, new Set(), []];
  return arrived;
});
process.on('SIGTERM', () => process.exit(0));
