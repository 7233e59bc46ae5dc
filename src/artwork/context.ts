import type { Context } from '../lib/context.ts';
import type { PicturePool } from './image-pool.ts';

/** What the artwork use cases take: the ways out and the processes that decode strangers' pictures. */
export type ArtworkContext = Context & { readonly pictures: PicturePool };
