import { bareStatement, statementsOf } from './statements.ts';

/**
 * A part of a migration that is done whole or not at all.
 * `transaction` is SQL for one transaction, with the record that it is done. `index` and `drop_index` are built and
 * dropped concurrently, which no transaction can hold. `batches` takes a cursor and a limit as `$1` and `$2` and
 * returns `next`, the cursor to go on from, and `rows`, how many it has looked at; the first page that is not full is
 * the last.
 */
export type Step =
  | { readonly kind: 'transaction'; readonly text: string }
  | { readonly kind: 'index'; readonly text: string; readonly index: string }
  | { readonly kind: 'drop_index'; readonly text: string }
  | { readonly kind: 'batches'; readonly text: string };

/** The first line of a file each of whose statements is a step of its own. */
const IN_STEPS = /^-- runs in steps\b/;
/** The line above a statement that is repeated, batch by batch. */
const IN_BATCHES = /^\s*-- in batches\b/m;

/** The steps of a file's text: all of it in one transaction, unless its first line says otherwise. */
export function stepsOf(text: string): readonly Step[] {
  if (!IN_STEPS.test(text)) return [{ kind: 'transaction', text }];
  return statementsOf(text).map(stepOf);
}

function stepOf(text: string): Step {
  const code = bareStatement(text);
  const [, index] = /^create (?:unique )?index concurrently if not exists (\w+) /i.exec(code) ?? [];
  if (index !== undefined) return { kind: 'index', text, index };
  if (/^drop index concurrently if exists \w+$/i.test(code)) return { kind: 'drop_index', text };
  if (/\bindex concurrently\b/i.test(code)) {
    throw new Error(`a step must be "… index concurrently if [not] exists <name>", with a plain name: ${code}`);
  }
  if (!IN_BATCHES.test(text)) return { kind: 'transaction', text };
  if (!/\$1\b/.test(code) || !/\blimit \$2\b/i.test(code)) {
    throw new Error(`a statement in batches takes its cursor as $1 and "limit $2": ${code}`);
  }
  return { kind: 'batches', text };
}
