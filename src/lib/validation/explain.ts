import type { Problem } from '../errors.ts';
import { didYouMean, nearestName } from './nearest-name.ts';

/**
 * The keywords that schemas of requests and files use.
 * Any other would be checked but not explained, so it is refused.
 */
const KEYWORDS = new Set([
  'type',
  'const',
  'enum',
  'anyOf',
  'allOf',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
  'items',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
]);
const ANNOTATIONS = new Set(['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

type Schema = Readonly<Record<string, unknown>>;

/** Takes a problem; returns false to stop the search. */
export type Report = (problem: Problem) => boolean;

/**
 * Reports what is wrong with a value that does not have a schema's shape.
 * Each problem has its path in the request's or file's own notation. Stops when `report` returns
 * false, and does not look into a list that is too long already, so that the work is bounded by the
 * problems reported and not by the body. A schema may carry its own words in `x-message`. Returns
 * false when stopped.
 */
export function explain(schema: unknown, value: unknown, path: string, report: Report): boolean {
  if (!isRecord(schema)) return true;
  const say = (code: string, message: string): boolean =>
    report({ path, code, message: text(schema['x-message']) ?? message });
  const validValues = finiteValues(schema);
  if (validValues !== undefined) {
    if (validValues.includes(value)) return true;
    const names = validValues.filter((valid) => valid !== null).map(String);
    return report({ path, code: 'unknown_value', message: `must be one of ${names.join(', ')}.`, valid_values: names });
  }
  const branches = list(schema.anyOf);
  if (branches.length > 0) return explainAlternatives(branches, value, path, report);
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
    return say('type', `must be ${types.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}.`);
  }
  const wrong = boundProblem(schema, value);
  if (wrong !== undefined) return say(wrong.code, wrong.message);
  for (const part of list(schema.allOf)) {
    if (!explain(part, value, path, report)) return false;
  }
  if (Array.isArray(value)) return explainItems(schema, value, path, report);
  return isRecord(value) ? explainMembers(schema, value, path, report) : true;
}

/** Throws when a schema, or one inside it, uses a keyword that `explain` does not know. */
export function assertExplainable(schema: unknown, path = '#'): void {
  if (typeof schema === 'boolean' || !isRecord(schema)) return;
  for (const keyword of Object.keys(schema)) {
    if (!KEYWORDS.has(keyword) && !ANNOTATIONS.has(keyword) && !/^[x~]/.test(keyword)) {
      throw new Error(`a schema uses "${keyword}" at ${path}, which a refusal cannot explain`);
    }
  }
  const properties = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [name, member] of properties) assertExplainable(member, `${path}/${name}`);
  for (const keyword of ['items', 'additionalProperties']) assertExplainable(schema[keyword], `${path}/${keyword}`);
  for (const keyword of ['anyOf', 'allOf']) {
    for (const part of list(schema[keyword])) assertExplainable(part, `${path}/${keyword}`);
  }
}

/** `items` below nothing is `items`, below `a` it is `a.items`. */
export function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

/**
 * The name of a member as a path shows it, cut to its first characters.
 * Never with half of a surrogate pair: paths of warnings are stored, and no database takes one.
 */
export function shownName(name: string): string {
  return name.length <= NAME_CHARACTERS_MAX ? name : `${name.slice(0, NAME_CHARACTERS_MAX).replace(/\p{Cs}$/u, '')}…`;
}

const NAME_CHARACTERS_MAX = 100;

/** Explains the one alternative that the value's type selects; when none does, names the types. */
function explainAlternatives(branches: readonly unknown[], value: unknown, path: string, report: Report): boolean {
  const fitting = branches.filter(isRecord).filter((branch) => {
    const types = typesOf(branch);
    return types.length === 0 || types.some((type) => isOfType(type, value));
  });
  const failures = fitting.map((branch) => {
    const problems: Problem[] = [];
    explain(branch, value, path, (problem) => problems.push(problem) < ALTERNATIVE_PROBLEMS_MAX);
    return problems;
  });
  if (failures.some((problems) => problems.length === 0)) return true;
  const closest = failures.toSorted((a, b) => a.length - b.length)[0];
  if (closest !== undefined) return closest.every((problem) => report(problem));
  const types = branches.filter(isRecord).flatMap(typesOf);
  const names = [...new Set(types)].map((type) => TYPE_NAMES[type] ?? type);
  return report({ path, code: 'type', message: `must be ${names.join(' or ')}.` });
}

const ALTERNATIVE_PROBLEMS_MAX = 20;

function explainItems(schema: Schema, items: readonly unknown[], path: string, report: Report): boolean {
  if (schema.items === undefined) return true;
  return items.every((item, index) => explain(schema.items, item, `${path}[${index}]`, report));
}

