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
  preview_hash: string | null;
};

/** SQL of a `JobArtworkRow` of a print job `j` and its print file `f`, and what to join beside them. */
export const JOB_ARTWORK = {
  of: `json_build_object('design_hash', encode(j.design_hash, 'hex'), 'template', f.recipe -> 'template',
    'position', f.recipe -> 'position', 'report', b.report, 'preview_hash', encode(f.preview_hash, 'hex'))`,
  from: 'left join blob b on b.hash = j.design_hash',
};
