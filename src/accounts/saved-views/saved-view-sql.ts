import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { VIEW_PAGES } from './saved-view-schema.ts';

/** Views that a person may have of their own, and that an account may have for all. */
export const VIEWS_MAX = 50;

export type SavedViewRow = {
  id: Uuid;
  /** Null for a view for all. */
  user_id: Uuid | null;
  page: (typeof VIEW_PAGES)[number];
  name: string;
  filters: string;
  columns: string[];
  updated_at: Date;
};

const COLUMNS = 'id, user_id, page, name, filters, columns, updated_at';

const LIST = statement<SavedViewRow>(
  'saved_views_list',
  `select ${COLUMNS} from saved_view
   where account_id = $1 and page = $3 and (user_id = $2 or user_id is null)
   order by user_id is null, name_key, id limit ${2 * VIEWS_MAX}`,
);

/** The views of a page that a person has: their own, then those for all. */
export async function listSavedViewRows(
  db: Db,
  of: { accountId: Uuid; userId: Uuid; page: SavedViewRow['page'] },
): Promise<SavedViewRow[]> {
  return db.all(LIST, [of.accountId, of.userId, of.page]);
}

const FIND = statement<SavedViewRow>(
  'saved_views_find',
  `select ${COLUMNS} from saved_view
   where account_id = $1 and id = $2 and (user_id = $3 or user_id is null)`,
);

/** A view that a person has; not one that is another person's own. */
export async function findSavedView(
  db: Db,
  of: { accountId: Uuid; userId: Uuid; id: Uuid },
): Promise<SavedViewRow | undefined> {
  return db.one(FIND, [of.accountId, of.id, of.userId]);
}

const COUNT = statement<{ views: number }>(
  'saved_views_count',
  'select count(*)::integer as views from saved_view where account_id = $1 and user_id is not distinct from $2::uuid',
);

/** How many views a person has of their own; without a person, how many are for all. */
export async function countSavedViews(db: Db, accountId: Uuid, userId: Uuid | null): Promise<number> {
  return (await db.one(COUNT, [accountId, userId]))?.views ?? 0;
}

const NAMED = statement<{ id: Uuid }>(
  'saved_views_named',
  `select id from saved_view
   where account_id = $1 and page = $2 and user_id is not distinct from $3::uuid and name_key = $4`,
);

/** The view of a page that has a name, among a person's own or those for all. */
export async function findSavedViewByName(
  db: Db,
  of: { accountId: Uuid; page: SavedViewRow['page']; userId: Uuid | null; nameKey: string },
): Promise<Uuid | undefined> {
  return (await db.one(NAMED, [of.accountId, of.page, of.userId, of.nameKey]))?.id;
}

export type SavedViewContent = Omit<SavedViewRow, 'id' | 'updated_at'> & { readonly nameKey: string };

const WRITE = statement<SavedViewRow>(
  'saved_views_write',
  `insert into saved_view (account_id, id, user_id, page, name, name_key, filters, columns, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   on conflict (account_id, id) do update set user_id = excluded.user_id, name = excluded.name,
     name_key = excluded.name_key, filters = excluded.filters, columns = excluded.columns,
     updated_at = excluded.updated_at
   returning ${COLUMNS}`,
);

/** Writes a view of a locked account, a new one or one that is there. */
export async function writeSavedView(
  tx: Db,
  of: { accountId: Uuid; id: Uuid; content: SavedViewContent; now: Date },
): Promise<SavedViewRow | undefined> {
  const { user_id: userId, page, name, nameKey, filters, columns } = of.content;
  return tx.one(WRITE, [of.accountId, of.id, userId, page, name, nameKey, filters, columns, of.now]);
}

const REMOVE = statement<{ id: Uuid }>(
  'saved_views_remove',
  'delete from saved_view where account_id = $1 and id = $2 returning id',
);

/** Removes a view; false when it is gone already. */
export async function removeSavedViewRow(tx: Db, accountId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.one(REMOVE, [accountId, id])) !== undefined;
}
