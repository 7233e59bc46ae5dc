import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long what a refused client still sends is read and dropped. A connection that is closed with
 * unread bytes is reset, and a reset can destroy the answer on its way to a client that has not
 * finished sending (RFC 9112 9.6).
 */
const LINGER_MS = 2_000;

/** Writes the rest of an answer to a socket, then closes it without a reset. */
export function endGently(socket: Socket, answer: string): void {
  socket.end(answer);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  // The client's own end arrives before the timer when it behaves.
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Sends a whole answer to a request whose body is still on its way and closes the connection
 * afterwards. The answer has its length in the head, so the client can read all of it at once; the
 * response ends, and with it the connection, when the body has come in or the time is up.
 */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  answer: { status: number; headers: Record<string, string>; text: string },
): void {
  response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
  response.write(answer.text);
  const timer = setTimeout(() => response.end(), LINGER_MS);
  request.once('end', () => response.end());
  response.once('close', () => clearTimeout(timer));
  request.resume();
}
