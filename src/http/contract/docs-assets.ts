import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createGunzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A document that is the same for every client, kept compressed. */
export type Asset = { readonly type: string; readonly gzipped: Buffer; readonly etag: string };

/** How long a browser may use an asset without revalidating its ETag. */
const FRESH_SECONDS = 300;

/** Reading takes about two seconds. */
const READING_MS_MAX = 30_000;

/** Makes an asset of a text. */
export async function assetOf(type: string, text: string): Promise<Asset> {
  return named(type, await promisify(gzip)(text, { level: 9 }));
}

/**
 * Reads the script of the reference page from its npm package.
 * The package has it as a string of four megabytes inside a module, which stays in memory once it is
 * loaded. A thread of its own loads it, compresses it and ends
 * (docs/decisions/0018-libraries-tried.md). Throws when the thread fails or takes too long.
 */
export async function readReferenceScript(): Promise<Asset> {
  const worker = new Worker(new URL('./docs-bundle-worker.ts', import.meta.url));
  try {
    const signal = AbortSignal.timeout(READING_MS_MAX);
    const [gzipped] = (await once(worker, 'message', { signal })) as [Uint8Array];
    return named('text/javascript; charset=utf-8', gzipped);
  } finally {
    await worker.terminate();
  }
}

/** Makes a value on the first call, and again after a failure. Concurrent calls share one. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Sends an asset, or 304 when the client has it (RFC 9110 13.1.2).
 * Compressed for a client that accepts gzip.
 */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
  headers: Readonly<Record<string, string>> = {},
): FastifyReply {
  reply.headers({
    ...headers,
    etag: asset.etag,
    'cache-control': `public, max-age=${FRESH_SECONDS}`,
    vary: 'Accept-Encoding',
  });
  if (isKnown(request.headers['if-none-match'], asset.etag)) return reply.code(304).send();
  reply.header('content-type', asset.type);
  // All clients share the compressed bytes, or have them decompressed as a stream: a slow reader holds no copy.
  if (takesGzip(request.headers['accept-encoding'])) {
    return reply.header('content-encoding', 'gzip').send(asset.gzipped);
  }
  return reply.send(Readable.from([asset.gzipped], { objectMode: false }).pipe(createGunzip()));
}

function named(type: string, bytes: Uint8Array): Asset {
  const gzipped = Buffer.from(bytes);
  // Weak: the bytes differ by encoding, the content does not.
  return { type, gzipped, etag: `W/"${createHash('sha256').update(gzipped).digest('base64url').slice(0, 22)}"` };
}

function isKnown(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return (header ?? '').split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag));
}

/** A q-value for gzip itself outranks one for any coding (RFC 9110 12.5.3). */
function takesGzip(header: string | string[] | undefined): boolean {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((coding) => {
        const [name = '', weight = 'q=1'] = coding.split(';').map((part) => part.trim());
        return [name, Number(weight.replace('q=', ''))] as const;
      }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
