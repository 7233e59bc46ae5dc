import type { Context } from '../lib/context.ts';
import type { ImagePool } from './image-pool.ts';

/** What the artwork use cases take: the common context, and the processes that decode images. */
export type ArtworkContext = Context & { readonly images: ImagePool };