function explainMembers(schema: Schema, value: Schema, path: string, report: Report): boolean {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const others = schema.additionalProperties;
  const missing = list(schema.required)
    .map(String)
    .filter((name) => !Object.hasOwn(value, name));
  // A closed object refuses the other name itself, with what it stands for.
  const meant = missing.length > 0 && others === undefined ? namesGivenFor(properties, value) : NONE;
  for (const name of missing) {
    const given = meant.get(name);
    const message = `${name} is required${given === undefined ? '' : `; \`${given}\` is not known here`}.`;
    if (!report({ path: memberPath(path, name), code: 'required', message })) return false;
  }
  for (const name of Object.keys(value)) {
    const isKnown = Object.hasOwn(properties, name);
    const below = memberPath(path, shownName(name));
    if (!isKnown && others === false) {
      const hint = didYouMean(nearestMember(name, properties));
      if (!report({ path: below, code: 'unknown_field', message: `${below} is not known here.${hint}` })) return false;
    }
    if (!explain(isKnown ? properties[name] : others, value[name], below, report)) return false;
  }
  return true;
}

/**
 * The member that an unknown one most likely stands for, never one that is only still understood.
 * A name near an older one (`lins`, near `lines`) stands for what took its place (`items`).
 */
export function nearestMember(name: string, members: Schema): string | undefined {
  const isOlder = (known: string): boolean => isRecord(members[known]) && members[known].deprecated === true;
  const names = Object.keys(members);
  const current = names.filter((known) => !isOlder(known));
  const nearest = nearestName(name, current);
  if (nearest !== undefined) return nearest;
  const former = nearestName(name, names.filter(isOlder));
  return former === undefined ? undefined : nearestName(former, current);
}

/** How many unknown members of an object are looked at, so that a body of them alone costs little. */
const NAMES_COMPARED_MAX = 10;
const NONE: ReadonlyMap<string, string> = new Map();

/** The unknown member that was probably sent for each known one: `zip` for `postcode`. */
function namesGivenFor(properties: Schema, value: Schema): ReadonlyMap<string, string> {
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return new Map(
    unknown.slice(0, NAMES_COMPARED_MAX).flatMap((name): [string, string][] => {
      const nearest = nearestMember(name, properties);
      return nearest === undefined ? [] : [[nearest, name]];
    }),
  );
}

type Wrong = { readonly code: string; readonly message: string };

function boundProblem(schema: Schema, value: unknown): Wrong | undefined {
  if (typeof value === 'string') return textProblem(schema, value);
  if (typeof value === 'number') return numberProblem(schema, value);
  if (Array.isArray(value)) {
    const wrong = countProblem(schema.minItems, schema.maxItems, value.length, 'entries');
    if (wrong !== undefined || schema.uniqueItems !== true) return wrong;
    const isUnique = new Set(value.map((item) => JSON.stringify(item))).size === value.length;
    return isUnique ? undefined : { code: 'duplicate', message: 'must not hold the same entry twice.' };
  }
  if (!isRecord(value)) return undefined;
  return countProblem(schema.minProperties, schema.maxProperties, Object.keys(value).length, 'members');
}

function textProblem(schema: Schema, value: string): Wrong | undefined {
  const wrong = countProblem(schema.minLength, schema.maxLength, codePoints(value), 'characters');
  if (wrong !== undefined) return wrong;
  const pattern = text(schema.pattern);
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return undefined;
  return { code: 'pattern', message: `must have the form ${pattern}.` };
}

function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

function numberProblem(schema: Schema, value: number): Wrong | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const bounds = [
    typeof minimum === 'number' && value < minimum ? `at least ${minimum}` : undefined,
    typeof maximum === 'number' && value > maximum ? `at most ${maximum}` : undefined,
    typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum ? `more than ${exclusiveMinimum}` : undefined,
    typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum ? `less than ${exclusiveMaximum}` : undefined,
    typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf) ? `a multiple of ${multipleOf}` : undefined,
  ];
  const bound = bounds.find((found) => found !== undefined);
  return bound === undefined ? undefined : { code: 'out_of_bounds', message: `must be ${bound}.` };
}

function countProblem(min: unknown, max: unknown, count: number, what: string): Wrong | undefined {
  if (typeof min === 'number' && count < min) {
    const message = min === 1 ? 'must not be empty.' : `must have at least ${min} ${what}.`;
    return { code: 'out_of_bounds', message };
  }
  if (typeof max === 'number' && count > max) {
    return { code: 'out_of_bounds', message: `must have at most ${max} ${what}.` };
  }
  return undefined;
}

/**
 * The values of an enumeration, of a constant, or of alternatives that are nothing but these;
 * undefined for any other schema.
 */
function finiteValues(schema: Schema): readonly unknown[] | undefined {
  if (schema.enum !== undefined) return list(schema.enum);
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  const branches = list(schema.anyOf);
  if (branches.length === 0) return undefined;
  const values = branches.map((branch) => {
    if (!isRecord(branch)) return undefined;
    return branch.type === 'null' ? [null] : finiteValues(branch);
  });
  if (values.every((found) => found?.[0] === null)) return undefined;
  return values.every((found) => found !== undefined) ? values.flat() : undefined;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function typesOf(schema: Schema): string[] {
  const type = schema.type;
  return typeof type === 'string' ? [type] : list(type).map(String);
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function list(value: unknown): readonly unknown[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items;
}

function isRecord(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
