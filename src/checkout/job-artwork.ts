import type { Drawing } from '../artwork/drawing.ts';
import type { Template } from '../artwork/image-pool.ts';
import type { Intake } from '../artwork/ingest.ts';
import {
  type ArtworkFacts,
  colourRemarks,
  type PrintSpot,
  printRemarks,
  type Remark,
  resolutionRemarks,
} from '../artwork/preflight/preflight.ts';
import { type PrintFileOrder, personalisedDesignKey, personalisedPrintFileOf, printFileOf } from '../artwork/recipe.ts';
import { type CatalogueReference, minDpiOf } from '../catalogue/reference.ts';
import type { Uuid } from '../lib/ids.ts';
import type { ArtworkRemark } from './artwork-warnings.ts';
import type { BasketJob, BasketLine, StoredArtwork, SuppliedArtwork } from './basket.ts';
import type { BasketDrawing, BasketPicture } from './personalisation/inputs.ts';

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
  /** What is known of its design; null for a personalised piece. */
  readonly facts: ArtworkFacts | null;
  readonly printFile: PrintFileOrder;
  readonly remarks: readonly ArtworkRemark[];
};

/**
 * Makes the jobs of the lines of a basket from the artwork that was fetched for it.
 * What lines have in common is worked out once: a large order often prints one product many times.
 */
export function jobFinder(
  accountId: Uuid,
  catalogue: CatalogueReference,
  intake: Intake,
): (line: BasketLine) => KnownJob[] {
  const known = new Map<string, DesignPrint>();
  const printOf = (line: BasketLine, job: BasketJob, design: KnownDesign): DesignPrint => {
    const source = design.path === undefined ? line.productId : `${line.baseProduct.entry.master_sku} ${design.hash}`;
    const { x, y, scale, rotation } = design.position;
    const key = `${source} ${job.printArea} ${job.method} ${line.sku} ${[x, y, scale, rotation].join()}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const spot = spotOf(line, job, catalogue);
    const made = {
      printFile: printFileOf(accountId, design.hash, spot.template, design.position),
      remarks: printRemarks(design.facts, spot, design.position),
    };
    known.set(key, made);
    return made;
  };
  return (line) => knownJobs(accountId, line, { catalogue, intake, printOf });
}

/** How a design is printed, whatever the line. */
type DesignPrint = { readonly printFile: PrintFileOrder; readonly remarks: readonly Remark[] };

type Known = {
  readonly catalogue: CatalogueReference;
  readonly intake: Intake;
  readonly printOf: (line: BasketLine, job: BasketJob, design: KnownDesign) => DesignPrint;
};

function knownJobs(accountId: Uuid, line: BasketLine, { catalogue, intake, printOf }: Known): KnownJob[] {
  const pieces = line.jobs.flatMap(({ printArea, artwork }) =>
    artwork.kind === 'personalised'
      ? [{ printArea, drawings: artwork.drawings.map((drawing) => knownDrawing(drawing, intake)) }]
      : [],
  );
  const pieceKey = pieces.length === 0 ? '' : personalisedDesignKey(pieces);
  return line.jobs.map((job): KnownJob => {
    const piece = pieces.find(({ printArea }) => printArea === job.printArea);
    if (job.artwork.kind !== 'personalised' || piece === undefined) {
      const design = knownDesign(job.artwork, intake);
      return designJob(line, job, design, printOf(line, job, design));
    }
    const spot = spotOf(line, job, catalogue);
    return {
      printArea: job.printArea,
      method: job.method,
      designKey: pieceKey,
      designHash: null,
      isNew: false,
      setup: 'none',
      facts: null,
      printFile: personalisedPrintFileOf(accountId, spot.template, piece.drawings),
      remarks: job.artwork.drawings.flatMap((drawing) => pictureRemarks(drawing, line, spot, intake)),
    };
  });
}

type KnownDesign = Omit<StoredArtwork, 'kind'> & {
  /** The member that names it; undefined for a stored design, which its product names. */
  readonly path: string | undefined;
};

function knownDesign(artwork: BasketJob['artwork'], intake: Intake): KnownDesign {
  if (artwork.kind === 'stored') return { ...artwork, path: undefined };
  if (artwork.kind === 'personalised') throw new Error('a personalised job has no one design');
  const { hash, report } = takenIn(artwork, intake);
  return { hash, facts: report, position: artwork.position, path: artwork.path };
}

function designJob(
  line: BasketLine,
  { printArea, method }: BasketJob,
  design: KnownDesign,
  { printFile, remarks }: DesignPrint,
): KnownJob {
  const path = design.path ?? `items[${line.index}].product_id`;
  // The same product, or the same address, on many lines is one cause.
  const cause = design.path === undefined ? line.productId : design.hash;
  return {
    printArea,
    method,
    designKey: design.hash,
    designHash: design.hash,
    isNew: design.path !== undefined,
    setup: 'by_design',
    facts: design.facts,
    printFile,
    remarks: remarks.map((remark) => ({ ...remark, path, cause, line: line.index })),
  };
}

function knownDrawing(drawing: BasketDrawing, intake: Intake): Drawing {
  if (drawing.kind === 'text') return drawing.drawing;
  const { source, path } = drawing;
  const designHash = source.kind === 'stored' ? source.hash : takenIn({ url: source.url, path }, intake).hash;
  return { ...drawing.drawing, designHash };
}

/**
 * Checks only pictures that the caller supplied: the options of a product are its author's choice.
 * Their boxes are the author's, too, so nothing is said about what a box cuts off or about a background.
 */
function pictureRemarks(
  drawing: BasketDrawing,
  line: BasketLine,
  spot: PrintSpot,
  intake: Intake,
): readonly ArtworkRemark[] {
  if (drawing.kind === 'text' || drawing.source.kind === 'stored') return [];
  const { path } = drawing;
  const { hash, report } = takenIn({ url: drawing.source.url, path }, intake);
  const remarks = [
    ...resolutionRemarks(drawnDpi(drawing.drawing, report, spot.template), spot),
    ...colourRemarks(report, spot.printArea),
  ];
  return remarks.map((remark) => ({ ...remark, path, cause: hash, line: line.index }));
}

function drawnDpi({ box, fit }: BasketPicture['drawing'], picture: ArtworkFacts, template: Template): number {
  const across = box.width / picture.widthPx;
  const down = box.height / picture.heightPx;
  return Math.round(template.dpi / (fit === 'cover' ? Math.max(across, down) : Math.min(across, down)));
}

function takenIn({ url, path }: Pick<SuppliedArtwork, 'url' | 'path'>, intake: Intake) {
  const taken = intake.pictures.get(url);
  if (taken === undefined) throw new Error(`the artwork of ${path} was not fetched`);
  return taken;
}

function spotOf(line: BasketLine, { printArea, method }: BasketJob, catalogue: CatalogueReference): PrintSpot {
  const area = line.baseProduct.areas.get(printArea);
  if (area === undefined) throw new Error(`${printArea} has no template on ${line.baseProduct.entry.master_sku}`);
  return {
    printArea,
    template: { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi },
    minDpi: minDpiOf(catalogue, method),
    ground: catalogue.bySku.get(line.sku)?.variant.entry.colour_hex,
  };
}
