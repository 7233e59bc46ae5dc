import type { Template } from '../../artwork/image-pool.ts';
import type { ImageReport } from '../../artwork/inspect.ts';
import type { Position } from '../../artwork/place.ts';

/** What one print job is made from. The position and the report are null for a personalised piece. */
export type JobArtworkRow = {
  /** SHA-256 in hex. */
  design_hash: string | null;
  /** Null when the print file has gone. */
  template: Template | null;
  position: Position | null;
  report: ImageReport | null;
  /** The print file; null until it is made. */
  output_hash: string | null;
  /** Why the print file could not be made. */
  failure: string | null;
};

/**
 * SQL of the artwork of an order `o`: a `JobArtworkRow` for each print file, by its key.
 * A large order often prints one file on each of its lines: it is read and sent once. The look-ups are laterals with a
 * limit, so that the planner makes one for each file, and never joins all files there are.
 */
export const ORDER_ARTWORK = `coalesce((
    select json_object_agg(encode(p.print_file_key, 'hex'), json_build_object('design_hash', encode(p.design_hash, 'hex'),
      'template', f.recipe -> 'template', 'position', f.recipe -> 'position', 'report', b.report,
      'output_hash', encode(f.output_hash, 'hex'), 'failure', f.failure))
    from (
      select distinct j.print_file_key, j.design_hash from print_job j where j.account_id = o.account_id and j.order_id = o.id
    ) as p
    left join lateral (
      select recipe, output_hash,
        case when state = 'failed' and dropped_at is null then coalesce(failure, '') end as failure
      from print_file where key = p.print_file_key and account_id = o.account_id limit 1
    ) as f on true
    left join lateral (select report from blob where hash = p.design_hash limit 1) as b on true
  ), '{}') as artwork`;
