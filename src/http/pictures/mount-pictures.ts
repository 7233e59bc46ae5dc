import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ProofContext } from '../../artwork/context.ts';
import { shownKindOf } from '../../artwork/mockup/garment.ts';
import { garmentSvg, readGarmentName } from '../../artwork/mockup/garment-picture.ts';
import { isSignedProof, type ShownMockup, signedMockup, signedPicture } from '../../artwork/proof/proof-url.ts';
import { type PictureFile, showMockup, showPicture } from '../../artwork/proof/show-picture.ts';
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
 * on the colour of a variant, and `/mockups/{hash}?area=…&on=…&at=…` one on the garment that the variant is. As with
 * `/files`, whatever is wrong with an address is the same 404, and no cache keeps a picture. A picture of a file that
 * is deleted is not shown, even where it was drawn before. `/garments/{name}` is a garment without a print; it holds
 * nothing of an account, so every cache may keep it.
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
  app.get<{ Params: { name: string } }>('/garments/:name', async (request, reply) => {
    const garment = readGarmentName(request.params.name);
    if (garment === undefined) throw notFound();
    reply.headers({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=86400',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    return reply.send(garmentSvg(garment));
  });
  app.get<{ Params: { hash: string }; Querystring: Record<string, unknown> }>(
    '/mockups/:hash',
    async (request, reply) => {
      const { width, area, on, at, expires, signature } = request.query;
      if (typeof width !== 'string' || typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (typeof area !== 'string' || typeof on !== 'string' || typeof at !== 'string') throw notFound();
      const asked = { hash: hashOf(request.params.hash), width, area, on, at, expires, signature };
      const mockup = signedMockup(ctx.secrets, asked, ctx.clock.now());
      if (mockup === undefined || (await findBlobHead(ctx.database, mockup.hash)) === undefined) throw notFound();
      const file = await mockupOf(contextFor(askerOf(request, reply)), mockup);
      if (file === undefined) throw notFound();
      return send(reply, file);
    },
  );
  app.get<{ Params: { hash: string }; Querystring: Record<string, unknown> }>(
    '/pictures/:hash',
    async (request, reply) => {
      const { width, on, expires, signature } = request.query;
      if (typeof width !== 'string' || typeof expires !== 'string' || typeof signature !== 'string') throw notFound();
      if (on !== undefined && typeof on !== 'string') throw notFound();
      const asked = { hash: hashOf(request.params.hash), width, on, expires, signature };
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

/**
 * Artwork on the garment of a variant as the catalogue has it now, or on a panel.
 * A variant that the catalogue has lost, or the print area, is its colour alone.
 */
async function mockupOf(ctx: PicturesContext, mockup: ShownMockup): Promise<PictureFile | undefined> {
  const { hash, widthPx, onSku, printArea, position } = mockup;
  const known = (await ctx.catalogue.latest()).bySku.get(onSku);
  const ground = known?.variant.entry.colour_hex ?? '#ffffff';
  const area = known?.baseProduct.areas.get(printArea);
  if (known === undefined || area === undefined) return showPicture(ctx, hash, { widthPx, ground });
  const { entry } = known.baseProduct;
  const garment = shownKindOf(entry, printArea);
  const template = { widthPx: area.width_px, heightPx: area.height_px };
  return showMockup(ctx, hash, { garment, title: entry.title, printArea, position, template, ground, widthPx });
}

/** The colour of a variant as the catalogue has it now; white for one that it has lost. */
async function groundOf(ctx: PicturesContext, sku: string | undefined): Promise<string | null> {
  if (sku === undefined) return null;
  return (await ctx.catalogue.latest()).bySku.get(sku)?.variant.entry.colour_hex ?? '#ffffff';
}

/** The name of a file that a shop reads ends with its kind: WordPress takes no other. */
const hashOf = (name: string): string => name.replace(/\.jpg$/, '');

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
