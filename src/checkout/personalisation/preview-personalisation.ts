import type { ProofContext } from '../../artwork/context.ts';
import { type Intake, ingestArtwork } from '../../artwork/ingest.ts';
import { drawProof } from '../../artwork/proof/draw-proof.ts';
import { proofUrl } from '../../artwork/proof/proof-url.ts';
import { type PersonalisedRecipe, type PrintFileOrder, personalisedPrintFileOf } from '../../artwork/recipe.ts';
import type { CatalogueCache, CatalogueReference } from '../../catalogue/reference.ts';
import { type Caller, requireScope } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { type Problem, quoted, validationFailed } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import type { Warning } from '../../lib/schemas.ts';
import { unknownFieldWarnings } from '../../lib/validation/unknown-field-warnings.ts';
import type { UnknownField } from '../../lib/validation/validate.ts';
import { readOwnProduct } from '../../products/read-products.ts';
import type { ProductRow, ProductSnapshot } from '../../products/sql.ts';
import { artworkWarnings } from '../artwork-warnings.ts';
import { type Basket, type BasketLine, resolveBasket, UNKNOWN_VARIANT } from '../basket.ts';
import { listBasketArtwork } from '../basket-artwork.ts';
import { jobFinder } from '../job-artwork.ts';
import { textProblems } from '../prepare-basket.ts';
import type { PersonalisationPreview, PreviewPersonalisationBody } from './preview-schema.ts';

export type PreviewContext = ProofContext & { readonly catalogue: CatalogueCache };

/** A request for a proof, as the HTTP layer hands it over. */
export type PreviewRequest = {
  readonly body: PreviewPersonalisationBody;
  readonly unknownFields: readonly UnknownField[];
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
};

/** For the pictures of the inputs; an order waits a minute for its own, but nothing is ordered here. */
const FETCHES_MS_MAX = 20_000;

const FETCHES = 'These inputs name addresses to fetch, which needs a token with the scope orders:write.';

/**
 * Draws what would be printed for some inputs (decisions, addition 6), and keeps it for an hour.
 * It is read as the line of an order by the code that places orders: the same refusals, warnings and recipe. Nothing
 * is written, and the pictures of the inputs are discarded. Inputs with addresses need the scope that has us fetch for
 * an order, or a token that may only read could have us call any host: 403. Throws the 404 of an unknown product, 422
 * for its inputs, 409 when a stored picture of the product is lost, and 503 when it has no turn in time.
 */
export async function previewPersonalisation(
  ctx: PreviewContext,
  caller: Caller,
  publicProductId: string,
  request: PreviewRequest,
): Promise<PersonalisationPreview> {
  return previewProduct(ctx, caller, await readOwnProduct(ctx, caller, publicProductId), request);
}

/** Draws what would be printed of a product that was read, likewise. */
export async function previewProduct(
  ctx: PreviewContext,
  caller: Caller,
  row: ProductRow,
  { body, unknownFields, signal }: PreviewRequest,
): Promise<PersonalisationPreview> {
  const catalogue = await ctx.catalogue.latest();
  const offered = row.variants.filter(({ active, sku }) => active && catalogue.bySku.get(sku)?.variant.active === true);
  const sku = body.variant_sku ?? offered[0]?.sku ?? row.variants[0]?.sku ?? '';
  const item = {
    product_id: publicId('prod', row.id),
    variant_sku: sku,
    quantity: 1,
    decoration: { personalisation: { inputs: body.inputs } },
  };
  const product: ProductSnapshot = { ...row, areas: [], is_template_left_out: false };
  const basket = await resolveBasket(ctx.asker, [item], new Map([[item.product_id, product]]), catalogue);
  const line = await checked(
    ctx,
    basket,
    offered.map((variant) => variant.sku),
  );
  const printArea = shownArea(line, product, body.print_area);
  const addresses = listBasketArtwork([item], [line]);
  if (addresses.length > 0) requireScope(caller, 'orders:write', FETCHES);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(FETCHES_MS_MAX)]);
  const intake = await ingestArtwork(ctx, caller.accountId, addresses, deadline);
  try {
    if (intake.problems.length > 0) throw validationFailed(intake.problems.map(asOfInputs));
    const jobs = jobFinder(caller.accountId, catalogue, intake)(line);
    const file = jobs.find((job) => job.printArea === printArea)?.printFile ?? emptyFile(caller, line, printArea);
    const ground = groundOf(catalogue, sku);
    const name = await drawProof(ctx, { file: personalised(file), pathOf: pathsOf(ctx, intake), ground });
    const { url, expiresAt } = proofUrl(ctx.secrets, ctx.config.baseUrl, name, ctx.clock.now());
    const warnings = [...basket.warnings, ...artworkWarnings(jobs.flatMap(({ remarks }) => remarks))].map(asOfInputs);
    return {
      print_area: printArea,
      print_areas: jobs.map((job) => job.printArea),
      proof_url: url,
      expires_at: isoTime(expiresAt),
      warnings: [...warnings, ...unknownFieldWarnings(unknownFields)],
    };
  } finally {
    await intake.discard();
  }
}

