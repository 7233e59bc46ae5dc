import type { Intake } from '../artwork/ingest.ts';
import type { ArtworkFacts } from '../artwork/preflight/preflight.ts';
import type { PrintFileOrder } from '../artwork/recipe.ts';
import { validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Pence } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import { asPiece, mapInPieces } from '../lib/turns/pieces.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { type Quote, quote } from '../pricing/quote.ts';
import { artworkWarnings } from './artwork-warnings.ts';
import type { BasketLine } from './basket.ts';
import { jobFinder, type KnownJob } from './job-artwork.ts';
import { type GatheredRow, readSetupRights } from './place-sql.ts';
import type { PreparedBasket } from './prepare-basket.ts';
import { quoteTerms } from './trial-quote.ts';

export type PricedJob = {
  readonly printArea: string;
  readonly method: string;
  /** Null for a personalised piece. */
  readonly designHash: string | null;
  /** What is known of its design; null for a personalised piece. */
  readonly facts: ArtworkFacts | null;
  readonly unitPence: Pence;
  readonly printFile: PrintFileOrder;
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
  readonly warnings: readonly Warning[];
};

/**
 * Prices a basket whose artwork is known. Throws 422 when the quote refuses.
 * Estimate and placement both end here (spec 4.1: the estimate's total equals what would be charged).
 */
export async function priceBasket(
  ctx: PaymentsContext,
  accountId: Uuid,
  body: PlaceOrderBody,
  prepared: PreparedBasket,
  intake: Intake,
): Promise<PricedBasket> {
  const { row, prices } = prepared;
  const { asker } = ctx;
  const jobsOf = jobFinder(accountId, prices.catalogue, intake);
  const jobs = await mapInPieces(asker, prepared.lines, jobsOf);
  const ownedSetups = await setupsOwned(ctx, accountId, row, jobs.flat());
  const terms = quoteTerms(ctx, body, row);
  const lines = prepared.lines.map((line, index) => ({
    sku: line.sku,
    quantity: line.quantity,
    declaredUnitPence: line.declaredUnitPence,
    printJobs: jobs[index] ?? [],
  }));
  const result = await asPiece(asker, lines.length, () => quote(prices.pricing, { ...terms, lines, ownedSetups }));
  if (result.kind === 'refused') throw validationFailed(result.problems);
  const priced = await mapInPieces(asker, prepared.lines, (line, index) =>
    pricedLine(line, jobs[index] ?? [], result, index, intake),
  );
  return {
    row,
    now: terms.now,
    quote: result,
    lines: priced,
    warnings: [
      ...prepared.warnings,
      ...result.warnings,
      ...artworkWarnings(jobs.flat().flatMap(({ remarks }) => remarks)),
    ],
  };
}

/**
 * Collects the setup rights of all designs in a basket.
 * Those of stored designs were read with the basket; those of fetched designs are read here.
 */
async function setupsOwned(
  ctx: PaymentsContext,
  accountId: Uuid,
  row: GatheredRow,
  jobs: readonly KnownJob[],
): Promise<ReadonlySet<string>> {
  const fetched = new Set(jobs.filter(({ isNew }) => isNew).map(({ designKey }) => designKey));
  if (fetched.size === 0) return new Set(row.rights);
  return new Set([...row.rights, ...(await readSetupRights(ctx.database, accountId, [...fetched]))]);
}

function pricedLine(
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
      const { printArea, method, designHash, facts, printFile } = job;
      return { printArea, method, designHash, facts, unitPence, printFile };
    }),
    unitPricePence: price.unitPricePence,
    linePricePence: price.linePricePence,
    vatClass: price.vatClass,
    mockHash: mockHashOf(line, intake),
  };
}

function mockHashOf(line: BasketLine, intake: Intake): string | null {
  if (line.mock === undefined) return null;
  return line.mock.kind === 'stored' ? line.mock.hash : (intake.pictures.get(line.mock.url)?.hash ?? null);
}
