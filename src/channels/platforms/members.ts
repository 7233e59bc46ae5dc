// What an answer of a shop holds. Plug-ins add and leave out, so that no member is taken for granted.

export type Members = Readonly<Record<string, unknown>>;

/** Whether a value of JSON is an object. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The values of a list; none where it is no list. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text or a number as text; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}
