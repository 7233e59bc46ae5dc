import { CHILD_BYTES, type ImagePool, runImageTask } from './image-pool.ts';
import { corrupt, type ImageFault, type ImageMime } from './sniff/header.ts';
import { sniffImage } from './sniff/sniff.ts';

/** An accepted image, as a person sees it. */
export type ImageReport = {
  readonly kind: 'ok';
  readonly mime: ImageMime;
  /** Upright, after EXIF orientation. */
  readonly widthPx: number;
  readonly heightPx: number;
  readonly hasAlpha: boolean;
  /** `srgb`, `b-w`, `cmyk`, `rgb16` or `grey16`: what the pixels are, whatever a profile says. */
  readonly colourSpace: string;
  readonly bitDepth: 8 | 16;
  /** What the file states; 72 where a format that can state it does not. */
  readonly dpi: number | null;
  /** The name of its colour profile; null without one, or with one that has no readable name. */
  readonly iccProfile: string | null;
  /** Whether its profile is wider than sRGB; absent from reports made before this was checked. */
  readonly isWideGamut?: boolean;
  /** The one opaque colour along its edge, as `#rrggbb`; null when there is none, and absent likewise. */
  readonly edgeColour?: string | null;
  /** Only the first page is checked and used (bad-input 134). */
  readonly animated: boolean;
  readonly pages: number;
};

/** goals, "Hostile and broken images". */
const CPU_MS_MAX = 5_000;
const FALLBACK_MS_MAX = 20_000;
const WALL_MS_MAX = 30_000;

/**
 * Judges a file by its content (spec 8).
 * Structure and limits come first, in this process and without a decoder, then every pixel in a child
 * that can be killed. A refusal is a value. Throws when the file cannot be read, and
 * `ChildPoolUnavailable`, which says nothing about the image.
 */
export async function inspectImage(pool: ImagePool, filePath: string): Promise<ImageReport | ImageFault> {
  const header = await sniffImage(filePath);
  if (header.kind === 'refused') return header;
  const outcome = await runImageTask(
    pool,
    { kind: 'inspect', path: filePath },
    { bytes: CHILD_BYTES + header.decodeBytes, cpuMs: CPU_MS_MAX, fallbackMs: FALLBACK_MS_MAX, wallMs: WALL_MS_MAX },
  );
  if (outcome.kind === 'failed' || outcome.kind === 'unanswered') return corrupt(outcome.message);
  if (outcome.kind !== 'inspected') throw new Error('An image child answered another task.');

  const { stored, upright, ...facts } = outcome.facts;
  if (stored.widthPx !== header.widthPx || stored.heightPx !== header.heightPx) {
    return corrupt('its header and its picture differ in size');
  }
  return { kind: 'ok', mime: header.mime, ...upright, ...facts, animated: header.pages > 1, pages: header.pages };
}
