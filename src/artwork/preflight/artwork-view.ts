import type { ImageReport } from '../inspect.ts';
import type { PrintedArtwork, UploadResult } from '../schema.ts';
import type { PrintReport } from './preflight.ts';

/** What an image is, as a caller reads it. A background that was never looked for is null. */
export type ArtworkView = Required<
  Pick<
    UploadResult,
    'width' | 'height' | 'sha256' | 'has_transparency' | 'background' | 'colour_space' | 'colour_profile'
  >
>;

/** The report of an image with its content hash. */
export function artworkView(
  artwork: Pick<ImageReport, 'widthPx' | 'heightPx' | 'hasAlpha' | 'edgeColour' | 'colourSpace' | 'iccProfile'> & {
    readonly hash: string;
  },
): ArtworkView {
  return {
    width: artwork.widthPx,
    height: artwork.heightPx,
    sha256: artwork.hash,
    has_transparency: artwork.hasAlpha,
    background: artwork.edgeColour ?? null,
    colour_space: colourSpaceOf(artwork.colourSpace),
    colour_profile: artwork.iccProfile,
  };
}

/** The image library's names also tell the depth. */
function colourSpaceOf(name: string): ArtworkView['colour_space'] {
  if (name === 'cmyk') return 'cmyk';
  return name === 'b-w' || name === 'grey16' ? 'grey' : 'rgb';
}

export function printView({ widthMm, heightMm, dpi, shareOutside }: PrintReport): PrintedArtwork {
  return { width_mm: widthMm, height_mm: heightMm, dpi, share_outside: Math.round(shareOutside * 1_000) / 1_000 };
}
