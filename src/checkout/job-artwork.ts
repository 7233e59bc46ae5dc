import type { Drawing } from '../artwork/drawing.ts';
import type { Template } from '../artwork/image-pool.ts';
import type { Intake } from '../artwork/ingest.ts';
import {
  CENTRED,
  effectiveDpi,
  type PrintFileOrder,
  personalisedDesignKey,
  personalisedPrintFileOf,
  printFileOf,
} from '../artwork/recipe.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Warning } from '../lib/schemas.ts';
import type { BasketJob, BasketLine, StoredArtwork, SuppliedArtwork } from './basket.ts';
import type { BasketDrawing } from './personalisation/inputs.ts';

/** A print job whose artwork is known: its key for the price, and how to make its print file. */
export type KnownJob = {
  readonly printArea: string;
  readonly method: string;
  /** The content hash of its design; for a personalised piece, a hash over all its drawings. */
  readonly designKey: string;
  /** Null for a personalised piece, which is no design of the account. */
  readonly designHash: string | null;
  /** Whether the artwork came with the order, so that its setup rights were not read with the basket. */
  readonly isNew: boolean;
  readonly setup: 'by_design' | 'none';
  readonly printFile: PrintFileOrder;
  readonly warnings: readonly Warning[];
};

/** Below this a print shows its pixels at reading distance. The caller is warned and decides. */
const LOW_RESOLUTION_DPI = 150;

/** Makes the jobs of a line from the artwork that was fetched for it. */
export function knownJobs(accountId: Uuid, line: BasketLine, intake: Intake): KnownJob[] {
  const pieces = line.jobs.flatMap(({ printArea, artwork }) =>
    artwork.kind === 'personalised'
      ? [{ printArea, drawings: artwork.drawings.map((drawing) => knownDrawing(drawing, intake)) }]
      : [],
  );
  const pieceKey = pieces.length === 0 ? '' : personalisedDesignKey(pieces);
  return line.jobs.map((job): KnownJob => {
    const template = templateOf(line, job.printArea);
    const piece = pieces.find(({ printArea }) => printArea === job.printArea);
    if (job.artwork.kind !== 'personalised' || piece === undefined) {
      return designJob(accountId, line, job, knownDesign(job.artwork, intake), template);
    }
    return {
      printArea: job.printArea,
      method: job.method,
      designKey: pieceKey,
      designHash: null,
      isNew: false,
      setup: 'none',
      printFile: personalisedPrintFileOf(accountId, template, piece.drawings),
      warnings: job.artwork.drawings.flatMap((drawing) => pictureWarnings(drawing, job.printArea, template, intake)),
    };
  });
}

type KnownDesign = Omit<StoredArtwork, 'kind'> & { readonly path: string | undefined };

function knownDesign(artwork: BasketJob['artwork'], intake: Intake): KnownDesign {
  if (artwork.kind === 'stored') return { ...artwork, path: undefined };
  if (artwork.kind === 'personalised') throw new Error('a personalised job has no one design');
  const { hash, report } = takenIn(artwork, intake);
  return { hash, widthPx: report.widthPx, heightPx: report.heightPx, position: CENTRED, path: artwork.path };
}

function designJob(
  accountId: Uuid,
  line: BasketLine,
  { printArea, method }: BasketJob,
  design: KnownDesign,
  template: Template,
): KnownJob {
  const path = design.path ?? `items[${line.index}].product_id`;
  return {
    printArea,
    method,
    designKey: design.hash,
    designHash: design.hash,
    isNew: design.path !== undefined,
    setup: 'by_design',
    printFile: printFileOf(accountId, design.hash, template, design.position),
    warnings: resolutionWarnings(effectiveDpi(design, template, design.position.scale), printArea, path),
  };
}

function knownDrawing(drawing: BasketDrawing, intake: Intake): Drawing {
  if (drawing.kind === 'text') return drawing.drawing;
  const { source, path } = drawing;
  const designHash = source.kind === 'stored' ? source.hash : takenIn({ url: source.url, path }, intake).hash;
  return { ...drawing.drawing, designHash };
}

/** Checks only pictures that the caller supplied: the options of a product are its author's choice. */
function pictureWarnings(drawing: BasketDrawing, printArea: string, template: Template, intake: Intake): Warning[] {
  if (drawing.kind === 'text' || drawing.source.kind === 'stored') return [];
  const { report } = takenIn({ url: drawing.source.url, path: drawing.path }, intake);
  const across = drawing.drawing.box.width / report.widthPx;
  const down = drawing.drawing.box.height / report.heightPx;
  const enlargement = drawing.drawing.fit === 'cover' ? Math.max(across, down) : Math.min(across, down);
  return resolutionWarnings(Math.round(template.dpi / enlargement), printArea, drawing.path);
}

function resolutionWarnings(dpi: number, printArea: string, path: string): Warning[] {
  if (dpi >= LOW_RESOLUTION_DPI) return [];
  const message = `The artwork for ${printArea} prints at ${dpi} dpi; below ${LOW_RESOLUTION_DPI} it looks soft.`;
  return [{ code: 'low_resolution', path, message }];
}

function takenIn({ url, path }: Omit<SuppliedArtwork, 'kind'>, intake: Intake) {
  const taken = intake.pictures.get(url);
  if (taken === undefined) throw new Error(`the artwork of ${path} was not fetched`);
  return taken;
}

function templateOf(line: BasketLine, printArea: string): Template {
  const area = line.baseProduct.areas.get(printArea);
  if (area === undefined) throw new Error(`${printArea} has no template on ${line.baseProduct.entry.master_sku}`);
  return { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi };
}
