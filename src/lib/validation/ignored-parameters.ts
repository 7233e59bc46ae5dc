import type { TSchema } from '../typebox.ts';
import { nearestMember } from './explain.ts';

/** The header that names the query parameters which were ignored. */
export const IGNORED_PARAMETERS = 'x-ignored-parameters';

const NAMED_MAX = 20;
const NAME_CHARACTERS_MAX = 60;

/**
 * Makes the function that names the query parameters which an operation does not know.
 * The public API ignores them (decisions, "What we do not know"), and a filter that is ignored answers with too much.
 * The value is a list of strings of RFC 9651, percent-encoded, each with `nearest` if a known name is near. Undefined
 * when all are known.
 */
export function ignoredParameters(schema: TSchema | undefined): (query: unknown) => string | undefined {
  const known = membersOf(schema);
  return (query) => {
    if (typeof query !== 'object' || query === null) return undefined;
    const unknown = Object.keys(query).filter((name) => !Object.hasOwn(known, name));
    if (unknown.length === 0) return undefined;
    return unknown
      .slice(0, NAMED_MAX)
      .map((name) => {
        const nearest = nearestMember(name.slice(0, NAME_CHARACTERS_MAX), known);
        return `"${encoded(name)}"${nearest === undefined ? '' : `;nearest="${nearest}"`}`;
      })
      .join(', ');
  };
}

function membersOf(schema: TSchema | undefined): Readonly<Record<string, unknown>> {
  const properties = schema === undefined || !('properties' in schema) ? undefined : schema.properties;
  return typeof properties === 'object' && properties !== null ? { ...properties } : {};
}

/** What a header can hold of any name: never an end of the line, a quote or a part of an escape. */
function encoded(name: string): string {
  return encodeURIComponent(name.slice(0, NAME_CHARACTERS_MAX).toWellFormed())
    .slice(0, NAME_CHARACTERS_MAX)
    .replace(/%[0-9A-F]?$/, '');
}
