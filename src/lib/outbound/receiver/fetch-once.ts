import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import type { SecureContext } from 'node:tls';
import type { FetchFailureCode } from '../addresses.ts';
import { chunksOf, exchangeOnce } from '../exchange.ts';
import type { CallProgress } from '../failures.ts';
import type { Reachable } from '../gate.ts';

/** The bytes of a file that was fetched whole, and their SHA-256 in lower-case hexadecimal. */
export type FetchedFile = { readonly kind: 'ok'; readonly bytes: number; readonly hash: string };

/** Why a file was not fetched: `message` tells the caller what to change. */
export type FetchFailed = { readonly kind: 'failed'; readonly code: FetchFailureCode; readonly message: string };

/** How the fetch from one address has ended. */
export type Fetched = FetchedFile | FetchFailed | { readonly kind: 'redirect'; readonly location: string };

/** One fetch from one address. */
export type FetchOnce = {
  readonly target: Reachable;
  readonly secureContext: SecureContext;
  readonly signal: AbortSignal;
  readonly progress: CallProgress;
  /** A file that is there. */
  readonly path: string;
  readonly maxBytes: number;
  /** Waits for room for the length of the file, or for the most that it may have. */
  readonly reserve: (bytes: number) => Promise<void>;
  /** Takes a chunk in once its turn has come. */
  readonly receive: (bytes: number, take: () => void) => Promise<void>;
};

/** The file could not be written: the fault is ours, and says nothing of the host. */
export class FileNotWritten extends Error {
  override name = 'FileNotWritten';
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308];

/** Identity encoding, so that the bytes counted are the bytes stored; and the three formats we accept. */
const DOWNLOAD_HEADERS = {
  'user-agent': 'platen-artwork/1',
  accept: 'image/png, image/jpeg, image/webp, */*;q=0.1',
  'accept-encoding': 'identity',
};

/**
 * Asks one address for a file, and writes it while it comes in.
 * Follows no redirect. Throws what the connection throws, and `FileNotWritten`.
 */
export async function fetchOnce(fetch: FetchOnce): Promise<Fetched> {
  const request = { method: 'GET', headers: DOWNLOAD_HEADERS, body: null } as const;
  return exchangeOnce({ ...fetch, request }, async ({ statusCode, headers, body }) => {
    if (REDIRECT_STATUSES.includes(statusCode)) return redirect(fetch.target, headers.location);
    if (statusCode !== 200) {
      return failed('fetch', `The server must answer 200 with the file, and answered ${statusCode}.`);
    }
    const encoding = headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') return failed('fetch', 'The server must send the file without content encoding.');
    const tooLarge = failed('size', `The file must have at most ${fetch.maxBytes} bytes.`);
    const declared = headers['content-length'];
    if (Number(declared ?? 0) > fetch.maxBytes) return tooLarge;
    await fetch.reserve(declared === undefined ? fetch.maxBytes : Number(declared));
    const file = openFile(fetch.path);
    try {
      for await (const chunk of chunksOf(body)) {
        if (file.bytes() + chunk.length > fetch.maxBytes) return tooLarge;
        await fetch.receive(chunk.length, () => file.write(chunk));
      }
      return { kind: 'ok', bytes: file.bytes(), hash: file.hash() };
    } finally {
      file.close();
    }
  });
}

/** Says that a file was not fetched, and why. */
export function failed(code: FetchFailureCode, message: string): FetchFailed {
  return { kind: 'failed', code, message };
}

function redirect(target: Reachable, location: string | string[] | undefined): Fetched {
  if (typeof location !== 'string') return failed('fetch', 'The server redirects without saying where to.');
  const url = URL.parse(location, target.url.href);
  if (url === null) return failed('fetch', 'The server redirects to something that is not a URL.');
  return { kind: 'redirect', location: url.href };
}

/**
 * A file that is written from its beginning.
 * Each write waits for the disk: it is a thread that does nothing else.
 */
function openFile(path: string) {
  const handle = orNotWritten(() => openSync(path, 'r+'));
  const digest = createHash('sha256');
  let bytes = 0;
  return {
    write: (chunk: Uint8Array): void => {
      for (let offset = 0; offset < chunk.byteLength; ) {
        offset += orNotWritten(() => writeSync(handle, chunk, offset));
      }
      digest.update(chunk);
      bytes += chunk.byteLength;
    },
    bytes: (): number => bytes,
    hash: (): string => digest.digest('hex'),
    close: (): void => closeSync(handle),
  };
}

function orNotWritten<T>(step: () => T): T {
  try {
    return step();
  } catch (cause) {
    throw new FileNotWritten('the file could not be written', { cause });
  }
}
