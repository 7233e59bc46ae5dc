import type { Problem } from '../errors.ts';
import { Compile, type Static, type TSchema } from '../typebox.ts';
import { assertExplainable, explain, memberPath, nearestMember, shownName } from './explain.ts';

/** Enough to show what is wrong, and a bound on the work that a hopeless body costs. */
const PROBLEMS_MAX = 100;
/** Enough to correct a file in a few rounds. */
const FILE_PROBLEMS_MAX = 1_000;
const UNKNOWN_FIELDS_MAX = 20;
/** Members below this depth get no path of their own. */
const PATH_DEPTH_MAX = 32;

/** Returns every problem of a value, none when it has the shape. */
export type Shape = (value: unknown) => Problem[];

/**
 * Makes a check of a schema, which is compiled when it is first used. Nothing is coerced, filled in
 * or removed; unknown members pass. A valid value costs the compiled check alone (40 ns for an
 * order of two lines); the reasons are worked out only for one that fails it. Throws at start when
 * the schema has a keyword that a refusal could not explain.
 */
export function compileShape(schema: TSchema): Shape {
  const problemsOf = compileSchema(schema, { problemsMax: PROBLEMS_MAX, subject: 'body' });
  return (value) => problemsOf(value, '');
}

export type Shaped<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/**
 * Checks the shape of an operator's file or of a stored document and reports every problem at once,
 * each with its path in the file's own notation (`base_products[0].variants[2].sku`), below `root`
 * when one is given. A schema is compiled when it is first used.
 */
export function checkShape<Schema extends TSchema>(schema: Schema, value: unknown, root = ''): Shaped<Static<Schema>> {
  let problemsOf = compiledFiles.get(schema);
  if (problemsOf === undefined) {
    problemsOf = compileSchema(schema, { problemsMax: FILE_PROBLEMS_MAX, subject: 'file' });
    compiledFiles.set(schema, problemsOf);
  }
  const problems = problemsOf(value, root);
  return problems.length === 0 ? { kind: 'ok', value: value as Static<Schema> } : { kind: 'refused', problems };
}

type ProblemsOf = (value: unknown, root: string) => Problem[];

const compiledFiles = new WeakMap<TSchema, ProblemsOf>();

function compileSchema(
  schema: TSchema,
  { problemsMax, subject }: { problemsMax: number; subject: string },
): ProblemsOf {
  assertExplainable(schema);
  // Most of the operations that a process mounts are not asked for in its first minutes, and their schemas took a tenth
  // of its start.
  let compiled: ReturnType<typeof Compile> | undefined;
  return (value, root) => {
    compiled ??= Compile(schema);
    if (compiled.Check(value)) return [];
    const problems: Problem[] = [];
    explain(schema, value, root, (problem) => problems.length < problemsMax && problems.push(problem) < problemsMax);
    // The two readings of a schema must agree; where they do not, the compiled one decides.
    return problems.length > 0
      ? problems
      : [{ path: root, code: 'shape', message: `The ${subject} does not have the right shape.` }];
  };
}

/** A problem for each value that the list repeats. `pathAt` gives the path of the value at an index. */
export function repeatProblems(values: readonly string[], pathAt: (index: number) => string): Problem[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [{ path: pathAt(index), code: 'duplicate', message: `${value} stands here for the second time.` }];
  });
}

/**
 * As `compileShape`, for the strings of a query.
 * A known parameter that is given twice or holds U+0000 is a problem of its own. Unknown parameters
 * are ignored, whatever they hold (decisions, "Unknown query parameters").
 */
export function compileQuery(schema: TSchema): Shape {
  const shape = compileShape(schema);
  const names = Object.keys(membersOf(schema));
  return (value) => {
    const query = isRecord(value) ? value : {};
    const problems = names.flatMap((name) => parameterProblems(name, query[name]));
    if (problems.length === 0) return shape(query);
    const named = new Set(problems.map((problem) => problem.path));
    return [...problems, ...shape(query).filter((problem) => !named.has(problem.path))];
  };
}

function parameterProblems(name: string, value: unknown): Problem[] {
  if (Array.isArray(value)) return [{ path: name, code: 'duplicate', message: `${name} must be given once.` }];
  if (typeof value === 'string' && isBadText(value))
    return [{ path: name, code: 'invalid_character', message: BAD_TEXT }];
  return [];
}

