import type { Position } from '../../artwork/place.ts';
import { artworkView, printView } from '../../artwork/preflight/artwork-view.ts';
import { type ArtworkFacts, printReport } from '../../artwork/preflight/preflight.ts';
import { mockupUrl, pictureUrl } from '../../artwork/proof/proof-url.ts';
import { CENTRED, type PrintFileOrder } from '../../artwork/recipe.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { LineRow, OrderRow } from '../read-sql.ts';
import { isCancellable } from '../status.ts';
import type { LineArtwork, PlannedArtwork } from './artwork-schema.ts';
import type { JobArtworkRow } from './artwork-sql.ts';

/** The artwork of a line as an order shows it, from that of its order. */
export function lineArtworkView(
  ctx: ViewContext,
  order: Pick<OrderRow, 'state' | 'erased_at'>,
  line: LineRow,
  artwork: Readonly<Record<string, JobArtworkRow>>,
): LineArtwork {
  const isOpen = isReplaceable(order, line);
  const areas = line.print_jobs.flatMap((file, index): LineArtwork['areas'] => {
    const job = artwork[line.files?.[index] ?? ''];
    if (job === undefined) return [];
    const said = saidOf(job);
    const { ready, expired, replaced_at: replacedAt } = file;
    // Member by member: a rest or a spread copies them by their names (docs/decisions/0080).
    return [
      {
        print_area: file.area,
        method: file.method,
        state: stateOf([file]),
        source: said.source,
        print: said.print,
        proof_url: ready ? proofUrl(ctx, line.sku, job, said) : null,
        failure: job.failure,
        replaced_at: replacedAt === null ? null : isoTime(new Date(replacedAt)),
        // What is drawn from the inputs of a piece is not replaced by a file.
        actions: { replace: { available: isOpen && job.design_hash !== null && (expired || job.failure !== null) } },
      },
    ];
  });
  return { state: stateOf(line.print_jobs), areas };
}

/** Whether the artwork of a line can still be replaced, if it failed: nothing of the line is made yet. */
export function isReplaceable(
  { state, erased_at: erasedAt }: Pick<OrderRow, 'state' | 'erased_at'>,
  { started, quantity, quantity_cancelled: cancelled, quantity_shipped: shipped }: LineRow,
): boolean {
  return isCancellable(state) && erasedAt === null && !started && quantity > cancelled + shipped;
}

const PROOF_PX = 640;
/** Twice what a list shows. */
const THUMBNAIL_PX = 192;

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

/** The print file itself, smaller and on the colour of the line's variant. */
function proofUrl(ctx: ViewContext, sku: string, job: JobArtworkRow, { proofUrls }: Said): string | null {
  if (job.output_hash === null) return null;
  const known = proofUrls.get(sku);
  if (known !== undefined) return known;
  const picture = { hash: job.output_hash, widthPx: PROOF_PX, onSku: sku } as const;
  const url = pictureUrl(ctx.secrets, ctx.config.baseUrl, picture, ctx.clock.now());
  proofUrls.set(sku, url);
  return url;
}

/** A small picture of a line: its mock, or else its first print on the garment; null for a blank one. */
export function thumbnailUrl(
  ctx: ViewContext,
  line: LineRow,
  artwork: Readonly<Record<string, JobArtworkRow>> | undefined,
): string | null {
  const { secrets, config, clock } = ctx;
  if (line.mock_hash !== null) {
    return pictureUrl(secrets, config.baseUrl, { hash: line.mock_hash, widthPx: THUMBNAIL_PX }, clock.now());
  }
  const [first] = line.print_jobs;
  const job = artwork?.[line.files?.[0] ?? ''];
  if (first === undefined || job === undefined || first.expired) return null;
  const source = mockupSource(job, first.ready);
  if (source === undefined) return null;
  const mockup = { ...source, printArea: first.area, onSku: line.sku, widthPx: THUMBNAIL_PX } as const;
  return mockupUrl(secrets, config.baseUrl, mockup, clock.now());
}

/** A design at its place, also before its print file is made; a personalised piece is its print file. */
function mockupSource(job: JobArtworkRow, isReady: boolean): { hash: string; position: Position } | undefined {
  const { design_hash: design, position, output_hash: output } = job;
  if (design !== null && position !== null) return { hash: design, position };
  return isReady && output !== null ? { hash: output, position: CENTRED } : undefined;
}

/** A part that has ended ends the whole: it cannot be made again without it. */
function stateOf(files: readonly { ready: boolean; expired: boolean }[]): LineArtwork['state'] {
  if (files.some(({ expired }) => expired)) return 'expired';
  return files.every(({ ready }) => ready) ? 'ready' : 'pending';
}

type SourceView = Pick<LineArtwork['areas'][number], 'source' | 'print'>;

/** With its proofs by the variant that they show. */
type Said = SourceView & { readonly proofUrls: Map<string, string> };

/** What was said of the artwork of an order that was read: the same for all lines that print it. */
const saidOfJobs = new WeakMap<JobArtworkRow, Said>();

function saidOf(job: JobArtworkRow): Said {
  const known = saidOfJobs.get(job);
  if (known !== undefined) return known;
  const made = { ...sourceViewOf(job), proofUrls: new Map<string, string>() };
  saidOfJobs.set(job, made);
  return made;
}

function sourceViewOf(job: JobArtworkRow): SourceView {
  const { design_hash: hash, report, position, template } = job;
  if (hash === null || report === null || position === null || template === null) return NO_SOURCE;
  return { source: artworkView({ ...report, hash }), print: printView(printReport(report, template, position)) };
}

const NO_SOURCE: SourceView = { source: null, print: null };

/** A print of a line that is only estimated; without facts for a personalised piece. */
export type PlannedPrint = {
  readonly printArea: string;
  readonly method: string;
  readonly facts: ArtworkFacts | null;
  readonly printFile: Pick<PrintFileOrder, 'recipe'>;
};

/** What was said of the prints of an estimate: lines of one product share theirs. */
const plannedViews = new WeakMap<PlannedPrint['printFile'], SourceView>();

/** What is said of the artwork of an estimated line, by the view of an ordered one. */
export function plannedArtworkView({ printArea, method, facts, printFile }: PlannedPrint): PlannedArtwork {
  const known = plannedViews.get(printFile) ?? plannedViewOf(facts, printFile.recipe);
  plannedViews.set(printFile, known);
  return { print_area: printArea, method, ...known };
}

function plannedViewOf(facts: ArtworkFacts | null, recipe: PrintFileOrder['recipe']): SourceView {
  if (facts === null || recipe.kind === 'personalised') return NO_SOURCE;
  const { designHash: hash, template, position } = recipe;
  return {
    source: isWhole(facts) ? artworkView({ ...facts, hash }) : null,
    print: printView(printReport(facts, template, position)),
  };
}

type WholeFacts = ArtworkFacts & Required<Pick<ArtworkFacts, 'hasAlpha' | 'colourSpace' | 'iccProfile'>>;

/** A report of long ago lacks some. */
function isWhole(facts: ArtworkFacts): facts is WholeFacts {
  return facts.hasAlpha !== undefined && facts.colourSpace !== undefined && facts.iccProfile !== undefined;
}
