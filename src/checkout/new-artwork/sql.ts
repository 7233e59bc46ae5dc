import type { Position } from '../../artwork/place.ts';
import type { Recipe } from '../../artwork/recipe.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { OrderState } from '../../orders/status.ts';

export type PrintedLineRow = {
  sku: string;
  started: boolean;
  /** Pieces that are neither cancelled nor shipped. */
  left: number;
  prints: PrintRow[];
};

export type PrintRow = {
  ordinal: number;
  area: string;
  method: string;
  /** The design (hex); null for a personalised piece. */
  design_hash: string | null;
  is_replaced: boolean;
  /** The key of its print file (hex). */
  file: string;
  /** Null when the print file has expired and is gone, and so is its recipe. */
  state: 'pending' | 'ready' | 'failed' | null;
  recipe: Recipe | null;
  /** Where the product has the area now; null when it has it no more. */
  product_position: Position | null;
};

type OfLine = { readonly accountId: Uuid; readonly orderId: Uuid; readonly lineId: Uuid };

const LINE = statement<PrintedLineRow>(
  'new_artwork_line',
  `select l.sku, l.started_at is not null as started, l.quantity - l.quantity_cancelled - l.quantity_shipped as "left",
     coalesce((
       select json_agg(json_build_object('ordinal', j.ordinal, 'area', j.print_area, 'method', j.method,
         'design_hash', encode(j.design_hash, 'hex'), 'is_replaced', j.replaced_at is not null,
         'file', encode(j.print_file_key, 'hex'), 'state', f.state, 'recipe', f.recipe,
         'product_position', (
           select json_build_object('x', a.x, 'y', a.y, 'scale', a.scale, 'rotation', a.rotation) from product_area a
           where a.account_id = l.account_id and a.product_id = l.product_id and a.print_area = j.print_area
         )) order by j.ordinal)
       from print_job j left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
     ), '[]') as prints
   from order_line l where l.account_id = $1 and l.order_id = $2 and l.id = $3`,
);

/** A line of an account's order with what it prints. */
export async function findPrintedLine(
  db: Db,
  { accountId, orderId, lineId }: OfLine,
): Promise<PrintedLineRow | undefined> {
  return db.one(LINE, [accountId, orderId, lineId]);
}

// The design that the print was sold as stays: its setup was paid for, and is given back with its line.
const REPLACE = statement<never>(
  'new_artwork_replace',
  `update print_job set sold_design_hash = coalesce(sold_design_hash, design_hash), design_hash = decode($5, 'hex'),
     print_file_key = decode($6, 'hex'), replaced_at = $7
   where account_id = $1 and order_id = $2 and line_id = $3 and ordinal = $4`,
);

/** Has a print of a locked order print another design by another file (hex). */
export async function replacePrint(
  tx: Db,
  { accountId, orderId, lineId }: OfLine,
  print: { readonly ordinal: number; readonly designHash: string; readonly file: string; readonly now: Date },
): Promise<void> {
  const { ordinal, designHash, file, now } = print;
  await tx.all(REPLACE, [accountId, orderId, lineId, ordinal, designHash, file, now]);
}

const STATE = statement<{ state: OrderState; erased_at: Date | null }>(
  'new_artwork_order',
  'select state, erased_at from orders where account_id = $1 and id = $2',
);

/** The state of an account's order, before it is locked. */
export async function findOrderState(
  db: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ state: OrderState; erased_at: Date | null } | undefined> {
  return db.one(STATE, [accountId, orderId]);
}
