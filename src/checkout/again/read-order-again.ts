import { keptDesignsOf } from '../../artwork/own-artwork.ts';
import type { Position } from '../../artwork/place.ts';
import { pictureUrl } from '../../artwork/proof/proof-url.ts';
import { CENTRED } from '../../artwork/recipe.ts';
import { signedUrl } from '../../artwork/signed-url.ts';
import type { CatalogueReference } from '../../catalogue/reference.ts';
import type { Caller } from '../../lib/caller.ts';
import { notFound } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { mapInPieces } from '../../lib/turns/pieces.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { ownOrderId } from '../../orders/reading/own-order.ts';
import { readProductsOf } from '../../products/read-products.ts';
import type { ProductRow } from '../../products/sql.ts';
import type { AgainNote, LineAgain, OrderAgain } from './again-schema.ts';
import { findPlacedOrder, type LineAgainRow, listLinesAgain } from './again-sql.ts';
import { inputsAgain } from './inputs-again.ts';

/** Products that are looked up; an order with more is long to look at in a form. */
const PRODUCTS_MAX = 30;
const PICTURE_PX = 192;

/**
 * Reads an order as it was placed, so that it can be placed again.
 * Artwork and pictures are those that the account still has; what was filled in is found in what was drawn. Of an
 * erased order neither is given, though a file may be kept for another one. Throws 404 for another account's order.
 */
export async function readOrderAgain(ctx: OrdersContext, caller: Caller, idOrReference: string): Promise<OrderAgain> {
  const { accountId } = caller;
  const orderId = await ownOrderId(ctx, caller, idOrReference);
  const order = orderId === undefined ? undefined : await findPlacedOrder(ctx.database, accountId, orderId);
  if (orderId === undefined || order === undefined) throw notFound();
  const rows = await listLinesAgain(ctx.database, accountId, orderId);
  const ids = [...new Set(rows.map(({ product_id: id }) => id))].slice(0, PRODUCTS_MAX);
  const products = await readProductsOf(ctx, accountId, ids);
  const found: Found = {
    now: ctx.clock.now(),
    catalogue: (await ctx.prices.latest()).catalogue,
    products: new Map(products.map((product) => [product.id, product])),
    kept: await keptDesignsOf(ctx, accountId, order.erased_at === null ? hashesOf(rows) : []),
    isErased: order.erased_at !== null,
  };
  const lines = await mapInPieces(ctx.asker, rows, (row) => lineAgain(ctx, found, row));
  return { reference: order.reference, lines };
}

type Found = {
  readonly now: Date;
  readonly catalogue: CatalogueReference;
  readonly products: ReadonlyMap<Uuid, ProductRow>;
  /** Designs whose bytes the account still has. */
  readonly kept: ReadonlySet<string>;
  readonly isErased: boolean;
};

type ViewContext = Pick<OrdersContext, 'secrets' | 'config'>;

function hashesOf(rows: readonly LineAgainRow[]): string[] {
  const hashes = rows.flatMap(({ mock_hash: mock, prints }) => [
    ...(mock === null ? [] : [mock]),
    ...prints.flatMap(({ design_hash: design, recipe }) => {
      if (design !== null) return [design];
      if (recipe?.kind !== 'personalised') return [];
      return recipe.drawings.flatMap((drawing) => (drawing.kind === 'picture' ? [drawing.designHash] : []));
    }),
  ]);
  return [...new Set(hashes)];
}

function lineAgain(ctx: ViewContext, found: Found, row: LineAgainRow): LineAgain {
  const product = found.products.get(row.product_id);
  const { declared_unit_pence: declared } = row;
  const line = {
    line_id: publicId('line', row.id),
    product_id: publicId('prod', row.product_id),
    variant_sku: row.sku,
    quantity: row.quantity,
    name: row.name === product?.name ? '' : row.name,
    colour: row.colour,
    size: row.size,
    declared_unit_price: declared === null ? null : toPounds(pence(declared)),
    print_jobs: row.prints.map(({ area, method }) => ({ area, method })),
  };
  if (product === undefined || product.status === 'archived') {
    const notes = [note('not_orderable', `${row.name} cannot be ordered any more.`)];
    return { ...line, can_be_ordered: false, artwork: 'none', areas: [], inputs: {}, notes };
  }
  const printed = printedAgain(ctx, found, product, row);
  return { ...line, can_be_ordered: true, ...printed, notes: [...variantNotes(found, product, row), ...printed.notes] };
}

type Note = LineAgain['notes'][number];
type Printed = Pick<LineAgain, 'artwork' | 'areas' | 'inputs' | 'notes'>;

function note(code: AgainNote, message: string): Note {
  return { code, message };
}

function variantNotes({ catalogue }: Found, { variants }: ProductRow, { sku, name }: LineAgainRow): Note[] {
  const isOffered = variants.some((variant) => variant.sku === sku && variant.active);
  if (isOffered && catalogue.bySku.get(sku)?.variant.active === true) return [];
  return [note('variant_dropped', `${name} is not offered in ${sku} any more: choose another colour or size.`)];
}

