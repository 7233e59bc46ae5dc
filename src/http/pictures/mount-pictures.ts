import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProofContext } from '../../artwork/context.ts';
import { isSignedProof, signedPicture } from '../../artwork/proof/proof-url.ts';
import { type PictureFile, showPicture } from '../../artwork/proof/show-picture.ts';
import { findBlobHead } from '../../artwork/sql.ts';
import type { CatalogueCache } from '../../catalogue/reference.ts';
import { notFound } from '../../lib/errors.ts';
import type { Asker } from '../../lib/turns/owner.ts';
import { ipKey } from '../rate-limit.ts';

export type PicturesContext = ProofContext & { readonly catalogue: CatalogueCache };

/** The context of one request: what it takes of shared resources waits for its caller's turn. */
type ContextFor = (asker: Asker) => PicturesContext;

/**
 * Mounts the pictures that are drawn to be looked at and kept for an hour.
 * `/proofs/{name}` is the proof of a personalised piece, `/pictures/{hash}?width=…&on=…` a stored picture at a width,
 * on the colour of a variant. As with `/files`, whatever is wrong with an address is the same 404, and no cache keeps a
 * picture. A picture of a file that is deleted is not shown, even where it was drawn before.
 */
export function mountPictures(app: FastifyInstance, ctx: PicturesContext, contextFor: ContextFor): void {
  app.get<{ Params: { name: string }; Querystring: Record<string, unknown> }>(
    '/proofs/:name',
    async (request, reply) => {
      const { name } = request.params;
      const { expires, signature } = request.query;
      if (typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (!isSignedProof(ctx.secrets, name, { expires, signature }, ctx.clock.now())) throw notFound();
      const file = await ctx.blobs.passing.open(name);
      if (file === undefined) throw notFound();
      return send(reply, { ...file, mime: 'image/jpeg' });
    },
  );
  app.get<{ Params: { hash: string }; Querystring: Record<string, unknown> }>(
    '/pictures/:hash',
    async (request, reply) => {
      const { width, on, expires, signature } = request.query;
      if (typeof width !== 'string' || typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (on !== undefined && typeof on !== 'string') throw notFound();
      const asked = { hash: request.params.hash, width, on, expires, signature };
      const picture = signedPicture(ctx.secrets, asked, ctx.clock.now());
      if (picture === undefined || (await findBlobHead(ctx.database, picture.hash)) === undefined) throw notFound();
      const ground = await groundOf(ctx, picture.onSku);
      const file = await showPicture(contextFor(askerOf(request, reply)), picture.hash, {
        widthPx: picture.widthPx,
        ground,
      });
      if (file === undefined) throw notFound();
      return send(reply, file);
    },
  );
}

/** The colour of a variant as the catalogue has it now; white for one that it has lost. */
async function groundOf(ctx: PicturesContext, sku: string | undefined): Promise<string | null> {
  if (sku === undefined) return null;
  return (await ctx.catalogue.latest()).bySku.get(sku)?.variant.entry.colour_hex ?? '#ffffff';
}

/** A signed address says nothing of its account, so turns are by the address of the network. */
function askerOf(request: FastifyRequest, reply: FastifyReply): Asker {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return { owner: `address:${ipKey(request.ip) ?? 'unknown'}`, signal: gone.signal };
}

function send(reply: FastifyReply, { stream, bytes, mime }: PictureFile): FastifyReply {
  reply.headers({
    'content-type': mime,
    'content-length': bytes,
    'content-security-policy': "default-src 'none'; sandbox",
  });
  return reply.send(stream);
}
