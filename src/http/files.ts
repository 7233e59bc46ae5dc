import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSignedUrl } from '../artwork/signed-url.ts';
import { findBlobHead } from '../artwork/sql.ts';
import { BlobStoreAway } from '../lib/blobs/failures.ts';
import type { ByteRange } from '../lib/blobs.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, notFound, unavailable } from '../lib/errors.ts';
import { namedAs } from '../lib/text/file-name.ts';

/**
 * Mounts signed downloads: `/files/{hash}?expires=…&signature=…`, with `name=…` to save the file
 * under a name. A wrong or expired signature is the same 404 as an unknown file, so the address
 * does not show which files exist. A file is found by its hash alone; no path is made of a
 * request's text. One range of bytes is 206 (RFC 9110 section 14), several ranges are the whole
 * file, and a client that has the file gets 304. No cache keeps a file: a personalised one shows
 * the name or the photo of a person.
 */
export function mountFiles(app: FastifyInstance, ctx: Context): void {
  app.get<{ Params: { hash: string }; Querystring: Record<string, unknown> }>(
    '/files/:hash',
    async (request, reply) => {
      const { hash } = request.params;
      const { expires, name, signature } = request.query;
      if (typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (name !== undefined && typeof name !== 'string') throw notFound();
      if (!isSignedUrl(ctx.secrets, { hash, expires, name, signature }, ctx.clock.now())) throw notFound();
      const head = await findBlobHead(ctx.database, hash);
      if (head === undefined) throw notFound();
      const etag = `"${hash}"`;
      if (hasAlready(request.headers['if-none-match'], etag)) return reply.code(304).header('etag', etag).send();
      const range = rangeOf(request, etag, head.bytes);
      const file = await openStored(ctx, hash, range);
      if (file === undefined) throw notFound();
      reply.headers({
        etag,
        ...(name === undefined ? {} : namedAs(name)),
        'content-type': head.mime,
        'accept-ranges': 'bytes',
        // Bytes from outside run nothing, whatever a browser takes them for.
        'content-security-policy': "default-src 'none'; sandbox",
      });
      return sizedFor(reply, file.bytes, range).send(file.stream);
    },
  );
}

/** Opens stored bytes; a store that is away is 503, since it says nothing about the file. */
async function openStored(ctx: Context, hash: string, range: ByteRange | undefined) {
  try {
    return await ctx.blobs.open(hash, range);
  } catch (error) {
    if (error instanceof BlobStoreAway) {
      throw unavailable('Stored files cannot be read right now. Try again in a few seconds.', error);
    }
    throw error;
  }
}

/** Whether the condition of a request names the file; it may also be weak (RFC 9110 13.1.2). */
function hasAlready(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && (ifNoneMatch.trim() === '*' || ifNoneMatch.includes(etag));
}

/**
 * The range that a request asks for; undefined for the whole file.
 * Throws 416 for a range that the file does not reach.
 */
function rangeOf(request: FastifyRequest, etag: string, bytes: number): ByteRange | undefined {
  const { range, 'if-range': ifRange } = request.headers;
  // Ranges are defined for GET only, and a condition that does not hold means the whole file.
  if (range === undefined || request.method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const asked = readByteRange(range, bytes);
  if (asked !== 'unsatisfiable') return asked;
  throw new ApiError('range_not_satisfiable', `The file has ${bytes} bytes, and none of them in the range asked for.`, {
    headers: { 'content-range': `bytes */${bytes}` },
  });
}

/**
 * Reads a `Range` header for a file of this many bytes (RFC 9110 14.1.2).
 * Undefined means the whole file: a list of ranges, another unit or an unreadable value is ignored, as
 * the standard allows.
 */
export function readByteRange(header: string, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header);
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= bytes) return 'unsatisfiable';
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) };
}

function sizedFor(reply: FastifyReply, bytes: number, range: ByteRange | undefined): FastifyReply {
  if (range === undefined) return reply.header('content-length', bytes);
  return reply.code(206).headers({
    'content-length': range.end - range.start + 1,
    'content-range': `bytes ${range.start}-${range.end}/${bytes}`,
  });
}
