import type { ArtworkFacts } from '../../artwork/preflight/preflight.ts';
import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PRODUCT_COLUMNS, type ProductRow, type ProductStatus } from '../sql.ts';

export type DesignRow = { hash: string; width_px: number; height_px: number; report: Partial<ArtworkFacts> | null };

const DESIGNS = statement<DesignRow>(
  'products_designs_of',
  `select encode(d.hash, 'hex') as hash, b.width_px, b.height_px, b.report
   from design d join blob b on b.hash = d.hash
   where d.account_id = $1 and d.hash = any(select decode(h, 'hex') from unnest($2::text[]) as h) and not b.deleting`,
);

/** Those of some designs (hex) that the account has, and whose bytes are kept. */
export async function readDesigns(db: Db, accountId: Uuid, hashes: readonly string[]): Promise<DesignRow[]> {
  return db.all(DESIGNS, [accountId, hashes]);
}

/** Products that a page looks at, at most: what is narrowed by words has more pages, and none is slow. */
const SEEN_MAX = 500;

/** A word in small letters, and the base products whose title has it. */
export type GalleryWord = { readonly word: string; readonly bases: readonly Uuid[] };

export type GalleryFilter = {
  /** Null for every status but archived. */
  readonly status: ProductStatus | null;
  /** Null for both kinds. */
  readonly personalised: boolean | null;
  /** The name, the tags or a SKU have each of them, or its base product is among those of the word. */
  readonly words: readonly GalleryWord[];
  readonly before: Uuid | null;
  readonly limit: number;
};

/** `last_seen`: the oldest product that was looked at, where there may be more. */
type FoundRow = { ids: Uuid[]; last_seen: Uuid | null };

const findSql = (narrowed: string): string => `
  with seen as materialized (
    select id, name, tags, base_product_id, personalisation is not null as personalised from product
    where account_id = $1 and ${narrowed} and id < coalesce($2::uuid, '${LAST_ID}')
    order by id desc limit ${SEEN_MAX}
  )
  select coalesce((
      select array_agg(f.id order by f.id desc) from (
        select s.id from seen s
        where ($3::boolean is null or s.personalised = $3) and not exists (
          select from json_to_recordset($4::json) as w(word text, bases uuid[])
          where position(w.word in lower(s.name || ' ' || array_to_string(s.tags, ' '))) = 0
            and s.base_product_id <> all(w.bases)
            and not exists (
              select from product_variant v
              where v.account_id = $1 and v.product_id = s.id and v.active and position(w.word in lower(v.sku)) > 0
            )
        )
        order by s.id desc limit $5
      ) f
    ), '{}') as ids,
    (select id from seen order by id desc offset ${SEEN_MAX - 1}) as last_seen`;

const FIND = statement<FoundRow>('products_gallery', findSql("status <> 'archived'"));
const FIND_OF_STATUS = statement<FoundRow>('products_gallery_of_status', findSql('status = $6'));

/** The ids of a page of an account's products, newest first. It looks at a bounded number of them. */
export async function findGalleryIds(db: Db, accountId: Uuid, filter: GalleryFilter): Promise<FoundRow> {
  const { status, before, words, personalised, limit } = filter;
  const values = [accountId, before, personalised, JSON.stringify(words), limit];
  const row = await (status === null ? db.one(FIND, values) : db.one(FIND_OF_STATUS, [...values, status]));
  if (row === undefined) throw new Error('a page of products has no row');
  return row;
}

const OF_IDS = statement<ProductRow>(
  'products_of_ids',
  `select ${PRODUCT_COLUMNS} from product p where p.account_id = $1 and p.id = any($2::uuid[]) order by p.id desc`,
);

/** Some products of an account, newest first. */
export async function readProductRows(db: Db, accountId: Uuid, ids: readonly Uuid[]): Promise<ProductRow[]> {
  return ids.length === 0 ? [] : db.all(OF_IDS, [accountId, ids]);
}
