import type { Template } from '../../artwork/image-pool.ts';
import type { ImageReport } from '../../artwork/inspect.ts';
import type { Position } from '../../artwork/place.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** What one print job is made from. The position and the report are null for a personalised piece. */
export type JobArtworkRow = {
  /** SHA-256 in hex. */
  design_hash: string | null;
  template: Template;
  position: Position | null;
  report: ImageReport | null;
  preview_hash: string | null;
};

export type LineArtworkRow = { line_id: Uuid; jobs: JobArtworkRow[] };

const BY_ORDERS = statement<LineArtworkRow>(
  'orders_artwork',
  `select j.line_id, json_agg(json_build_object('design_hash', encode(j.design_hash, 'hex'),
     'template', f.recipe -> 'template', 'position', f.recipe -> 'position', 'report', b.report,
     'preview_hash', encode(f.preview_hash, 'hex')) order by j.ordinal) as jobs
   from print_job j
   join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
   left join blob b on b.hash = j.design_hash
   where j.account_id = $1 and j.order_id = any($2::uuid[])
   group by j.line_id`,
);

/** The artwork of the lines of some orders, with their print jobs in order; a blank line has no row. */
export async function listOrderArtwork(db: Db, accountId: Uuid, orderIds: readonly Uuid[]): Promise<LineArtworkRow[]> {
  return db.all(BY_ORDERS, [accountId, orderIds]);
}
