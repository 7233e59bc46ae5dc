import { stat } from 'node:fs/promises';
import { ChildPoolUnavailable } from '../lib/child-pool.ts';
import type { Drawing, PictureDrawing, RecipeVersion, TextDrawing, TextVerdict } from './drawing.ts';
import {
  CHILD_BYTES,
  type ImagePool,
  PIPELINE_BYTES,
  type PictureToDraw,
  type ProofShape,
  runImageTask,
  type Template,
} from './image-pool.ts';
import type { NormaliseOutcome } from './normalise.ts';
import { removeMade } from './passing-files.ts';
import { sniffImage } from './sniff/sniff.ts';

export type PersonaliseRequest = {
  readonly version: RecipeVersion;
  readonly template: Template;
  /** From bottom to top. */
  readonly drawings: readonly Drawing[];
  /** Where the bytes of a design can be read; throws when they are missing. */
  readonly pathOf: (designHash: string) => Promise<string>;
  /** Created or replaced; complete only when the outcome is `ok`. */
  readonly targetPath: string;
  /** Set to draw a proof in place of the print file. */
  readonly proof?: ProofShape;
};

/**
 * As for a print file of one image.
 * For each picture of a collage several times what a large one takes.
 */
const CPU_MS_MAX = 60_000;
const CPU_MS_EACH = 10_000;
const WALL_MS_MAX = 180_000;
const WALL_MS_EACH = 30_000;
/**
 * A buyer waits for a proof, and others for the child that draws it.
 * A full collage takes two seconds.
 */
const PROOF_CPU_MS_MAX = 8_000;
const PROOF_WALL_MS_MAX = 15_000;
/** All fonts loaded at once; 47 MiB were seen, and 58 with Korean and Chinese. */
const FONT_BYTES = 64 * 1024 * 1024;
const BYTES_PER_PX = 4;

/**
 * Makes the print file of a personalised piece (spec 3.2) at the template's exact pixels and density.
 * Throws when a design's bytes cannot be read, and `ChildPoolUnavailable`; then a retry may help.
 */
export async function personalise(pool: ImagePool, request: PersonaliseRequest): Promise<NormaliseOutcome> {
  const { version, template, targetPath, proof } = request;
  const canvas = proof ?? template;
  const drawings: (TextDrawing | PictureToDraw)[] = [];
  for (const drawing of request.drawings) {
    const ready = drawing.kind === 'text' ? drawing : await findSource(drawing, request.pathOf);
    if (ready.kind === 'failed') return ready;
    drawings.push(ready);
  }
  const pictures = drawings.filter(({ kind }) => kind === 'picture').length;
  const outcome = await runImageTask(
    pool,
    { kind: 'personalise', version, targetPath, template, drawings, ...(proof === undefined ? {} : { proof }) },
    {
      bytes: CHILD_BYTES + canvas.widthPx * canvas.heightPx * BYTES_PER_PX + heldBytes(drawings),
      ...(proof === undefined ? limitsOf(pictures) : PROOF_LIMITS),
    },
  ).catch(async (error: unknown) => {
    await removeMade(targetPath);
    throw error;
  });
  if (outcome.kind === 'normalised') {
    const { widthPx, heightPx } = canvas;
    return { kind: 'ok', bytes: (await stat(targetPath)).size, widthPx, heightPx };
  }
  await removeMade(targetPath);
  if (outcome.kind === 'failed') return failed(outcome.message);
  if (outcome.kind === 'unanswered') return { ...failed(outcome.message), hasDied: outcome.hasDied };
  throw new Error('An image child answered another task.');
}

const PROOF_LIMITS = { cpuMs: PROOF_CPU_MS_MAX, fallbackMs: PROOF_WALL_MS_MAX, wallMs: PROOF_WALL_MS_MAX };

function limitsOf(pictures: number) {
  const wallMs = WALL_MS_MAX + pictures * WALL_MS_EACH;
  return { cpuMs: CPU_MS_MAX + pictures * CPU_MS_EACH, fallbackMs: wallMs, wallMs };
}

async function findSource(
  { kind, box, fit, designHash }: PictureDrawing,
  pathOf: PersonaliseRequest['pathOf'],
): Promise<PictureToDraw | ReturnType<typeof failed>> {
  const sourcePath = await pathOf(designHash);
  const header = await sniffImage(sourcePath);
  if (header.kind === 'refused') return failed(header.message);
  return { kind, box, fit, sourcePath, decodeBytes: header.decodeBytes };
}

/**
 * Memory of the drawings, which are drawn one at a time beside the canvas.
 * For an image its decoder and pixels, for a text the fonts and twice its pixels.
 */
function heldBytes(drawings: readonly (TextDrawing | PictureToDraw)[]): number {
  const each = drawings.map((drawing) => {
    const pixels = drawing.box.width * drawing.box.height * BYTES_PER_PX;
    return drawing.kind === 'picture' ? pixels + drawing.decodeBytes : 2 * pixels + FONT_BYTES;
  });
  return Math.max(PIPELINE_BYTES, ...each.map((bytes) => bytes + PIPELINE_BYTES));
}

function failed(message: string): NormaliseOutcome & { kind: 'failed' } {
  return { kind: 'failed', message: `The personalised piece cannot be made print-ready: ${message}.` };
}

/**
 * Texts that are judged in one task, and the time for it.
 * A text of the greatest length takes 10 ms, and another account waits for one task at most.
 */
const TEXTS_AT_ONCE = 25;
const JUDGE_CPU_MS_MAX = 10_000;
const JUDGE_WALL_MS_MAX = 30_000;

/**
 * Judges texts: whether fonts have all their characters and each fits its box at its smallest size.
 * The measure is that of the layout. Equal texts are judged once. Throws `ChildPoolUnavailable`, also
 * when judging takes too long: nothing is known of the texts then.
 */
export async function judgeTexts(pool: ImagePool, texts: readonly TextDrawing[]): Promise<readonly TextVerdict[]> {
  const keys = texts.map((text) => JSON.stringify(text));
  const distinct = [...new Map(texts.map((text, index) => [keys[index] ?? '', text]))];
  const verdicts = new Map<string, TextVerdict>();
  for (let at = 0; at < distinct.length; at += TEXTS_AT_ONCE) {
    const some = distinct.slice(at, at + TEXTS_AT_ONCE);
    const judged = await judgeSome(
      pool,
      some.map(([, text]) => text),
    );
    some.forEach(([key], index) => {
      const verdict = judged[index];
      if (verdict !== undefined) verdicts.set(key, verdict);
    });
  }
  return keys.map((key) => {
    const verdict = verdicts.get(key);
    if (verdict === undefined) throw new Error('a text was not judged');
    return verdict;
  });
}

async function judgeSome(pool: ImagePool, texts: readonly TextDrawing[]): Promise<readonly TextVerdict[]> {
  const outcome = await runImageTask(
    pool,
    { kind: 'judge_texts', texts },
    {
      bytes: CHILD_BYTES + FONT_BYTES,
      cpuMs: JUDGE_CPU_MS_MAX,
      fallbackMs: JUDGE_WALL_MS_MAX,
      wallMs: JUDGE_WALL_MS_MAX,
    },
  );
  if (outcome.kind === 'judged') return outcome.verdicts;
  if (outcome.kind === 'unanswered') throw new ChildPoolUnavailable('Texts could not be judged in time.');
  throw new Error('Texts could not be judged.');
}
