import { type IncomingMessage, request } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { bareHost } from './addresses.ts';

export type LoopbackPost = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  readonly signal: AbortSignal;
};

export type LoopbackResult =
  | { readonly kind: 'answered'; readonly status: number }
  /** Nothing listens there, or it went away before it answered: a retry may succeed. */
  | { readonly kind: 'unreached'; readonly error: string }
  /** It answered too slowly, or too much: no retry. */
  | { readonly kind: 'failed'; readonly error: string };

/**
 * Reads an address on this machine: http, and `localhost` or a loopback address as its host.
 *
 * Undefined for every other, so that what is meant for a developer's own server cannot leave the machine.
 */
export function readLoopbackUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:' || url.username !== '' || url.password !== '') return undefined;
  const host = bareHost(url.hostname);
  return host === 'localhost' || isLoopback(host) ? url : undefined;
}

/**
 * Posts to an address that `readLoopbackUrl` has read, and follows no redirect.
 *
 * `localhost` is taken for the two loopback addresses without a look-up, so no name service can lead elsewhere.
 * Whatever the server there does is a value; throws the signal's reason when it ends the attempt.
 */
export async function postToLoopback(url: URL, post: LoopbackPost): Promise<LoopbackResult> {
  const deadline = AbortSignal.timeout(post.timeoutMs);
  try {
    const answer = await send(url, post, AbortSignal.any([deadline, post.signal]));
    let bytes = 0;
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > post.answerBytesMax) {
        answer.destroy();
        return { kind: 'failed', error: `the answer is larger than ${post.answerBytesMax} bytes` };
      }
    }
    return { kind: 'answered', status: answer.statusCode ?? 0 };
  } catch (error) {
    post.signal.throwIfAborted();
    if (deadline.aborted) return { kind: 'failed', error: `no answer within ${post.timeoutMs} ms` };
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = code === 'ECONNREFUSED' ? 'nothing listens there' : `the connection broke (${code})`;
    return { kind: 'unreached', error: why };
  }
}

function send(url: URL, post: LoopbackPost, signal: AbortSignal): Promise<IncomingMessage> {
  const { headers, body } = post;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
      agent: false,
      lookup: lookupLoopback,
      signal,
    });
    sent.once('response', resolve);
    // Not once: an aborted request can fail again after its answer has begun.
    sent.on('error', reject);
    sent.end(body);
  });
}

const lookupLoopback: LookupFunction = (_hostname, options, callback) => {
  const addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
  if (options.all === true) callback(null, addresses);
  else callback(null, '127.0.0.1', 4);
};

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && ipaddr.parse(host).range() === 'loopback';
}
