import type { FastifyInstance } from 'fastify';
import { isSignedUrl } from '../artwork/signed-url.ts';
import { findBlobHead } from '../artwork/sql.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';

/**
 * Signed downloads: `/files/{hash}?expires=…&signature=…`. A wrong or expired signature is the same 404 as an unknown file,
 * so that nobody can ask which files exist. The hash is all that leads to a file; no path is ever made of a request's text.
 */
export function mountFiles(app: FastifyInstance, ctx: Context): void {
  app.get<{ Params: { hash: string }; Querystring: Record<string, unknown> }>(
    '/files/:hash',
    async (request, reply) => {
      const { hash } = request.params;
      const { expires, signature } = request.query;
      if (typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (!isSignedUrl(ctx.secrets, { hash, expires, signature }, ctx.clock.now())) throw notFound();
      const head = await findBlobHead(ctx.database, hash);
      const file = head === undefined ? undefined : await ctx.blobs.open(hash);
      if (head === undefined || file === undefined) throw notFound();
      return reply
        .headers({
          'content-type': head.mime,
          'content-length': file.bytes,
          // The content of a hash never changes; the address itself is good for an hour.
          'cache-control': 'private, max-age=3600, immutable',
          // Strangers' bytes are shown as the picture they were found to be and as nothing else.
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; sandbox",
        })
        .send(file.stream);
    },
  );
}
