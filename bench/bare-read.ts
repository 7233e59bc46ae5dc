import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DatabaseAddress } from '../src/lib/db.ts';
import { parseId, type Uuid } from '../src/lib/ids.ts';
import { findShownOrder } from '../src/orders/read-sql.ts';
import type { ApiReady } from './api.ts';
import { bareDb, openBarePool } from './bare-driver.ts';

/**
 * A bare HTTP server that reads one order: the service's own query by the primary key, through the bare driver, and its
 * rows as JSON. Nothing is checked, limited, counted or logged.
 */
const CONNECTIONS = 20;

const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress;
const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;
const accounts = new Map<string, Uuid>(api.customers.map(({ token, accountId }) => [`Bearer ${token}`, accountId]));
const db = bareDb(openBarePool(address, CONNECTIONS));

const server = createServer((request, response) => {
  request.resume();
  const id = parseId('ord', request.url?.split('/').at(-1) ?? '');
  const accountId = accounts.get(request.headers.authorization ?? '');
  const reply = (status: number, text: string): void => {
    const body = Buffer.from(text);
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.byteLength });
    response.end(body);
  };
  if (id === undefined || accountId === undefined) {
    reply(404, '{}');
    return;
  }
  findShownOrder(db, accountId, id).then(
    (row) => reply(row === undefined ? 404 : 200, JSON.stringify(row ?? {})),
    (error: unknown) => reply(500, JSON.stringify({ error: String(error) })),
  );
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('SIGTERM', () => process.exit(0));
process.on('disconnect', () => process.exit(0));
