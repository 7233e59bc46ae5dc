import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { type NetConnectOpts, Socket } from 'node:net';

// Preloaded into a process of the service (`--import`): the shops of Shopify are at TEST_SHOPIFY_PORT of this machine,
// which no name server says, and whose own port is an administrator's to listen at.

const HTTPS = 443;
const port = Number(process.env.TEST_SHOPIFY_PORT);
const { lookup } = dns;

async function found(host: string, options: object): Promise<unknown> {
  return host.endsWith('.myshopify.com') ? [{ address: '127.0.0.1', family: 4 }] : lookup(host, options);
}
dns.lookup = found as typeof lookup;
syncBuiltinESMExports();

const { connect } = Socket.prototype as { connect: (...given: unknown[]) => Socket };
Socket.prototype.connect = function reach(this: Socket, ...given: unknown[]): Socket {
  const [first] = given;
  const to = (Array.isArray(first) ? first[0] : first) as NetConnectOpts | string | undefined;
  if (typeof to === 'object' && 'port' in to && to.port === HTTPS) to.port = port;
  return connect.apply(this, given);
};
