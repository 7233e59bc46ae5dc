import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { BlobStoreAway } from '../lib/blobs/failures.ts';
import {
  type ChildOutcome,
  type ChildPool,
  ChildPoolUnavailable,
  type ChildTask,
  openChildPool,
} from '../lib/child-pool.ts';
import type { PictureDrawing, RecipeVersion, TextDrawing, TextVerdict } from './drawing.ts';
import type { GarmentKind, GarmentPrint } from './mockup/garment.ts';
import type { Position, Size } from './place.ts';

/** A task for an image child (worker/worker.ts). */
export type ImageTask =
  | { readonly kind: 'inspect'; readonly path: string }
  | {
      readonly kind: 'normalise';
      readonly version: RecipeVersion;
      readonly sourcePath: string;
      readonly targetPath: string;
      readonly template: Template;
      readonly position: Position;
      readonly decodeBytes: number;
    }
  | {
      readonly kind: 'personalise';
      readonly version: RecipeVersion;
      readonly targetPath: string;
      readonly template: Template;
      readonly drawings: readonly (TextDrawing | PictureToDraw)[];
      /** Draws a proof in place of the print file. */
      readonly proof?: ProofShape;
    }
  | { readonly kind: 'preview'; readonly sourcePath: string; readonly targetPath: string }
  | ({ readonly kind: 'logo'; readonly sourcePath: string; readonly targetPath: string } & Size)
  | ({
      readonly kind: 'mockup';
      readonly sourcePath: string;
      readonly targetPath: string;
      readonly decodeBytes: number;
    } & MockupShape)
  | ({ readonly kind: 'picture'; readonly sourcePath: string; readonly targetPath: string } & PictureShape)
  | { readonly kind: 'judge_texts'; readonly texts: readonly TextDrawing[] };

/** An image of a personalised piece, its file, and the most memory that decoding it takes. */
export type PictureToDraw = Pick<PictureDrawing, 'kind' | 'box' | 'fit'> & {
  readonly sourcePath: string;
  readonly decodeBytes: number;
};

/** A proof: a JPEG of the print file at fewer pixels, on the colour of the product, `#rrggbb`. */
export type ProofShape = Size & { readonly ground: string };

/** A stored picture at most this wide: a JPEG on a colour, or a WebP that keeps what is transparent. */
export type PictureShape = { readonly widthPx: number; readonly ground: string | null };

/** Artwork on the picture of a garment: a JPEG as high as it is wide. */
export type MockupShape = GarmentPrint & {
  readonly garment: GarmentKind;
  /** What a panel stands for, written below it; a garment is known by its outline. */
  readonly title: string;
  readonly template: Size;
  readonly ground: string;
  readonly widthPx: number;
};

/** The child's answer. `message` is for people and names nothing of the machine. */
export type ImageAnswer =
  | { readonly kind: 'inspected'; readonly facts: ImageFacts }
  | { readonly kind: 'normalised' }
  | { readonly kind: 'previewed' }
  | { readonly kind: 'judged'; readonly verdicts: readonly TextVerdict[] }
  | { readonly kind: 'failed'; readonly message: string }
  /** The disk or the memory is at fault, not the image. */
  | { readonly kind: 'hindered' };

export type ImageFacts = {
  /** As stored. */
  readonly stored: Size;
  /** After EXIF orientation. */
  readonly upright: Size;
  readonly hasAlpha: boolean;
  /** `srgb`, `b-w`, `cmyk`, `rgb16`, `grey16`: what the pixels are, whatever a profile says. */
  readonly colourSpace: string;
  readonly bitDepth: 8 | 16;
  readonly dpi: number | null;
  readonly iccProfile: string | null;
  /** Its profile reaches colours that sRGB lacks. */
  readonly isWideGamut: boolean;
  /** The one opaque colour along its edge, as `#rrggbb`; null when there is none. */
  readonly edgeColour: string | null;
};

/** The pixels and density that a print area requires. */
export type Template = Size & { readonly dpi: number };

/** Processes that decode images. */
export type ImagePool = ChildPool;

const MIB = 1024 * 1024;

/** goals, "Hostile and broken images": the decoding pool as a whole. */
const POOL_BYTES_MAX = 600 * MIB;
/**
 * An idle child.
 * 80 to 95 MiB were seen with the image library loaded, 102 to 118 once it had drawn text.
 */
export const CHILD_BYTES = 120 * MIB;
/**
 * Memory beside the decoder.
 * Resizing and encoding of the widest image hold it, or a sampled canvas of 60 megapixels.
 */
export const PIPELINE_BYTES = 100 * MIB;
const CHILDREN_MAX = 2;
const IDLE_MS = 30_000;
/** A thousand images of usual size, or 400 of the largest. */
const WAITING_BYTES_MAX = 200 * 1_024 * MIB;
const WAITING_BYTES_MAX_OF_EACH = WAITING_BYTES_MAX / 4;
/** An order has a minute for all of its artwork (decisions, "Bounds"). */
const WAIT_MS = 60_000;

