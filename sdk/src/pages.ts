/** A page of a collection. */
export type Page<Item> = {
  readonly data: Item[];
  /** True when another page exists. */
  readonly has_more: boolean;
  /** Give it as `cursor` for the next page; null when there is none. */
  readonly next_cursor: string | null;
};

type PageQuery = { readonly limit?: number | undefined; readonly cursor?: string | undefined };

/** As many as a page can hold: a walk over everything should take few requests. */
const LIMIT = 100;

/**
 * Walks over a collection, page after page, each fetched when it is needed. Stop at any time with `break`. What
 * `list` throws is thrown; a service that gives one cursor twice would never end, and is an error.
 */
export async function* iteratePages<Query extends PageQuery, Item>(
  list: (query: Query) => Promise<Page<Item>>,
  query: Query,
): AsyncGenerator<Item, void, undefined> {
  let next: Query = { ...query, limit: query.limit ?? LIMIT };
  for (;;) {
    const page = await list(next);
    yield* page.data;
    const cursor = page.next_cursor ?? undefined;
    if (cursor === undefined) return;
    if (cursor === next.cursor) throw new Error(`the service gave the cursor ${cursor} twice`);
    next = { ...next, cursor };
  }
}
