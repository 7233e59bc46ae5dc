import { artworkView, printView } from '../../artwork/preflight/artwork-view.ts';
import { printReport } from '../../artwork/preflight/preflight.ts';
import { signedUrl } from '../../artwork/signed-url.ts';
import type { Context } from '../../lib/context.ts';
import type { LineRow } from '../read-sql.ts';
import type { LineArtwork } from './artwork-schema.ts';
import type { JobArtworkRow } from './artwork-sql.ts';

/** The artwork of a line as an order shows it, from that of its order. */
export function lineArtworkView(
  ctx: Pick<Context, 'clock' | 'config' | 'secrets'>,
  line: LineRow,
  artwork: Readonly<Record<string, JobArtworkRow>>,
): LineArtwork {
  const areas = line.print_jobs.flatMap(({ area, method, ...file }, index): LineArtwork['areas'] => {
    const job = artwork[line.files?.[index] ?? ''];
    if (job === undefined) return [];
    const proof = file.ready ? job.preview_hash : null;
    return [
      {
        print_area: area,
        method,
        state: stateOf([file]),
        ...sourceView(job),
        proof_url: proof === null ? null : signedUrl(ctx.secrets, ctx.config.baseUrl, proof, ctx.clock.now()),
      },
    ];
  });
  return { state: stateOf(line.print_jobs), areas };
}

/** A part that has ended ends the whole: it cannot be made again without it. */
function stateOf(files: readonly { ready: boolean; expired: boolean }[]): LineArtwork['state'] {
  if (files.some(({ expired }) => expired)) return 'expired';
  return files.every(({ ready }) => ready) ? 'ready' : 'pending';
}

type SourceView = Pick<LineArtwork['areas'][number], 'source' | 'print'>;

/** What was said of the artwork of an order that was read: the same for all lines that print it. */
const sourceViews = new WeakMap<JobArtworkRow, SourceView>();

function sourceView(job: JobArtworkRow): SourceView {
  const known = sourceViews.get(job);
  if (known !== undefined) return known;
  const made = sourceViewOf(job);
  sourceViews.set(job, made);
  return made;
}

function sourceViewOf(job: JobArtworkRow): SourceView {
  const { design_hash: hash, report, position, template } = job;
  if (hash === null || report === null || position === null || template === null) return { source: null, print: null };
  return { source: artworkView({ ...report, hash }), print: printView(printReport(report, template, position)) };
}
