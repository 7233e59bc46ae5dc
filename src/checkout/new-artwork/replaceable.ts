import { type Position, placeArtwork } from '../../artwork/place.ts';
import { type ArtworkFacts, type PrintSpot, printRemarks } from '../../artwork/preflight/preflight.ts';
import { CENTRED } from '../../artwork/recipe.ts';
import { type CatalogueReference, minDpiOf } from '../../catalogue/reference.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import type { Warning } from '../../lib/schemas.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { isCancellable } from '../../orders/status.ts';
import type { PrintedLineRow, PrintRow } from './sql.ts';

/** A print area of a line whose artwork may be replaced. */
export type Replaceable = {
  readonly print: PrintRow & { readonly design_hash: string };
  /** `replaced`: it was replaced and has not failed since. Only a repeat with the same picture is taken. */
  readonly kind: 'failed' | 'replaced';
};

/**
 * Finds the print area of a line whose artwork is to be replaced.
 * Throws 422 for an area that the line does not print, and 409 `conflict` for an order or a line that is too late, for
 * a personalised piece, and for artwork that did not fail.
 */
export function replaceableOf(
  order: Pick<LockedOrder, 'state' | 'erased_at'>,
  line: PrintedLineRow,
  printArea: string,
): Replaceable {
  const print = printOf(line, printArea);
  refuseOrder(order);
  const { design_hash: designHash, state } = print;
  if (designHash === null) throw new ApiError('conflict', PERSONALISED);
  const replaceable = { ...print, design_hash: designHash };
  const hasFailed = state === 'failed' || state === null;
  if (!hasFailed && print.is_replaced) return { print: replaceable, kind: 'replaced' };
  refuseLine(line);
  if (hasFailed) return { print: replaceable, kind: 'failed' };
  throw new ApiError('conflict', notFailed(printArea, state));
}

const PERSONALISED =
  'This line is personalised: its print is drawn from the inputs of the order, so no file replaces it. Cancel the order, or ask the shop to, and order it again: the form of the portal then has these inputs, to be changed.';

/** What a refusal says of artwork that did not fail. */
export function notFailed(printArea: string, state: PrintRow['state']): string {
  const now = state === 'ready' ? 'its print file is made' : 'its print file is still being made';
  return `The artwork for ${printArea} has not failed: ${now}. Only artwork that failed or has expired is replaced.`;
}

function printOf({ prints }: PrintedLineRow, printArea: string): PrintRow {
  const print = prints.find(({ area }) => area === printArea);
  if (print !== undefined) return print;
  const message =
    prints.length === 0 ? 'This line is blank: nothing is printed on it.' : `This line does not print ${printArea}.`;
  const valid = prints.map(({ area }) => area);
  throw validationFailed([{ path: 'print_area', code: 'unknown_print_area', message, valid_values: valid }]);
}

function refuseOrder({ state, erased_at: erasedAt }: Pick<LockedOrder, 'state' | 'erased_at'>): void {
  if (!isCancellable(state)) {
    throw new ApiError('conflict', `This order is ${state}, so its artwork can no longer be replaced.`);
  }
  if (erasedAt === null) return;
  throw new ApiError('conflict', 'The personal data of this order is erased, so it is not made any more.');
}

function refuseLine({ started, left }: PrintedLineRow): void {
  if (started) throw new ApiError('conflict', 'This line has started, so its artwork can no longer be replaced.');
  if (left > 0) return;
  throw new ApiError('conflict', 'Nothing of this line is left to make: its pieces are cancelled or shipped.');
}

/** A print area as artwork is printed on it, and where. */
export type Spot = { readonly spot: PrintSpot; readonly position: Position };

/**
 * Where the artwork of a line lies: the template and position that the line was ordered with.
 * Of a print file that has expired they are gone. Then they are those of the catalogue and of the product now, or the
 * middle. Throws 409 where the catalogue has the area no more.
 */
export function spotOf(catalogue: CatalogueReference, { sku }: PrintedLineRow, print: PrintRow): Spot {
  const { area: printArea, method, recipe, product_position: ofProduct } = print;
  const blank = catalogue.bySku.get(sku);
  const area = blank?.baseProduct.areas.get(printArea);
  const template = recipe?.template ?? (area && { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi });
  if (template === undefined) {
    throw new ApiError('conflict', `The catalogue has no ${printArea} of ${sku} any more. Cancel the order instead.`);
  }
  const own = recipe !== null && recipe.kind === undefined ? recipe.position : ofProduct;
  const ground = blank?.variant.entry.colour_hex;
  return { spot: { printArea, template, minDpi: minDpiOf(catalogue, method), ground }, position: own ?? CENTRED };
}

/**
 * What is to be said about artwork on a line, as warnings at `url`.
 * Throws 422 for artwork of which nothing would lie on the area.
 */
export function warningsOf(facts: ArtworkFacts, { spot, position }: Spot): Warning[] {
  if (placeArtwork(facts, spot.template, position).kind === 'nothing') {
    const message = `Nothing of this artwork would lie on ${spot.printArea} at the position that the line has.`;
    throw validationFailed([{ path: 'url', code: 'outside_print_area', message }]);
  }
  return printRemarks(facts, spot, position).map(({ code, message }) => ({ code, path: 'url', message }));
}
