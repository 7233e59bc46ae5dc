import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';

/** Pieces of a line that a request finishes or ships, and how many have their blank in production. */
export type RequestedPieces = {
  readonly lineId: Uuid;
  readonly sku: string;
  readonly requested: number;
  readonly ready: number;
  /** Spoiled pieces for which there is no blank. */
  readonly short: number;
  /** Spoiled pieces whose blanks have come in and are not started. */
  readonly toStart: number;
};

/** How many lines a refusal names; the extras have all of them. */
const LINES_NAMED_MAX = 5;

/** Throws 409 `pieces_short` for lines of which more is asked for than has its blank in production. */
export function refuseShort(reference: string, what: 'finished' | 'shipped', lines: readonly RequestedPieces[]): void {
  const short = lines.filter(({ requested, ready, short, toStart }) => requested > ready && short + toStart > 0);
  if (short.length === 0) return;
  const named = short.slice(0, LINES_NAMED_MAX).map(lackText);
  const cures = [
    ...(short.some((line) => line.toStart > 0)
      ? [`start what has come in (POST /orders/${reference}/lines/{line}/start)`]
      : []),
    ...(short.some((line) => line.short > 0)
      ? [`receive or count stock, or cancel what cannot be made (POST /orders/${reference}/cancel)`]
      : []),
  ];
  const detail = `Spoiled pieces that have not been made again cannot be ${what}: ${named.join(', ')}. Ask for fewer, or ${cures.join('; ')}.`;
  throw new ApiError('pieces_short', detail, { extras: { short: short.map(shortView) } });
}

function lackText({ lineId, sku, requested, ready, short, toStart }: RequestedPieces): string {
  const lacks = [
    ...(short > 0 ? [`short of ${short} of ${sku}`] : []),
    ...(toStart > 0 ? [`${toStart} of ${sku} to start`] : []),
  ];
  return `${publicId('line', lineId)} (${requested} requested, ${Math.max(ready, 0)} there, ${lacks.join(', ')})`;
}

function shortView({ lineId, sku, requested, ready, short, toStart }: RequestedPieces) {
  return {
    line_id: publicId('line', lineId),
    variant_sku: sku,
    requested,
    ready: Math.max(ready, 0),
    short,
    to_start: toStart,
  };
}
