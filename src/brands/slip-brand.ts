import type { ArtworkContext } from '../artwork/context.ts';
import { readLogo } from '../artwork/logo/make-logo.ts';
import type { Uuid } from '../lib/ids.ts';
import { type BrandContent, findRevision } from './sql.ts';

/** A brand as a packing slip prints it; the logo is a PNG. */
export type SlipBrand = Omit<BrandContent, 'logo_hash'> & { readonly logo: Uint8Array | null };

/** Reads what an order was placed with; undefined once it is erased. */
export async function readSlipBrand(
  ctx: Pick<ArtworkContext, 'database' | 'blobs'>,
  accountId: Uuid,
  revisionId: Uuid,
): Promise<SlipBrand | undefined> {
  const content = await findRevision(ctx.database, accountId, revisionId);
  return content && slipBrandOf(ctx, content);
}

/** The same of a brand that was read. */
export async function slipBrandOf(ctx: Pick<ArtworkContext, 'blobs'>, content: BrandContent): Promise<SlipBrand> {
  const { name, message, support_email, website, return_lines, logo_hash: hash } = content;
  const logo = hash === null ? undefined : await readLogo(ctx, hash);
  return { name, message, support_email, website, return_lines, logo: logo ?? null };
}
