import type { Template } from '../artwork/picture-pool.ts';
import { effectiveDpi, printFileOf } from '../artwork/recipe.ts';
import type { Intake } from '../artwork/take-in.ts';
import { validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Pence } from '../lib/money.ts';
import { setupKey } from '../pricing/price-lines.ts';
import { type Quote, quote, type Warning } from '../pricing/quote.ts';
import { bookAt } from '../pricing/reference.ts';
import type { BasketJob, BasketLine } from './basket.ts';
import type { OrdersContext } from './context.ts';
import { type PreparedBasket, quoteTerms } from './prepare-basket.ts';
import type { PlaceOrderBody } from './schema.ts';
import { type GatheredRow, readSetupRights } from './sql.ts';

export type PricedJob = {
  readonly printArea: string;
  readonly method: string;
  readonly designHash: string;
  readonly unitPence: Pence;
  readonly printFile: { readonly key: string; readonly recipe: object };
};

export type PricedBasketLine = {
  readonly line: BasketLine;
  readonly jobs: readonly PricedJob[];
  readonly unitPricePence: Pence;
  readonly linePricePence: Pence;
  readonly vatClass: string;
  readonly mockHash: string | null;
};

export type PricedBasket = {
  readonly row: GatheredRow;
  readonly now: Date;
  readonly quote: Quote;
  readonly lines: readonly PricedBasketLine[];
  /** Setups this order relies on that were paid for before. */
  readonly reliedSetups: readonly { readonly designHash: string; readonly method: string }[];
  readonly warnings: readonly Warning[];
};

/** Below this a print shows its pixels at reading distance; the caller is warned and decides. */
const LOW_RESOLUTION_DPI = 150;

type KnownJob = BasketJob & { readonly hash: string; readonly widthPx: number; readonly heightPx: number };

/**
 * Prices a basket whose artwork is known: estimate and placement both end here (spec 4.1: the estimate's total equals what
 * would be charged). Throws 422 when the quote refuses.
 */
export async function priceBasket(
  ctx: OrdersContext,
  accountId: Uuid,
  body: PlaceOrderBody,
  prepared: PreparedBasket,
  intake: Intake,
): Promise<PricedBasket> {
  const { row, prices } = prepared;
  const jobs = prepared.lines.map((line) => line.jobs.map((job) => knownJob(job, intake)));
  const ownedSetups = await setupsOwned(ctx, accountId, row, jobs.flat());
  const terms = quoteTerms(ctx, body, row);
  const lines = prepared.lines.map((line, index) => ({
    sku: line.sku,
    quantity: line.quantity,
    printJobs: (jobs[index] ?? []).map((job) => ({
      designKey: job.hash,
      printArea: job.printArea,
      method: job.method,
      setup: 'by_design' as const,
    })),
  }));
  const result = quote(prices.pricing, { ...terms, lines, ownedSetups });
  if (result.kind === 'refused') throw validationFailed(result.problems);

  const withSetup = bookAt(prices.pricing, terms.now).setups;
  const charged = new Set(result.setups.map((setup) => setupKey(setup.designHash, setup.method)));
  const relied = new Map(
    jobs
      .flat()
      .filter((job) => withSetup.has(job.method) && !charged.has(setupKey(job.hash, job.method)))
      .map((job) => [setupKey(job.hash, job.method), { designHash: job.hash, method: job.method }]),
  );
  const priced = prepared.lines.map((line, index) =>
    pricedLine(accountId, line, jobs[index] ?? [], result, index, intake),
  );
  return {
    row,
    now: terms.now,
    quote: result,
    lines: priced,
    reliedSetups: [...relied.values()],
    warnings: [...prepared.warnings, ...result.warnings, ...resolutionWarnings(prepared.lines, jobs)],
  };
}

function knownJob(job: BasketJob, intake: Intake): KnownJob {
  if (job.artwork.kind === 'stored') {
    return { ...job, hash: job.artwork.hash, widthPx: job.artwork.widthPx, heightPx: job.artwork.heightPx };
  }
  const taken = intake.pictures.get(job.artwork.url);
  if (taken === undefined) throw new Error(`the artwork of ${job.artwork.path} was not taken in`);
  return { ...job, hash: taken.hash, widthPx: taken.report.widthPx, heightPx: taken.report.heightPx };
}

/** Rights of the stored designs came with the basket; those of designs that were fetched are asked for here. */
async function setupsOwned(
  ctx: OrdersContext,
  accountId: Uuid,
  row: GatheredRow,
  jobs: readonly KnownJob[],
): Promise<ReadonlySet<string>> {
  const fetched = new Set(jobs.filter((job) => job.artwork.kind === 'supplied').map((job) => job.hash));
  if (fetched.size === 0) return new Set(row.rights);
  return new Set([...row.rights, ...(await readSetupRights(ctx.database, accountId, [...fetched]))]);
}

function pricedLine(
  accountId: Uuid,
  line: BasketLine,
  jobs: readonly KnownJob[],
  priced: Quote,
  index: number,
  intake: Intake,
): PricedBasketLine {
  const price = priced.lines[index];
  if (price === undefined) throw new Error(`line ${index} has no price`);
  return {
    line,
    jobs: jobs.map((job, at): PricedJob => {
      const unitPence = price.printJobs[at]?.unitPence;
      if (unitPence === undefined) throw new Error(`print job ${at} of line ${index} has no price`);
      const template = templateOf(line, job.printArea);
      return {
        printArea: job.printArea,
        method: job.method,
        designHash: job.hash,
        unitPence,
        printFile: printFileOf(accountId, job.hash, template, job.position),
      };
    }),
    unitPricePence: price.unitPricePence,
    linePricePence: price.linePricePence,
    vatClass: price.vatClass,
    mockHash: mockHashOf(line, intake),
  };
}

function templateOf(line: BasketLine, printArea: string): Template {
  const area = line.baseProduct.areas.get(printArea);
  if (area === undefined) throw new Error(`${printArea} has no template on ${line.baseProduct.entry.master_sku}`);
  return { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi };
}

function mockHashOf(line: BasketLine, intake: Intake): string | null {
  if (line.mock === undefined) return null;
  return line.mock.kind === 'stored' ? line.mock.hash : (intake.pictures.get(line.mock.url)?.hash ?? null);
}

function resolutionWarnings(lines: readonly BasketLine[], jobs: readonly (readonly KnownJob[])[]): Warning[] {
  return lines.flatMap((line, index) =>
    (jobs[index] ?? []).flatMap((job) => {
      const dpi = effectiveDpi(job, templateOf(line, job.printArea), job.position.scale);
      if (dpi >= LOW_RESOLUTION_DPI) return [];
      const path = job.artwork.kind === 'supplied' ? job.artwork.path : `items[${line.index}].product_id`;
      const message = `The artwork for ${job.printArea} prints at ${dpi} dpi; below ${LOW_RESOLUTION_DPI} it looks soft.`;
      return [{ code: 'low_resolution', path, message }];
    }),
  );
}
