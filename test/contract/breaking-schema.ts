/** A piece of JSON: of a schema or of an OpenAPI document. */
export type Json = { readonly [name: string]: unknown };

/** A change that a client of the old document would notice: where it stands, and what it is. */
export type Break = { readonly where: string; readonly what: string };

/**
 * Which way values go: `request` from the client, so that all it could send before must still be taken; `reply` to
 * the client, so that nothing may come that could not come before, but for members it does not know and ignores (spec
 * 9.2).
 */
export type Direction = 'request' | 'reply';

/** Everything that a comparison needs besides the two schemas at hand. */
type Walk = {
  readonly direction: Direction;
  readonly before: Json;
  readonly after: Json;
  /**
   * What was found for each pair of references; empty while it is being found, so that a schema that holds itself
   * ends.
   */
  readonly found: Map<string, Break[]>;
};

const COMPARED = new Set([
  '$ref',
  'type',
  'enum',
  'const',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
]);
const WORDS = new Set(['title', 'description', 'default', 'example', 'examples', 'deprecated', 'discriminator']);

/**
 * The breaks between two versions of a schema. `before` and `after` are the whole documents, for references. Throws
 * for a keyword that it does not know: what cannot be compared must not pass.
 */
export function schemaBreaks(
  direction: Direction,
  before: { readonly document: Json; readonly schema: unknown },
  after: { readonly document: Json; readonly schema: unknown },
  where: string,
): Break[] {
  const walk: Walk = { direction, before: before.document, after: after.document, found: new Map() };
  return compare(walk, before.schema, after.schema, where);
}

function compare(walk: Walk, before: unknown, after: unknown, where: string): Break[] {
  const [old, now] = [refOf(before), refOf(after)];
  if (old === undefined || now === undefined) return compareResolved(walk, before, after, where);
  const pair = `${old} ${now}`;
  const known = walk.found.get(pair);
  if (known !== undefined) return known;
  walk.found.set(pair, []);
  const found = compareResolved(walk, before, after, nameOf(before));
  walk.found.set(pair, found);
  return found;
}

function compareResolved(walk: Walk, before: unknown, after: unknown, where: string): Break[] {
  const old = resolve(walk.before, before);
  const now = resolve(walk.after, after);
  const branches = { before: branchesOf(old), after: branchesOf(now) };
  if (branches.before.length > 1 || branches.after.length > 1) return compareBranches(walk, branches, where);
  return [
    ...typeBreaks(walk.direction, old, now, where),
    ...valueBreaks(walk.direction, old, now, where),
    ...boundBreaks(walk.direction, old, now, where),
    ...memberBreaks(walk, old, now, where),
    ...otherMemberBreaks(walk, old, now, where),
    ...itemBreaks(walk, old, now, where),
  ];
}

/** Each alternative on the side that must not grow needs one on the other side that holds all of it. */
function compareBranches(
  walk: Walk,
  branches: { readonly before: readonly unknown[]; readonly after: readonly unknown[] },
  where: string,
): Break[] {
  const isRequest = walk.direction === 'request';
  const [inner, outer] = isRequest ? [branches.before, branches.after] : [branches.after, branches.before];
  return inner.flatMap((branch) => {
    const attempts = outer.map((other) =>
      isRequest ? compare(walk, branch, other, where) : compare(walk, other, branch, where),
    );
    if (attempts.some((found) => found.length === 0)) return [];
    const closest = attempts.toSorted((a, b) => a.length - b.length)[0] ?? [];
    const words = isRequest ? 'an alternative is no longer taken' : 'a new alternative may come';
    return outer.length === 1 && closest.length > 0 ? closest : [{ where, what: `${words}: ${nameOf(branch)}` }];
  });
}

function typeBreaks(direction: Direction, before: Json, after: Json, where: string): Break[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  const holds = (types: readonly string[], type: string): boolean =>
    types.length === 0 || types.includes(type) || (type === 'integer' && types.includes('number'));
  if (direction === 'request') {
    const refused = old.length === 0 && now.length > 0 ? ['anything else'] : old.filter((type) => !holds(now, type));
    return refused.map((type) => ({ where, what: `${type} is no longer taken` }));
  }
  const fresh = now.length === 0 && old.length > 0 ? ['anything'] : now.filter((type) => !holds(old, type));
  return fresh.map((type) => ({ where, what: `${type} may come, where only ${old.join(' or ')} could` }));
}

function valueBreaks(direction: Direction, before: Json, after: Json, where: string): Break[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (direction === 'request') {
    if (now === undefined) return [];
    if (old === undefined) return [{ where, what: `only ${now.join(', ')} are taken now` }];
    return old.filter((value) => !now.includes(value)).map((value) => ({ where, what: `${value} is no longer taken` }));
  }
  if (old === undefined) return [];
  if (now === undefined) return [{ where, what: `other values than ${old.join(', ')} may come` }];
  return now.filter((value) => !old.includes(value)).map((value) => ({ where, what: `the value ${value} may come` }));
}

