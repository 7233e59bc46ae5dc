/**
 * The methods of each mounted path.
 * A wrong method is 405, a wrong path 404 (decisions, "Other statuses").
 */
export type AllowedMethods = {
  readonly add: (pattern: string, method: string | string[]) => void;
  /** The methods of the path, sorted; empty when no route has it. */
  readonly of: (path: string) => string[];
};

/**
 * Makes an empty table.
 * It is read only after the router has found nothing, so a walk over the patterns is cheap enough.
 */
export function createAllowedMethods(): AllowedMethods {
  const patterns = new Map<string, { readonly test: RegExp; readonly methods: Set<string> }>();
  return {
    add: (pattern, method) => {
      const entry = patterns.get(pattern) ?? { test: toRegExp(pattern), methods: new Set<string>() };
      for (const name of [method].flat()) entry.methods.add(name);
      patterns.set(pattern, entry);
    },
    of: (path) => {
      // A literal path has its own methods only, though a pattern with a parameter would match it too.
      const exact = patterns.get(path);
      if (exact !== undefined) return [...exact.methods].toSorted();
      const matching = [...patterns.values()].filter((entry) => entry.test.test(path));
      return [...new Set(matching.flatMap((entry) => [...entry.methods]))].toSorted();
    },
  };
}

function toRegExp(pattern: string): RegExp {
  const parts = pattern.split('/').map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : part.replaceAll('.', '\\.');
  });
  return new RegExp(`^${parts.join('/')}$`, 's');
}
