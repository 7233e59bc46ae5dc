import type { TSchema } from '../../lib/typebox.ts';

/** A part of a JSON Schema (2020-12) or of an OpenAPI document, as it is written out. */
export type JsonObject = { readonly [name: string]: unknown };

export type Components = {
  /**
   * What the document has in place of a schema.
   * A reference when the schema has a title, else the schema itself.
   */
  readonly lift: (schema: TSchema) => JsonObject;
  /** The titled schemas seen so far, by title, sorted. */
  readonly schemas: () => JsonObject;
};

/** Integrators read titles, and generators make type names of them. */
const TITLE = /^[A-Z][A-Za-z0-9]+$/;

/**
 * Turns the schemas that validate into those of the document.
 * A schema with a `title` moves to the components and is referenced. A schema with `x-openapi` is
 * replaced by it, and keeps its description: the strings of a query, whose meaning the document
 * describes. Other members that begin with `x-` are the service's own and left out. Throws when two
 * different schemas have one title, or a title is not a valid name.
 */
export function createComponents(): Components {
  const found = new Map<string, JsonObject>();

  function lift(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(lift);
    if (!isObject(schema)) return schema;
    const { title, ...rest } = schema;
    const written = write(rest);
    if (title === undefined) return written;
    if (typeof title !== 'string' || !TITLE.test(title))
      throw new Error(`${JSON.stringify(title)} is no schema's name`);
    const before = found.get(title) ?? written;
    if (shapeOf(before) !== shapeOf(written)) throw new Error(`two different schemas are called ${title}`);
    found.set(title, before);
    const $ref = `#/components/schemas/${title}`;
    return written.description === before.description ? { $ref } : { $ref, description: written.description };
  }

  function write(schema: JsonObject): JsonObject {
    const replacement = schema['x-openapi'];
    if (isObject(replacement)) return { description: schema.description, ...replacement };
    const written: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword.startsWith('x-')) continue;
      written[keyword] =
        keyword === 'properties' && isObject(value) ? mapValues(value, lift) : liftUnder(keyword, value);
    }
    return written;
  }

  function liftUnder(keyword: string, value: unknown): unknown {
    return SCHEMAS_UNDER.has(keyword) ? lift(value) : value;
  }

  return {
    lift: (schema) => {
      const lifted = lift(schema);
      if (!isObject(lifted)) throw new Error('a schema is an object');
      return lifted;
    },
    schemas: () => Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What must be equal in two schemas of one title; each use may describe it in its own words. */
function shapeOf(schema: JsonObject): string {
  return JSON.stringify({ ...schema, description: undefined });
}

const SCHEMAS_UNDER = new Set(['items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf']);

/**
 * The parameters of an operation, from the schema of its path or query.
 * One for each member; none without a schema.
 */
export function parametersOf(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  components: Components,
): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required } = components.lift(schema);
  if (!isObject(properties)) throw new Error(`the ${place} parameters are no object, or one with a title`);
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties).map(([name, member]) => {
    const { description, ...rest } = isObject(member) ? member : {};
    return { name, in: place, required: place === 'path' || needed.has(name), description, schema: rest };
  });
}

function mapValues(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
