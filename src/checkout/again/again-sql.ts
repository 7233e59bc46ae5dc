import type { Recipe } from '../../artwork/recipe.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

export type LineAgainRow = {
  id: Uuid;
  product_id: Uuid;
  sku: string;
  quantity: number;
  name: string;
  colour: string;
  size: string;
  declared_unit_pence: number | null;
  /** SHA-256 in hex. */
  mock_hash: string | null;
  prints: {
    area: string;
    method: string;
    /** SHA-256 in hex; null for a personalised piece. */
    design_hash: string | null;
    /** Null when the print file has expired and is gone. */
    recipe: Recipe | null;
  }[];
};

const ORDER = statement<{ reference: string; erased_at: Date | null }>(
  'again_order',
  'select reference, erased_at from orders where account_id = $1 and id = $2',
);

/** The reference of an account's order, and whether it was erased. */
export async function findPlacedOrder(
  db: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ reference: string; erased_at: Date | null } | undefined> {
  return db.one(ORDER, [accountId, orderId]);
}

// The look-up is a lateral with a limit, so that the planner makes one for each print and never joins all files.
const LINES = statement<LineAgainRow>(
  'again_lines',
  `select l.id, l.product_id, l.sku, l.quantity, l.name, l.colour, l.size, l.declared_unit_pence,
     encode(l.mock_hash, 'hex') as mock_hash,
     coalesce((
       select json_agg(json_build_object('area', j.print_area, 'method', j.method,
         'design_hash', encode(j.design_hash, 'hex'), 'recipe', f.recipe) order by j.ordinal)
       from print_job j
       left join lateral (
         select recipe from print_file where key = j.print_file_key and account_id = j.account_id limit 1
       ) as f on true
       where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
     ), '[]') as prints
   from order_line l where l.account_id = $1 and l.order_id = $2 order by l.ordinal`,
);

/** The lines of an account's order as they were placed, with what was printed on each. */
export async function listLinesAgain(db: Db, accountId: Uuid, orderId: Uuid): Promise<LineAgainRow[]> {
  return db.all(LINES, [accountId, orderId]);
}