/** How a keyword narrows: a larger lower bound and a smaller upper one take less. */
const LOWER = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum'];
const UPPER = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'];
const EXACT = ['pattern', 'format', 'multipleOf', 'uniqueItems'];

function boundBreaks(direction: Direction, before: Json, after: Json, where: string): Break[] {
  const [narrow, wide] = direction === 'request' ? [after, before] : [before, after];
  const words = direction === 'request' ? 'takes less than before' : 'may bring more than before';
  const bounds = [...LOWER.map((name) => [name, 1] as const), ...UPPER.map((name) => [name, -1] as const)];
  const narrowed = bounds.filter(([name, sign]) => {
    const bound = narrow[name];
    if (typeof bound !== 'number') return false;
    const other = wide[name];
    return typeof other !== 'number' || sign * bound > sign * other;
  });
  const changed = EXACT.filter((name) => narrow[name] !== undefined && narrow[name] !== wide[name]);
  return [...narrowed.map(([name]) => name), ...changed].map((name) => ({
    where,
    what: `${name} ${words}: ${show(before[name])} → ${show(after[name])}`,
  }));
}

function memberBreaks(walk: Walk, before: Json, after: Json, where: string): Break[] {
  const [old, now] = [objectOf(before.properties), objectOf(after.properties)];
  const [oldRequired, nowRequired] = [namesOf(before.required), namesOf(after.required)];
  const gone = Object.keys(old)
    .filter((name) => !Object.hasOwn(now, name))
    .map((name) => ({ where: `${where}.${name}`, what: 'was removed' }));
  const kept = Object.keys(old)
    .filter((name) => Object.hasOwn(now, name))
    .flatMap((name) => compare(walk, old[name], now[name], `${where}.${name}`));
  const required =
    walk.direction === 'request'
      ? nowRequired.filter((name) => !oldRequired.includes(name)).map((name) => [name, 'is required now'] as const)
      : oldRequired
          .filter((name) => !nowRequired.includes(name) && Object.hasOwn(now, name))
          .map((name) => [name, 'may be missing now'] as const);
  return [...gone, ...kept, ...required.map(([name, what]) => ({ where: `${where}.${name}`, what }))];
}

/** Members of any name: of a dictionary, or any at all where nothing is said. */
function otherMemberBreaks(walk: Walk, before: Json, after: Json, where: string): Break[] {
  const [old, now] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (walk.direction === 'request' && now === true) return [];
  if (walk.direction === 'request' && old === false) return [];
  if (walk.direction === 'reply' && (old === true || now === false)) return [];
  if (typeof old === 'boolean' || typeof now === 'boolean') {
    const what = walk.direction === 'request' ? 'other members are no longer taken' : 'members of any value may come';
    return [{ where, what }];
  }
  return compare(walk, old, now, `${where}.*`);
}

function itemBreaks(walk: Walk, before: Json, after: Json, where: string): Break[] {
  if (before.items === undefined && after.items === undefined) return [];
  return compare(walk, before.items ?? {}, after.items ?? {}, `${where}[]`);
}

/**
 * The alternatives of a schema; a list of types is one each, so that `null` beside another compares however it is
 * written.
 */
function branchesOf(schema: Json): readonly unknown[] {
  const written = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(written)) return written;
  const types = typesOf(schema);
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema];
}

/** A schema without its reference, and without words; throws for what is not compared. */
function resolve(document: Json, schema: unknown): Json {
  if (!isObject(schema)) throw new Error('a schema is an object');
  const ref = refOf(schema);
  if (ref !== undefined) return resolve(document, lookUp(document, ref));
  for (const keyword of Object.keys(schema)) {
    if (!COMPARED.has(keyword) && !WORDS.has(keyword)) throw new Error(`the keyword ${keyword} is not compared`);
  }
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => COMPARED.has(keyword)));
}

/** What a local reference leads to. Throws when it leads nowhere. */
export function lookUp(document: Json, ref: string): unknown {
  let found: unknown = document;
  for (const part of ref.replace(/^#\//, '').split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    found = isObject(found) ? found[name] : undefined;
  }
  if (found === undefined) throw new Error(`${ref} leads nowhere`);
  return found;
}

/** Every reference in a document, however deep. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' && typeof member === 'string' ? [member] : referencesIn(member),
  );
}

function refOf(schema: unknown): string | undefined {
  return isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref : undefined;
}

function typesOf(schema: Json): readonly string[] {
  return schema.type === undefined ? [] : [schema.type].flat().map(String);
}

function valuesOf(schema: Json): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map(show);
  return schema.const === undefined ? undefined : [show(schema.const)];
}

function nameOf(schema: unknown): string {
  return refOf(schema)?.split('/').at(-1) ?? show(schema);
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value).slice(0, 200);
}

function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** A JSON object, and neither a list nor null. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