/** The line of a basket. Throws 422 with all of its problems, texts that cannot be drawn included. */
async function checked(ctx: PreviewContext, basket: Basket, offered: readonly string[]): Promise<BasketLine> {
  const [line] = basket.lines;
  if (line === undefined) throw new Error('a basket of one item has no line');
  const problems = [...basket.problems, ...(await textProblems(ctx, [line]))];
  if (problems.length === 0) return line;
  throw validationFailed(
    problems.map((problem) => ({
      ...asOfInputs(problem),
      ...(problem.code === UNKNOWN_VARIANT ? { valid_values: offered } : {}),
    })),
  );
}

/** The area that is asked for, or the first that the inputs fill, or the first of the template. */
function shownArea(line: BasketLine, product: ProductSnapshot, asked: string | undefined): string {
  const areas = (product.personalisation?.areas ?? []).map((area) => area.print_area);
  const shown = asked ?? line.jobs[0]?.printArea ?? areas[0];
  if (shown !== undefined && areas.includes(shown)) return shown;
  const message = `${quoted(shown ?? '')} is not a print area of this product's template.`;
  throw validationFailed([{ path: 'print_area', code: 'unknown_print_area', message, valid_values: areas }]);
}

/** An area that the inputs leave empty, which no order would print. */
function emptyFile({ accountId }: Caller, { baseProduct }: BasketLine, printArea: string): PrintFileOrder {
  const area = baseProduct.areas.get(printArea);
  if (area === undefined) throw new Error(`${printArea} has no template on ${baseProduct.entry.master_sku}`);
  const template = { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi };
  return personalisedPrintFileOf(accountId, template, []);
}

function personalised({ key, recipe }: PrintFileOrder): { key: string; recipe: PersonalisedRecipe } {
  if (recipe.kind !== 'personalised') throw new Error('a line of inputs has a print file of a design');
  return { key, recipe };
}

function groundOf(catalogue: CatalogueReference, sku: string): string {
  const variant = catalogue.bySku.get(sku)?.variant;
  if (variant === undefined) throw new Error(`${sku} was not resolved`);
  return variant.entry.colour_hex;
}

/** Where pictures can be read: those of the inputs in staging, those of options in the store. */
function pathsOf(ctx: PreviewContext, intake: Intake): (designHash: string) => Promise<string> {
  const staged = new Map([...intake.pictures.values()].map(({ hash, staged: { path } }) => [hash, path]));
  return async (designHash) => staged.get(designHash) ?? ctx.blobs.path(designHash);
}

const PREFIXES = [
  ['items[0].decoration.personalisation.inputs', 'inputs'],
  ['items[0].decoration.personalisation', 'inputs'],
  ['items[0].decoration', 'inputs'],
  ['items[0].product_id', 'id'],
  ['items[0].variant_sku', 'variant_sku'],
] as const;

/** A problem or warning of the line, with its path in this request. */
function asOfInputs<Said extends Problem | Warning>(said: Said): Said {
  const prefix = PREFIXES.find(([long]) => said.path.startsWith(long));
  return prefix === undefined ? said : { ...said, path: `${prefix[1]}${said.path.slice(prefix[0].length)}` };
}
