import type { Server } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';

/**
 * How long an idle connection is kept once draining begins. A client that is sending its next
 * request at that moment gets an answer with `Connection: close` in place of a reset.
 */
const IDLE_LINGER_MS = 1_000;
const SWEEP_MS = 100;

/**
 * Watches the connections of a server and returns the function that ends them.
 * No new connection is accepted; those in use finish their request, idle ones are closed a second
 * later, and what is left after `graceMs` is cut off. Resolves when the last has closed (bad input
 * N199).
 */
export function watchConnections(server: Server): (graceMs: number) => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async (graceMs) => {
    const beganMs = performance.now();
    const ended = new Promise<void>((resolve) => {
      // The TCP server's own `close`: that of the HTTP server would cut idle connections at this very moment.
      TcpServer.prototype.close.call(server, () => resolve());
    });
    const sweep = setInterval(() => {
      const waitedMs = performance.now() - beganMs;
      if (waitedMs >= graceMs) server.closeAllConnections();
      if (waitedMs < Math.min(IDLE_LINGER_MS, graceMs)) return;
      server.closeIdleConnections();
      // Opened and never used, such as a browser's spare; the server does not count it as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, SWEEP_MS);
    await ended;
    clearInterval(sweep);
  };
}
