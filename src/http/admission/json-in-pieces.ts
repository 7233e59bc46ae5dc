import type { Asker } from '../../lib/turns/owner.ts';
import { mapInPieces } from '../../lib/turns/pieces.ts';

/** Lists of at least so many entries are written entry by entry. */
const LONG = 50;
/** How deep long lists lie: a page, its orders, their lines. */
const DEPTH_MAX = 3;
/** Texts are joined to buffers of about this size, so that no step copies all of it. */
const PARTS_OF_A_BUFFER = 32;

type Part = { readonly text: string } | { readonly value: unknown };

/**
 * Writes a large reply as JSON, the same text as `JSON.stringify`, in pieces.
 * Takes plain data: objects, arrays, texts, numbers, booleans, null; members that are undefined are left out.
 */
export async function jsonInPieces(asker: Asker, body: unknown): Promise<Buffer> {
  const parts = [...partsOf(body, DEPTH_MAX)];
  const groups = Array.from({ length: Math.ceil(parts.length / PARTS_OF_A_BUFFER) }, (_, index) =>
    parts.slice(index * PARTS_OF_A_BUFFER, (index + 1) * PARTS_OF_A_BUFFER),
  );
  const buffers = await mapInPieces(asker, groups, (group) => Buffer.from(group.map(textOf).join('')));
  return Buffer.concat(buffers);
}

function textOf(part: Part): string {
  return 'text' in part ? part.text : (JSON.stringify(part.value) ?? 'null');
}

function* partsOf(value: unknown, depth: number): Generator<Part> {
  if (!hasLong(value, depth)) {
    yield { value };
  } else if (Array.isArray(value)) {
    yield { text: '[' };
    for (const [index, entry] of value.entries()) {
      if (index > 0) yield { text: ',' };
      yield* partsOf(entry, depth - 1);
    }
    yield { text: ']' };
  } else {
    const members = Object.entries(value as object).filter(([, member]) => member !== undefined);
    for (const [index, [name, member]] of members.entries()) {
      yield { text: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:` };
      yield* partsOf(member, depth - 1);
    }
    yield { text: '}' };
  }
}

/** Whether a value is a long list, or has one in it. */
function hasLong(value: unknown, depth: number): boolean {
  if (depth < 0 || typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) && value.length >= LONG) return true;
  return Object.values(value).some((member) => hasLong(member, depth - 1));
}
