import type { Outcome } from './retry.ts';
import { VERSION } from './version.ts';

/** As much of `fetch` as the client uses; the one of the runtime fits. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}>;

/**
 * Gives the token of a request; asked before each. After a 401 it is asked once more and told which token was refused:
 * with another one the request is sent again.
 */
export type TokenSource = (refused?: string) => string | Promise<string>;

const JSON_TYPE = 'application/json';

/** A request but for its token. */
export type Request = {
  readonly method: string;
  readonly url: string;
  /** The body, JSON text. */
  readonly text: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
};

/** Sends with the token of the moment, and once more with another when the service does not take the first. */
export async function sendAuthorised(fetch: Fetch, source: TokenSource, request: Request): Promise<Outcome> {
  const token = checkToken(await source());
  const outcome = await sendOnce(fetch, token, request);
  if (outcome.kind === 'lost' || outcome.status !== 401) return outcome;
  const other = checkToken(await source(token));
  return other === token ? outcome : sendOnce(fetch, other, request);
}

/** The token as it is. Throws a TypeError, which does not show it, when no header could carry it. */
export function checkToken(token: string): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError('The token must be the whole token and nothing else: no spaces, no line break, not empty.');
}

/** One attempt within its time. What the network does is a value; the reason of the caller's signal is thrown. */
async function sendOnce(fetch: Fetch, token: string, request: Request): Promise<Outcome> {
  const { method, url, text, timeoutMs, signal } = request;
  signal?.throwIfAborted();
  const stop = new AbortController();
  let isTimeout = false;
  const timer = setTimeout(() => {
    isTimeout = true;
    stop.abort();
  }, timeoutMs);
  const end = (): void => stop.abort();
  signal?.addEventListener('abort', end, { once: true });
  try {
    const response = await fetch(url, {
      method,
      headers: {
        accept: JSON_TYPE,
        authorization: `Bearer ${token}`,
        'user-agent': `platen-sdk/${VERSION}`,
        ...(text === undefined ? {} : { 'content-type': JSON_TYPE }),
      },
      ...(text === undefined ? {} : { body: text }),
      // The service never redirects, and a token must not follow whoever does.
      redirect: 'manual',
      signal: stop.signal,
    });
    const bytes = await response.arrayBuffer();
    return { kind: 'answered', status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    signal?.throwIfAborted();
    return { kind: 'lost', isTimeout, cause };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}