function printedAgain(ctx: ViewContext, found: Found, product: ProductRow, row: LineAgainRow): Printed {
  const nothing = { areas: [], inputs: {}, notes: [] };
  if (row.prints.length === 0) return { ...nothing, artwork: 'none' };
  if (product.personalisation !== null) return inputsOf(ctx, found, product.personalisation, row);
  if (row.prints.every((print) => isStored(product, print))) return { ...nothing, artwork: 'stored' };
  return ownArtwork(ctx, found, product, row);
}

type Print = LineAgainRow['prints'][number];

/** Whether a print is what the product has now, at the same place. */
function isStored({ areas }: ProductRow, print: Print): boolean {
  const area = areas.find(({ print_area: name }) => name === print.area);
  if (area?.design_hash !== print.design_hash) return false;
  const at = positionIn(print);
  return at === undefined || (['x', 'y', 'scale', 'rotation'] as const).every((member) => at[member] === area[member]);
}

/** Where a design was printed; undefined when its print file is gone. */
function positionIn({ recipe }: Print): Position | undefined {
  return recipe === null || recipe.kind === 'personalised' ? undefined : recipe.position;
}

function ownArtwork(ctx: ViewContext, found: Found, product: ProductRow, row: LineAgainRow): Printed {
  const { kept, isErased, now } = found;
  const { secrets, config } = ctx;
  const base = found.catalogue.byId.get(product.base_product_id);
  const isOffered = (name: string): boolean =>
    base?.areas.has(name) === true &&
    (product.areas.length === 0 || product.areas.some(({ print_area: area }) => area === name));
  const offered = row.prints.filter(({ area }) => isOffered(area));
  const isMockKept = row.mock_hash !== null && row.mock_hash !== product.mockup_hash && kept.has(row.mock_hash);
  const areas = offered.map((print, index): LineAgain['areas'][number] => {
    const hash = print.design_hash !== null && kept.has(print.design_hash) ? print.design_hash : undefined;
    return {
      print_area: print.area,
      method: print.method,
      artwork_url: hash === undefined ? null : signedUrl(secrets, config.baseUrl, hash, now),
      picture_url: hash === undefined ? null : pictureUrl(secrets, config.baseUrl, { hash, widthPx: PICTURE_PX }, now),
      mock_url: index === 0 && isMockKept ? signedUrl(secrets, config.baseUrl, row.mock_hash ?? '', now) : null,
      position: { ...CENTRED, ...positionIn(print) },
    };
  });
  const gone = row.prints.filter(({ area }) => !isOffered(area)).map(({ area }) => area);
  const lost = areas.flatMap(({ artwork_url: url, print_area: area }) => (url === null ? [area] : []));
  return {
    artwork: areas.length === 0 ? 'none' : 'own',
    areas,
    inputs: {},
    notes: [
      ...gone.map((area) => note('area_dropped', `${row.name} has no print area ${area} any more: it is left out.`)),
      ...lost.map((area) =>
        isErased
          ? note('erased', `The artwork for ${area} was erased with the order. Supply it anew.`)
          : note('artwork_gone', `The artwork for ${area} is not kept any more. Supply it anew.`),
      ),
    ],
  };
}

function inputsOf(
  { secrets, config }: ViewContext,
  { kept, isErased, now }: Found,
  template: NonNullable<ProductRow['personalisation']>,
  row: LineAgainRow,
): Printed {
  const none = { artwork: 'inputs' as const, areas: [], inputs: {} };
  if (isErased) {
    const message = 'What was filled in was erased with the order. Fill it in anew.';
    return { ...none, notes: [note('erased', message)] };
  }
  const printed = row.prints.flatMap(({ area, recipe }) =>
    recipe?.kind === 'personalised' ? [{ printArea: area, drawings: recipe.drawings }] : [],
  );
  const addressOf = (hash: string): string | undefined =>
    kept.has(hash) ? signedUrl(secrets, config.baseUrl, hash, now) : undefined;
  const { inputs, lostPictures, unplaced } = inputsAgain(template, printed, addressOf);
  const lost = unplaced.texts.map((text) => `“${text}”`);
  const pictures = unplaced.pictures === 0 ? [] : ['a picture'];
  return {
    ...none,
    inputs: { ...inputs },
    notes: [
      ...(printed.length === row.prints.length
        ? []
        : [note('inputs_gone', 'What was filled in is not kept any more. Fill it in anew.')]),
      ...lostPictures.map((name) =>
        note('artwork_gone', `The picture of ${name} is not kept any more. Supply it anew.`),
      ),
      ...(lost.length + pictures.length === 0
        ? []
        : [
            note(
              'template_changed',
              `The product was designed anew and has no place for ${[...lost, ...pictures].join(', ')}: fill it in.`,
            ),
          ]),
    ],
  };
}
