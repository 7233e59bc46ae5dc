import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * How long further bytes of a refused client are read and dropped.
 * A connection that is closed with unread bytes is reset, and a reset can destroy the answer on its
 * way to a client that has not finished sending (RFC 9112 9.6).
 */
const LINGER_MS = 2_000;

/** Writes the rest of an answer to a socket, then closes it without a reset. */
export function closeAfterReply(socket: Socket, answer: string): void {
  socket.end(answer);
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  // A well-behaved client ends before the timer does.
  socket.once('end', () => socket.destroy());
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Sends a whole answer to a request whose body is still arriving, then closes the connection.
 * The answer states its length, so the client can read all of it at once. The response ends, and with
 * it the connection, when the body has arrived or the time is up.
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
