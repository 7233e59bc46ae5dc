import { createHash } from 'node:crypto';

/**
 * Hashes the content of a request: method, path and body.
 * Bodies that are equal as JSON have equal hashes, whatever the order and spacing of their members.
 * Walks without recursion, so depth is no danger.
 */
export function requestHash(method: string, path: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${method} ${path}\n${canonicalJson(body)}`)
    .digest();
}

/** Text to write as it is, or a value still to be written. */
type Step = { readonly text: string } | { readonly value: unknown };

function canonicalJson(root: unknown): string {
  const written: string[] = [];
  const open: Step[] = [{ value: root }];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if ('text' in step) {
      written.push(step.text);
      continue;
    }
    // Last in, first out: what comes first is pushed last.
    for (const next of stepsOf(step.value).toReversed()) open.push(next);
  }
  return written.join('');
}

function stepsOf(value: unknown): Step[] {
  if (Array.isArray(value)) {
    return [{ text: '[' }, ...value.flatMap((item: unknown) => [{ value: item }, COMMA]), { text: ']' }];
  }
  if (typeof value !== 'object' || value === null) return [{ text: JSON.stringify(value) ?? '' }];
  const members = Object.entries<unknown>({ ...value }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const inside = members.flatMap(([name, member]) => [{ text: `${JSON.stringify(name)}:` }, { value: member }, COMMA]);
  return [{ text: '{' }, ...inside, { text: '}' }];
}

const COMMA = { text: ',' };
