import type { CatalogueCache } from '../catalogue/reference.ts';
import type { Context } from '../lib/context.ts';
import type { Turns } from '../lib/turns/turns.ts';
import type { ImagePool } from './image-pool.ts';

/** What the artwork use cases take: the common context, and the processes that decode images. */
export type ArtworkContext = Context & { readonly images: ImagePool };

/** What checking artwork for a print area takes, too: the catalogue in memory. */
export type PreflightContext = ArtworkContext & { readonly catalogue: CatalogueCache };

/** What drawing a picture to look at takes, too: its turns, which are not those of production. */
export type ProofContext = ArtworkContext & { readonly proofs: Turns };
