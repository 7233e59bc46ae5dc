import type { Static, TSchema } from 'typebox';
import { Settings } from 'typebox/system';
import { Check, Errors } from 'typebox/value';
import type { Problem } from './errors.ts';

export type Shaped<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Enough to mend a file in a few rounds, and a bound on the work that a hopeless one costs. */
const SHAPE_ERRORS_MAX = 1_000;

/**
 * Checks the shape of an operator's file against a schema and reports every problem at once, each with its path in the
 * file's own notation (`base_products[0].variants[2].sku`), below `root` when one is given. For files and stored
 * documents; requests are checked at the doors.
 */
export function checkShape<Schema extends TSchema>(schema: Schema, value: unknown, root = ''): Shaped<Static<Schema>> {
  if (Check(schema, value)) return { kind: 'ok', value };
  return { kind: 'refused', problems: shapeErrors(schema, value).flatMap((error) => toProblems(error, root)) };
}

/** A problem for each value that stands in the list a second time; `pathAt` gives the path of the value at an index. */
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

type ShapeError = ReturnType<typeof Errors>[number];

function shapeErrors(schema: TSchema, value: unknown): ShapeError[] {
  // The library stops at eight errors unless told otherwise, and only its global settings can tell it.
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: SHAPE_ERRORS_MAX });
  try {
    return Errors(schema, value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function toProblems(error: ShapeError, root: string): Problem[] {
  const path = joinPath(root, error.instancePath);
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      path: memberPath(path, name),
      code: 'required',
      message: `${name} is required.`,
    }));
  }
  if (error.keyword === 'additionalProperties') {
    return error.params.additionalProperties.map((name) => ({
      path: memberPath(path, name),
      code: 'unknown_field',
      message: `${name} is not a member that is known here. Check its spelling.`,
    }));
  }
  // Comes along with every additionalProperties error, which says it better.
  if (error.keyword === 'boolean') return [];
  if (error.keyword === 'enum') return [enumProblem(path, error.params.allowedValues.map(String))];
  if (error.keyword === 'pattern') {
    return [{ path, code: 'pattern', message: `must have the form ${String(error.params.pattern)}.` }];
  }
  return [{ path, code: error.keyword === 'type' ? 'type' : 'out_of_bounds', message: `${error.message}.` }];
}

function enumProblem(path: string, validValues: readonly string[]): Problem {
  return {
    path,
    code: 'unknown_value',
    message: `must be one of ${validValues.join(', ')}.`,
    valid_values: validValues,
  };
}

function joinPath(root: string, pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : memberPath(path, part)), root);
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
