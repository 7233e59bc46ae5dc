import { type IdPrefix, parseId, type Uuid } from './ids.ts';
import { publicIdPattern } from './schemas.ts';
import { Type } from './typebox.ts';

/** Page size (spec 8). */
export const PAGE_LIMIT_MAX = 100;
export const PAGE_LIMIT_DEFAULT = 25;

/** Rows that a page statement reads: one more than it shows tells whether another page follows. */
export const PAGE_ROWS_MAX = PAGE_LIMIT_MAX + 1;

export type Page<View> = {
  readonly data: readonly View[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
};

/**
 * The query parameters of a collection whose records have ids of this kind.
 * Spread them into the route's query schema. They are strings of one exact form each, so `1e1`, ` 10`
 * or an id of another kind is a 422 (spec 4.1; decisions, "Sort order").
 */
export function pageQuery(prefix: IdPrefix) {
  return {
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: `Records a page, 1 to ${PAGE_LIMIT_MAX}, ${PAGE_LIMIT_DEFAULT} by default.`,
        'x-message': `must be a whole number from 1 to ${PAGE_LIMIT_MAX}.`,
        'x-openapi': { type: 'integer', minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT },
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: publicIdPattern(prefix),
        description: 'The next_cursor of the previous page.',
        'x-message': 'must be the next_cursor of a page of this collection.',
        // Opaque: its form is no part of the contract.
        'x-openapi': { type: 'string', minLength: 1 },
      }),
    ),
  };
}

/**
 * Reads the parameters that `pageQuery` has validated.
 * Returns how many records to return, and the id that the page begins after. Statements read one row
 * more than `limit`, from which `toPage` sees that another page follows.
 */
export function readPage(
  prefix: IdPrefix,
  query: { readonly limit?: string | undefined; readonly cursor?: string | undefined },
): { limit: number; after: Uuid | undefined } {
  return {
    limit: query.limit === undefined ? PAGE_LIMIT_DEFAULT : Number(query.limit),
    after: query.cursor === undefined ? undefined : parseId(prefix, query.cursor),
  };
}

/**
 * Makes the envelope of a page from up to `limit + 1` rows.
 * `next_cursor` is the cursor of the last record shown; `has_more` is true exactly when it is not
 * null.
 */
export function toPage<Row, View>(
  rows: readonly Row[],
  limit: number,
  toView: (row: Row) => View,
  cursorOf: (view: View) => string,
): Page<View> {
  const data = rows.slice(0, limit).map(toView);
  const last = rows.length > limit ? data.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursorOf(last);
  return { data, has_more: nextCursor !== null, next_cursor: nextCursor };
}
