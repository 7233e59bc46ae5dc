import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import type { PersonalisationTemplate } from '../personalisation-template.ts';
import { lastUseSql, PRODUCT_COLUMNS, type ProductRow, type ProductStatus } from '../sql.ts';

/** A personalised product with its draft. */
export type TemplateRow = ProductRow & {
  personalisation: PersonalisationTemplate;
  template_draft: PersonalisationTemplate | null;
  draft_version: number;
  template_version: number;
  published_at: Date | null;
};

const COLUMNS = `${PRODUCT_COLUMNS}, p.template_draft, p.draft_version, p.template_version, p.published_at`;

const GET = statement<TemplateRow>(
  'templates_get',
  `select ${COLUMNS} from product p where p.account_id = $1 and p.id = $2 and p.personalisation is not null`,
);

/** One personalised product of an account, archived ones included. */
export async function findTemplate(db: Db, accountId: Uuid, id: Uuid): Promise<TemplateRow | undefined> {
  return db.one(GET, [accountId, id]);
}

const LIST = statement<TemplateRow>(
  'templates_list',
  `select ${COLUMNS} from product p
   where p.account_id = $1 and p.id in (
     select id from product
     where account_id = $1 and personalisation is not null and status <> 'archived'
       and id < coalesce($2::uuid, '${LAST_ID}')
     order by id desc limit ${PAGE_ROWS_MAX}
   )
   order by p.id desc limit $3`,
);

/** A page of an account's personalised products from after `before`, without archived ones. */
export async function listTemplateRows(
  db: Db,
  accountId: Uuid,
  page: { before: Uuid | null; limit: number },
): Promise<TemplateRow[]> {
  return db.all(LIST, [accountId, page.before, page.limit]);
}

const BEGIN = statement<never>(
  'templates_begin',
  'update product set template_draft = $3, template_version = 0 where account_id = $1 and id = $2',
);

/** Makes a product that was just written a personalised one that is not published yet. */
export async function beginTemplate(tx: Db, accountId: Uuid, id: Uuid, draft: PersonalisationTemplate): Promise<void> {
  await tx.all(BEGIN, [accountId, id, JSON.stringify(draft)]);
}

export type LockedTemplate = Pick<TemplateRow, 'base_product_id' | 'draft_version' | 'template_draft'> & {
  status: ProductStatus;
};

const LOCK = statement<LockedTemplate>(
  'templates_lock',
  `select base_product_id, status, draft_version, template_draft from product
   where account_id = $1 and id = $2 and personalisation is not null for update`,
);

/** Locks a personalised product of an account until the transaction ends. */
export async function lockTemplate(tx: Db, accountId: Uuid, id: Uuid): Promise<LockedTemplate | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

// Locked in the order of their hashes, as everywhere.
const USE_DESIGNS = statement<{ hash: string }>(
  'templates_use_designs',
  `with known as materialized (
     select b.hash from design d join blob b on b.hash = d.hash
     where d.account_id = $1 and d.hash = any(array(select decode(h, 'hex') from unnest($2::text[]) as h))
       and not b.deleting order by b.hash for no key update of b
   ),
   used as (
     update blob b set last_used_at = greatest(b.last_used_at, $3) from known k where b.hash = k.hash
   )
   select encode(hash, 'hex') as hash from known`,
);

/** Refreshes the last use of those of some bytes (hex) that an account has as designs; returns them. */
export async function useDesigns(
  tx: Db,
  accountId: Uuid,
  hashes: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set();
  return new Set((await tx.all(USE_DESIGNS, [accountId, hashes, now])).map(({ hash }) => hash));
}

const SAVE = statement<never>(
  'templates_save_draft',
  `update product set draft_version = draft_version + 1,
     template_draft = case when template_version > 0 then nullif($3::jsonb, personalisation) else $3::jsonb end
   where account_id = $1 and id = $2`,
);

/** Writes the draft of a locked product; one that is as published is none. */
export async function saveDraftRow(tx: Db, accountId: Uuid, id: Uuid, draft: PersonalisationTemplate): Promise<void> {
  await tx.all(SAVE, [accountId, id, JSON.stringify(draft)]);
}

// The pictures of the former template may be those of an order that is being placed at this moment.
const PUBLISH = statement<never>(
  'templates_publish',
  `with former as materialized (
     select distinct decode(d #>> '{}', 'hex') as hash
     from product p, jsonb_path_query(p.personalisation, '$.layers[*].options[*].design') as d
     where p.account_id = $1 and p.id = $2
   ),
   ${lastUseSql('former', '$3')}
   update product set personalisation = template_draft, template_draft = null, status = 'active',
     template_version = template_version + 1, draft_version = draft_version + 1, published_at = $3, updated_at = $3
   where account_id = $1 and id = $2 and template_draft is not null`,
);

/** Puts the draft of a locked product in the place of its template. */
export async function publishDraft(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(PUBLISH, [accountId, id, now]);
}