const BAD_TEXT = 'must not contain U+0000 or half of a surrogate pair.';

function isBadText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/**
 * Finds the strings and names in a JSON value that no database text can hold (bad input A7, A8).
 * Walks without recursion, so depth is no danger.
 */
export function findBadText(root: unknown): Problem[] {
  const problems: Problem[] = [];
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }];
  for (let next = open.pop(); next !== undefined && problems.length < PROBLEMS_MAX; next = open.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') {
      if (isBadText(value)) problems.push({ path, code: 'invalid_character', message: BAD_TEXT });
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of Object.entries(value)) {
        if (!isList && isBadText(name)) {
          problems.push({ path, code: 'invalid_character', message: `A member's name ${BAD_TEXT}` });
        }
        const below = depth >= PATH_DEPTH_MAX ? path : isList ? `${path}[${name}]` : memberPath(path, shownName(name));
        open.push({ value: member, path: below, depth: depth + 1 });
      }
    }
  }
  return problems.toSorted((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}

/**
 * A schema whose objects take no other members than those that they name, at any depth.
 * Dictionaries stay as they are, and so do objects that say themselves what else they take.
 */
export function closed(schema: TSchema): TSchema {
  return closeObjects(schema) as TSchema;
}

function closeObjects(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeObjects);
  if (!isRecord(schema)) return schema;
  const { properties, items, anyOf, allOf, additionalProperties } = schema;
  if (allOf !== undefined) throw new Error('the parts of an intersection refuse the members of one another');
  return {
    ...schema,
    ...(items === undefined ? {} : { items: closeObjects(items) }),
    ...(anyOf === undefined ? {} : { anyOf: closeObjects(anyOf) }),
    ...(isRecord(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [name, closeObjects(member)]),
          ),
          additionalProperties: additionalProperties ?? false,
        }
      : {}),
  };
}

/** A member that is not known where it stands, and the name that was probably meant. */
export type UnknownField = { readonly path: string; readonly nearest: string | undefined };

/**
 * The members that a schema does not know, at most 20 of them.
 * A dictionary knows every name; of several alternatives the members of all are known.
 */
export function listUnknownFields(schema: TSchema, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  collectUnknown(schema, value, [], found);
  return found;
}

/**
 * `at` is where the value stands, a name or an index a level.
 * A path is written only for what is found.
 */
function collectUnknown(schema: unknown, value: unknown, at: (string | number)[], found: UnknownField[]): void {
  if (found.length >= UNKNOWN_FIELDS_MAX || !isRecord(schema)) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && found.length < UNKNOWN_FIELDS_MAX; index += 1) {
      at.push(index);
      collectUnknown(schema.items, value[index], at, found);
      at.pop();
    }
    return;
  }
  if (!isRecord(value)) return;
  const members = knownMembersOf(schema);
  if (members === undefined) return;
  for (const name of Object.keys(value)) {
    if (found.length >= UNKNOWN_FIELDS_MAX) return;
    const memberSchema = Object.hasOwn(members, name) ? members[name] : undefined;
    at.push(name);
    if (memberSchema !== undefined) collectUnknown(memberSchema, value[name], at, found);
    else found.push({ path: pathOf(at), nearest: nearestMember(name, members) });
    at.pop();
  }
}

function pathOf(at: readonly (string | number)[]): string {
  return at.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : memberPath(path, shownName(step))),
    '',
  );
}

/** The members of a schema, gathered once; undefined when it names none, and so knows all. */
function knownMembersOf(schema: Record<string, unknown>): Record<string, unknown> | undefined {
  let members = knownMembers.get(schema);
  if (members === undefined) {
    members = membersOf(schema);
    knownMembers.set(schema, members);
  }
  return Object.keys(members).length === 0 ? undefined : members;
}

const knownMembers = new WeakMap<object, Record<string, unknown>>();

function membersOf(schema: unknown): Record<string, unknown> {
  if (!isRecord(schema)) return {};
  const members: Record<string, unknown> = isRecord(schema.properties) ? { ...schema.properties } : {};
  for (const parts of [schema.anyOf, schema.allOf]) {
    if (!Array.isArray(parts)) continue;
    for (const part of parts) Object.assign(members, membersOf(part));
  }
  return members;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
