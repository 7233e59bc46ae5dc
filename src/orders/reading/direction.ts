import { FIRST_ID, LAST_ID } from '../../lib/ids.ts';

/** Which end of a list of orders comes first. */
export type Sort = 'newest' | 'oldest';
export const SORTS = ['newest', 'oldest'] as const satisfies readonly Sort[];

/**
 * The SQL of a direction: the order of ids, their comparison with the cursor, the range of a page.
 * An id of the list is `beyond` its `place`, which is the same as `above` the `floor` and `below` the `ceiling`.
 */
export type Direction = {
  readonly order: 'desc' | 'asc';
  readonly place: string;
  readonly beyond: '<' | '>';
  readonly above: '>=' | '>';
  readonly floor: string;
  readonly below: '<' | '<=';
  readonly ceiling: string;
};

/**
 * The directions of a statement whose cursor is this parameter, such as `$2`.
 * Null is the beginning of the list.
 */
export function directionsAt(cursor: string): Readonly<Record<Sort, Direction>> {
  const [first, last] = [`'${FIRST_ID}'::uuid`, `'${LAST_ID}'::uuid`];
  // Always compared: "is null or below" is a filter that walks to the cursor, and no position in the index.
  const [before, behind] = [`coalesce(${cursor}::uuid, ${last})`, `coalesce(${cursor}::uuid, ${first})`];
  return {
    newest: { order: 'desc', place: before, beyond: '<', above: '>=', floor: first, below: '<', ceiling: before },
    oldest: { order: 'asc', place: behind, beyond: '>', above: '>', floor: behind, below: '<=', ceiling: last },
  };
}
