import sharp from 'sharp';
import type { Template } from '../../src/artwork/image-pool.ts';
import type { Position } from '../../src/artwork/place.ts';
import { noise } from '../../test/harness/pictures.ts';

/** A print area of 12 by 16 inches. */
export const TEMPLATE: Template = { widthPx: 3_600, heightPx: 4_800, dpi: 300 };

/** Where the artwork of a round's file lies: each a little smaller, so that no file is made twice. */
export function positionOf(round: number, file: number): Position {
  return { x: 0.5, y: 0.5, scale: 0.95 - round / 100 - file / 10_000, rotation: 0 };
}

/** What one round does: so many files of the pictures in turn. */
export type Round = { readonly round: number; readonly files: number };

/** A photograph as JPEG, and a logo on nothing as PNG. */
export async function drawPictures(): Promise<readonly Uint8Array[]> {
  const photograph = noise(3_000, 3_000).blur(4).jpeg({ quality: 90 });
  const rings = Array.from(
    { length: 12 },
    (_, ring) =>
      `<circle cx="1200" cy="1200" r="${90 * ring + 60}" fill="none" stroke="#${ring % 2}04080" stroke-width="40"/>`,
  );
  const logo = sharp(Buffer.from(`<svg width="2400" height="2400">${rings.join('')}</svg>`)).png();
  return Promise.all([photograph.toBuffer(), logo.toBuffer()]);
}
