import type { Remark } from '../artwork/preflight/preflight.ts';
import type { Warning } from '../lib/schemas.ts';

/** A remark about the artwork of one line. */
export type ArtworkRemark = Remark & {
  /** The member that names the artwork. */
  readonly path: string;
  /** The same for the same artwork on other lines: a product, or a content hash. */
  readonly cause: string;
  readonly line: number;
};

/** An order has up to 1,000 lines of 20 areas. It is stored and read with its warnings. */
const ARTWORK_WARNINGS_MAX = 100;

/**
 * The warnings about the artwork of a basket, in the order of its lines.
 * What is true of the same artwork on several lines, such as the sizes of one product, is one warning, at the first of
 * them, with the number of the others. The last of too many says how many are left out.
 */
export function artworkWarnings(remarks: readonly ArtworkRemark[]): Warning[] {
  const groups = Map.groupBy(remarks, keyOf);
  const all = [...groups.values()].flatMap(warningOf);
  if (all.length <= ARTWORK_WARNINGS_MAX) return all;
  const shown = all.slice(0, ARTWORK_WARNINGS_MAX - 1);
  const message = `${all.length - shown.length} more warnings about artwork are left out.`;
  return [...shown, { code: 'more_warnings', path: all[shown.length]?.path ?? '', message }];
}

/** Members of one line are never one: each may be another picture. */
function keyOf({ cause, code, message, path }: ArtworkRemark): string {
  return JSON.stringify([cause, code, message, path.replace(/^items\[\d+\]/, '')]);
}

function warningOf(group: readonly ArtworkRemark[]): Warning[] {
  const [first] = group;
  if (first === undefined) return [];
  const { code, path, message } = first;
  const others = new Set(group.map(({ line }) => line)).size - 1;
  if (others === 0) return [{ code, path, message }];
  return [{ code, path, message: `${message} The same holds for ${others} more ${others === 1 ? 'line' : 'lines'}.` }];
}
