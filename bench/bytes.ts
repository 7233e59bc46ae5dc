import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bare HTTP server that sends the same bytes to every request: what Node.js alone can do. */
const body = Buffer.from(process.env.BENCH_BYTES ?? '');
const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('SIGTERM', () => process.exit(0));