/**
 * The children that decode images, which anyone may have made (bad-input, findings 1 and 9).
 *
 * They get no setting of the service and no secret. Their allocator gives large blocks back at once: otherwise a child
 * keeps up to 100 MiB of a large image, and so 10.
 */
export function openImagePool(): ImagePool {
  return openChildPool({
    resource: 'images',
    program: fileURLToPath(new URL('worker/worker.ts', import.meta.url)),
    execArgv: ['--max-old-space-size=64', '--max-semi-space-size=1', '--expose-gc'],
    // The text library would otherwise read all fonts of the machine.
    env: {
      DISABLE_SYSTEM_FONTS_LOAD: '1',
      MALLOC_ARENA_MAX: '1',
      MALLOC_MMAP_THRESHOLD_: '131072',
      MALLOC_TRIM_THRESHOLD_: '131072',
    },
    childrenMax: Math.min(CHILDREN_MAX, availableParallelism()),
    bytesMax: POOL_BYTES_MAX,
    idleBytes: CHILD_BYTES,
    idleMs: IDLE_MS,
    waitingBytesMax: WAITING_BYTES_MAX,
    waitingBytesMaxOfEach: WAITING_BYTES_MAX_OF_EACH,
    waitMs: WAIT_MS,
  });
}

/** The outcome of a task: the child's answer, or the reason why there is none. */
export type ImageOutcome =
  | Exclude<ImageAnswer, { kind: 'hindered' }>
  /**
   * No answer came: it took too much processor time, as it always will, or both children died.
   * What killed the children may have had other causes.
   */
  | { readonly kind: 'unanswered'; readonly hasDied: boolean; readonly message: string };

/**
 * A child did not end in time, and had not used the processor time that would blame the image.
 * The machine is too busy, or its disk: the same task may well succeed later.
 */
export class ImageTaskLate extends Error {
  override name = 'ImageTaskLate';
}

/**
 * Gives a task to a child.
 * When it dies a second one tries, since the system may have killed it for other memory. An image that
 * kills two is at fault, and so is one that takes too much processor time. Throws `ChildPoolUnavailable`,
 * `ImageTaskLate` when only the clock ran out, and `BlobStoreAway` when the file of an image cannot be read: none of
 * them says anything about the image.
 */
export async function runImageTask(
  pool: ImagePool,
  task: ImageTask,
  limits: Omit<ChildTask, 'message'>,
): Promise<ImageOutcome> {
  let outcome: ChildOutcome = await pool.run({ ...limits, message: task });
  if (outcome.kind === 'died') outcome = await pool.run({ ...limits, message: task });
  if (outcome.kind === 'answered') {
    const answer = parseAnswer(outcome.answer);
    if (answer.kind === 'hindered') throw new ChildPoolUnavailable('A child cannot read or write its files.');
    if (answer.kind === 'failed') await refuseUnreadable(task);
    return answer;
  }
  if (outcome.kind === 'overran' && outcome.limit === 'wall') {
    throw new ImageTaskLate('This machine was too busy to work on the picture in time.');
  }
  if (outcome.kind === 'died') await refuseUnreadable(task);
  const hasDied = outcome.kind === 'died';
  return { kind: 'unanswered', hasDied, message: hasDied ? 'it cannot be decoded' : 'it takes too long to decode' };
}

/**
 * Throws `BlobStoreAway` when a file of the task cannot be read to its end.
 * To a decoder a disk that is gone looks like a broken image, and one that it has mapped into its memory kills it.
 */
async function refuseUnreadable(task: ImageTask): Promise<void> {
  for (const path of sourcesOf(task)) {
    try {
      for await (const _ of createReadStream(path, { highWaterMark: READ_BYTES }));
    } catch (error) {
      throw new BlobStoreAway('The file of a picture cannot be read.', { cause: error });
    }
  }
}

const READ_BYTES = 1024 * 1024;

function sourcesOf(task: ImageTask): readonly string[] {
  if (task.kind === 'judge_texts') return [];
  if (task.kind === 'inspect') return [task.path];
  if (task.kind !== 'personalise') return [task.sourcePath];
  return task.drawings.flatMap((drawing) => (drawing.kind === 'picture' ? [drawing.sourcePath] : []));
}

/** The border to the child: our own program, checked for the kinds it knows. */
function parseAnswer(answer: unknown): ImageAnswer {
  const kind = typeof answer === 'object' && answer !== null && 'kind' in answer ? answer.kind : undefined;
  if (KINDS.has(kind)) return answer as ImageAnswer;
  throw new Error('An image child gave an answer of an unknown kind.');
}

const KINDS: ReadonlySet<unknown> = new Set(['inspected', 'normalised', 'previewed', 'judged', 'failed', 'hindered']);
