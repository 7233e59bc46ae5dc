import { stat } from 'node:fs/promises';
import type { RecipeVersion } from './drawing.ts';
import { CHILD_BYTES, type ImagePool, PIPELINE_BYTES, runImageTask, type Template } from './image-pool.ts';
import { removeMade } from './passing-files.ts';
import type { Position } from './place.ts';
import { PICTURE_PX_MAX, SIDE_PX_MAX } from './sniff/header.ts';
import { sniffImage } from './sniff/sniff.ts';

export type NormaliseRequest = {
  readonly version: RecipeVersion;
  readonly sourcePath: string;
  /** Created or replaced; complete only when the outcome is `ok`. */
  readonly targetPath: string;
  readonly template: Template;
  readonly position: Position;
};

export type NormaliseOutcome =
  | { readonly kind: 'ok'; readonly bytes: number; readonly widthPx: number; readonly heightPx: number }
  /**
   * No file was made. The message is for people and names nothing of the machine.
   * Trying again may help if the children died.
   */
  | { readonly kind: 'failed'; readonly message: string; readonly hasDied?: boolean };

/** A minute for an accepted image is a fault of ours. It must not block production. */
const CPU_MS_MAX = 60_000;
const WALL_MS_MAX = 180_000;
const BYTES_PER_PX = 4;

/**
 * Makes the print file of accepted artwork (spec 3.2).
 *
 * It is a PNG of the template's exact pixels and density, sRGB of 8 bits with its profile, the artwork fitted inside,
 * scaled, turned and placed by `position` (spec 2.3), the rest transparent. Throws when the source cannot be read, and
 * `ChildPoolUnavailable`; then trying again may help.
 */
export async function normaliseImage(pool: ImagePool, request: NormaliseRequest): Promise<NormaliseOutcome> {
  const problem = problemOf(request);
  if (problem !== undefined) return { kind: 'failed', message: problem };
  const header = await sniffImage(request.sourcePath);
  if (header.kind === 'refused') return { kind: 'failed', message: header.message };

  const { widthPx, heightPx } = request.template;
  const bytes = CHILD_BYTES + PIPELINE_BYTES + Math.max(header.decodeBytes, widthPx * heightPx * BYTES_PER_PX);
  const outcome = await runImageTask(
    pool,
    { kind: 'normalise', ...request, decodeBytes: header.decodeBytes },
    { bytes, cpuMs: CPU_MS_MAX, fallbackMs: WALL_MS_MAX, wallMs: WALL_MS_MAX },
  ).catch(async (error: unknown) => {
    await removeMade(request.targetPath);
    throw error;
  });
  if (outcome.kind === 'normalised') {
    return { kind: 'ok', bytes: (await stat(request.targetPath)).size, widthPx, heightPx };
  }
  await removeMade(request.targetPath);
  if (outcome.kind !== 'failed' && outcome.kind !== 'unanswered') {
    throw new Error('An image child answered another task.');
  }
  return { kind: 'failed', message: `The artwork cannot be made print-ready: ${outcome.message}.` };
}

function problemOf({ template, position }: NormaliseRequest): string | undefined {
  const { widthPx, heightPx, dpi } = template;
  const sides = [widthPx, heightPx].every((side) => Number.isInteger(side) && side > 0 && side <= SIDE_PX_MAX);
  if (!sides || widthPx * heightPx > PICTURE_PX_MAX || !(dpi > 0)) return 'The print area has no usable template.';
  const numbers = [position.x, position.y, position.scale, position.rotation];
  if (!numbers.every(Number.isFinite) || position.scale <= 0) return 'The position is not usable.';
  return undefined;
}
