import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Authority } from '../../harness/authority.ts';

export type Front = {
  /** Where the server behind it is reached by https. */
  readonly url: string;
  /** As `TRUSTED_PRIVATE_HOSTS` takes it. */
  readonly hostPort: string;
  readonly close: () => Promise<void>;
};

/** Puts TLS in front of a plain server of this machine, as a hosting does. */
export async function startFront(authority: Authority, hostname: string, port: number): Promise<Front> {
  const certificate = authority.issue({ hostnames: [hostname], ips: ['127.0.0.1'] });
  const server = createServer(certificate, (near, answer) => {
    const far = request(
      { host: '127.0.0.1', port, method: near.method, path: near.url, headers: near.headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    far.on('error', () => answer.destroy());
    near.pipe(far);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hostPort = `${hostname}:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${hostPort}`,
    hostPort,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
