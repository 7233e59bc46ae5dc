import { type Db, statement } from '../lib/db.ts';
import { LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';

/** Brands of an account that are not archived. */
export const BRANDS_MAX = 50;

/** What a slip shows of a brand. `logo_hash` is hex. */
export type BrandContent = {
  name: string;
  message: string;
  support_email: string;
  website: string;
  return_lines: string[];
  logo_hash: string | null;
};

export type BrandRow = BrandContent & {
  id: Uuid;
  is_default: boolean;
  archived_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

const CONTENT = `r.name, r.message, r.support_email, r.website, r.return_lines, encode(r.logo_hash, 'hex') as logo_hash`;
const COLUMNS = `b.id, ${CONTENT}, b.archived_at, b.created_at, b.updated_at,
  coalesce((select a.default_brand_id from account a where a.id = b.account_id) = b.id, false) as is_default`;
const PRESENT = 'r.account_id = b.account_id and r.brand_id = b.id and r.superseded_at is null';

const FIND = statement<BrandRow>(
  'brands_find',
  `select ${COLUMNS} from brand b join brand_revision r on ${PRESENT} where b.account_id = $1 and b.id = $2`,
);

/** A brand of an account, archived ones included. */
export async function findBrand(db: Db, accountId: Uuid, id: Uuid): Promise<BrandRow | undefined> {
  return db.one(FIND, [accountId, id]);
}

const LIST = statement<BrandRow>(
  'brands_list',
  `select ${COLUMNS} from (
     select * from brand where account_id = $1 and archived_at is null and id < $2 order by id desc limit ${PAGE_ROWS_MAX}
   ) as b join brand_revision r on ${PRESENT} order by b.id desc limit $3`,
);

/** A page of the brands of an account that are not archived, the newest first. */
export async function listBrandRows(
  db: Db,
  accountId: Uuid,
  { before = LAST_ID as Uuid, limit }: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<BrandRow[]> {
  return db.all(LIST, [accountId, before, limit]);
}

const NAMED = statement<{ id: Uuid; name_key: string }>(
  'brands_named',
  'select id, name_key from brand where account_id = $1 and archived_at is null and name_key = any($2::text[])',
);

/** The brands of an account that have these names, as names are compared. */
export async function findBrandsByKey(
  db: Db,
  accountId: Uuid,
  keys: readonly string[],
): Promise<{ id: Uuid; name_key: string }[]> {
  return db.all(NAMED, [accountId, keys]);
}

const COUNT = statement<{ count: number }>(
  'brands_count',
  `select count(*)::integer as count from (
     select from brand where account_id = $1 and archived_at is null limit ${BRANDS_MAX}) as b`,
);

/** How many brands an account has that are not archived. It counts up to the most that there may be. */
export async function countBrands(db: Db, accountId: Uuid): Promise<number> {
  return (await db.one(COUNT, [accountId]))?.count ?? 0;
}

const INSERT = statement<never>(
  'brands_insert',
  'insert into brand (account_id, id, name_key, created_at, updated_at) values ($1, $2, $3, $4, $4)',
);

const SUPERSEDE = statement<never>(
  'brands_supersede',
  'update brand_revision set superseded_at = $3 where account_id = $1 and brand_id = $2 and superseded_at is null',
);

const REVISE = statement<never>(
  'brands_revise',
  `insert into brand_revision (account_id, id, brand_id, name, message, support_email, website, return_lines, logo_hash, created_at)
   values ($1, $3, $2, $4, $5, $6, $7, $8, decode($9, 'hex'), $10)`,
);

const TOUCH = statement<never>(
  'brands_touch',
  'update brand set name_key = $3, updated_at = $4 where account_id = $1 and id = $2',
);

export type NewRevision = {
  readonly accountId: Uuid;
  readonly brandId: Uuid;
  readonly id: Uuid;
  readonly nameKey: string;
  readonly content: BrandContent;
  readonly now: Date;
};

/** Writes a brand with its first revision, of a locked account. */
export async function insertBrand(tx: Db, revision: NewRevision): Promise<void> {
  const { accountId, brandId, nameKey, now } = revision;
  await tx.all(INSERT, [accountId, brandId, nameKey, now]);
  await insertRevision(tx, revision);
}

/** Gives a brand of a locked account another content; orders keep the one that they were placed with. */
export async function reviseBrand(tx: Db, revision: NewRevision): Promise<void> {
  const { accountId, brandId, nameKey, now } = revision;
  // Two statements: an index lets a brand have one present revision, also within one.
  await tx.all(SUPERSEDE, [accountId, brandId, now]);
  await insertRevision(tx, revision);
  await tx.all(TOUCH, [accountId, brandId, nameKey, now]);
}

async function insertRevision(tx: Db, { accountId, brandId, id, content, now }: NewRevision): Promise<void> {
  const { name, message, support_email: email, website, return_lines: lines, logo_hash: logo } = content;
  await tx.all(REVISE, [accountId, brandId, id, name, message, email, website, lines, logo, now]);
}

const SET_DEFAULT = statement<never>('brands_set_default', 'update account set default_brand_id = $2 where id = $1');

/** Makes a brand that of the orders of a locked account that name none; null: they have none. */
export async function setDefaultBrand(tx: Db, accountId: Uuid, brandId: Uuid | null): Promise<void> {
  await tx.all(SET_DEFAULT, [accountId, brandId]);
}

const ARCHIVE = statement<never>(
  'brands_archive',
  `with ended as (
     update brand set archived_at = $3, updated_at = $3 where account_id = $1 and id = $2 and archived_at is null returning id
   )
   update account a set default_brand_id = null from ended e where a.id = $1 and a.default_brand_id = e.id`,
);

/** Archives a brand of a locked account; orders that name none have no brand then if it was theirs. */
export async function archiveBrandRow(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(ARCHIVE, [accountId, id, now]);
}

const REVISION = statement<BrandContent>(
  'brands_revision',
  `select ${CONTENT} from brand_revision r where r.account_id = $1 and r.id = $2`,
);

/** What orders were placed with; undefined once it is erased. */
export async function findRevision(db: Db, accountId: Uuid, id: Uuid): Promise<BrandContent | undefined> {
  return db.one(REVISION, [accountId, id]);
}

/** What is read of the brand of a basket. */
export type OrderedBrand = { id: Uuid; name: string; revision_id: Uuid; is_archived: boolean };

/**
 * SQL of a sub-query that reads an account's brand, as a JSON object of `OrderedBrand`.
 * Null when there is none. Without an id it reads nothing.
 */
export function orderedBrandSql(accountId: string, id: string): string {
  return `case when ${id} is not null then (
    select json_build_object('id', b.id, 'name', r.name, 'revision_id', r.id, 'is_archived', b.archived_at is not null)
    from brand b join brand_revision r on ${PRESENT}
    where b.account_id = ${accountId} and b.id = ${id}
  ) end`;
}
