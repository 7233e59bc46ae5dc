import type { Position } from '../artwork/place.ts';
import type { ArtworkFacts } from '../artwork/preflight/preflight.ts';
import { positionOf } from '../artwork/recipe.ts';
import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import { type Problem, quoted } from '../lib/errors.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import type { Asker } from '../lib/turns/owner.ts';
import { mapInPieces } from '../lib/turns/pieces.ts';
import type { PlaceOrderItem } from '../orders/schema.ts';
import { type PersonalisationTemplate, TEMPLATES_BYTES_MAX } from '../products/personalisation-template.ts';
import type { ProductSnapshot } from '../products/sql.ts';
import { type BasketDrawing, type Inputs, outdatedProblems, readInputs } from './personalisation/inputs.ts';

/**
 * The problem code of a SKU that its product does not offer.
 * `prepareBasket` adds the SKUs that it does.
 */
export const UNKNOWN_VARIANT = 'unknown_variant';

/** One area to print, before its artwork has been fetched. */
export type BasketJob = {
  readonly printArea: string;
  readonly method: string;
  readonly artwork: StoredArtwork | SuppliedArtwork | PersonalisedArtwork;
};

export type StoredArtwork = {
  readonly kind: 'stored';
  readonly hash: string;
  readonly facts: ArtworkFacts;
  readonly position: Position;
};
export type SuppliedArtwork = {
  readonly kind: 'supplied';
  readonly url: string;
  readonly path: string;
  readonly position: Position;
};
export type PersonalisedArtwork = { readonly kind: 'personalised'; readonly drawings: readonly BasketDrawing[] };

/** A line whose product, variant, areas and methods are known to exist. */
export type BasketLine = {
  readonly index: number;
  readonly productId: Uuid;
  readonly baseProduct: BaseProduct;
  readonly sku: string;
  readonly quantity: number;
  readonly name: string;
  readonly colour: string;
  readonly size: string;
  /** What the consumer paid for one piece, for customs. */
  readonly declaredUnitPence: Pence | undefined;
  readonly jobs: readonly BasketJob[];
  /** The mock: the first one supplied, else the product's mockup, else none. */
  readonly mock:
    | { readonly kind: 'supplied'; readonly url: string; readonly path: string }
    | { readonly kind: 'stored'; readonly hash: string }
    | undefined;
};

export type Basket = {
  readonly lines: readonly BasketLine[];
  readonly warnings: readonly Warning[];
  readonly problems: readonly Problem[];
};

/** Lists the product ids of a request, each once, without texts that are no product id at all. */
export function productIdsOf(items: readonly PlaceOrderItem[]): Uuid[] {
  const texts = new Set(items.map((item) => item.product_id));
  return [...texts].flatMap((text) => parseId('prod', text) ?? []);
}

/**
 * Resolves the lines of a request against its products and the catalogue.
 * Follows spec 4.1 rules 1 to 4 and 4.2. Every product must be present: a missing one was refused with 404 before.
 * Finds all problems, not only the first; if there are any, do not use the lines. Many lines are resolved in pieces.
 */
export async function resolveBasket(
  asker: Asker,
  items: readonly PlaceOrderItem[],
  products: ReadonlyMap<string, ProductSnapshot>,
  catalogue: CatalogueReference,
): Promise<Basket> {
  const problems: Problem[] = [];
  const warnings: Warning[] = [];
  const lines = await mapInPieces(asker, items, (item, index) => {
    const product = products.get(item.product_id);
    const baseProduct = product === undefined ? undefined : catalogue.byId.get(product.base_product_id);
    if (product === undefined || baseProduct === undefined)
      throw new Error(`product of items[${index}] was not resolved`);
    const path = `items[${index}]`;
    const found = lineProblems(item, product, path, catalogue);
    const decoration = decorationOf(item, product, baseProduct, path);
    problems.push(...found, ...decoration.problems);
    if (product.status === 'draft') {
      warnings.push({ code: 'draft_product', path: `${path}.product_id`, message: 'This product is a draft.' });
    }
    warnings.push(...decoration.warnings);
    return {
      index,
      productId: product.id,
      baseProduct,
      sku: item.variant_sku,
      quantity: item.quantity,
      name: item.name !== undefined && item.name.trim() !== '' ? item.name : product.name,
      colour: item.colour ?? '',
      size: item.size ?? '',
      declaredUnitPence: item.declared_unit_price === undefined ? undefined : fromPounds(item.declared_unit_price),
      jobs: decoration.jobs,
      mock: mockOf(item, product, path),
    };
  });
  return { lines, warnings, problems };
}

function lineProblems(
  item: PlaceOrderItem,
  product: ProductSnapshot,
  path: string,
  catalogue: CatalogueReference,
): Problem[] {
  if (product.status === 'archived') {
    return [
      {
        path: `${path}.product_id`,
        code: 'product_archived',
        message: 'This product is archived and cannot be ordered.',
      },
    ];
  }
  const variant = product.variants.find(({ sku }) => sku === item.variant_sku);
  if (variant?.active === true && catalogue.bySku.get(variant.sku)?.variant.active === true) return [];
  return [
    {
      path: `${path}.variant_sku`,
      code: UNKNOWN_VARIANT,
      message: `${quoted(item.variant_sku)} is not an active variant of this product. SKUs are compared exactly.`,
    },
  ];
}

type Decoration = {
  readonly jobs: readonly BasketJob[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly Warning[];
};

function decorationOf(item: PlaceOrderItem, product: ProductSnapshot, base: BaseProduct, path: string): Decoration {
  if (product.is_template_left_out) return refused(templatesTooLarge(path));
  // Its blank garment would be made in place of what its author has only designed.
  if (product.personalisation?.layers.length === 0 && !asksForBlank(item)) return refused(unpublished(path));
  if (item.decoration !== undefined) return suppliedDecoration(item.decoration, product, base, `${path}.decoration`);
  if (product.personalisation !== null) return emptyPersonalisation(item, product.personalisation, path);
  if (item.print_jobs !== undefined) return chosenDecoration(item.print_jobs, product, base, `${path}.print_jobs`);
  return firstAreaOnly(product, base, path);
}

/** Whether `print_jobs: []` counts: beside a decoration it is ignored. */
function asksForBlank({ decoration, print_jobs: printJobs }: PlaceOrderItem): boolean {
  return decoration === undefined && printJobs?.length === 0;
}

function templatesTooLarge(path: string): Problem {
  const message = `The templates of the personalised products of one order may have ${TEMPLATES_BYTES_MAX} bytes in all, and with this one they have more. Divide the products among several orders.`;
  return { path: `${path}.product_id`, code: 'templates_too_large', message };
}

/** A template has a layer from its first publication on. */
function unpublished(path: string): Problem {
  const message =
    'This personalised product was never published, so it has nothing to print. Publish it first, or send print_jobs: [] for a blank garment.';
  return { path: `${path}.product_id`, code: 'product_unpublished', message };
}

/**
 * Resolves a `decoration` that came with the order (spec 4.2).
 * The shape check has left exactly one of `areas` and `personalisation`.
 */
function suppliedDecoration(
  decoration: NonNullable<PlaceOrderItem['decoration']>,
  product: ProductSnapshot,
  base: BaseProduct,
  path: string,
): Decoration {
  const { areas, personalisation } = decoration;
  if (personalisation !== undefined) return personalisedDecoration(personalisation.inputs, product, base, path);
  if (areas === undefined) throw new Error('a decoration with neither areas nor personalisation passed the shape');
  if (product.personalisation !== null) {
    return refused({
      path: `${path}.areas`,
      code: 'product_personalised',
      message: 'This product is personalised: send decoration.personalisation instead of areas.',
    });
  }
  // Stored designs fix the areas of a product; without any, every area of the blank can be chosen
  // (decisions, "Prices").
  const areaNames = product.areas.length > 0 ? printableAreas(product, base) : [...base.areas.keys()];
  const problems = areas.flatMap((area, index) => [
    ...areaProblems(area.print_area, areaNames, `${path}.areas[${index}].print_area`),
    ...methodProblems(area.print_area, area.method, base, `${path}.areas[${index}].method`),
  ]);
  problems.push(
    ...repeated(
      areas.map((area) => area.print_area),
      (index) => `${path}.areas[${index}].print_area`,
    ),
  );
  const jobs = areas.map(
    (area, index): BasketJob => ({
      printArea: area.print_area,
      method: area.method,
      artwork: {
        kind: 'supplied',
        url: area.artwork_url,
        path: `${path}.areas[${index}].artwork_url`,
        position: positionOf(area.position),
      },
    }),
  );
  return { jobs, problems, warnings: [] };
}

/**
 * Makes one job for each of the template's areas that the inputs fill.
 * An empty area is neither printed nor billed (spec 4.2). Beside the inputs, `print_jobs` is checked for shape and
 * otherwise ignored, as it is beside `areas`.
 */
function personalisedDecoration(inputs: Inputs, product: ProductSnapshot, base: BaseProduct, path: string): Decoration {
  if (product.personalisation === null) {
    return refused({
      path: `${path}.personalisation`,
      code: 'not_personalised',
      message: 'This product is not personalised: send decoration.areas, or nothing to print its stored designs.',
    });
  }
  const read = readInputs(product.personalisation, inputs, `${path}.personalisation.inputs`);
  const problems = [...read.problems, ...outdatedProblems(product.personalisation, base, path)];
  if (read.areas.length === 0 && problems.length === 0) return blank(path);
  const jobs = read.areas.map(
    ({ printArea, method, drawings }): BasketJob => ({
      printArea,
      method,
      artwork: { kind: 'personalised', drawings },
    }),
  );
  return { jobs, problems, warnings: [] };
}

/**
 * Resolves a personalised product that was ordered without inputs.
 * All its layers stay empty, which a required layer forbids (decisions, "Prices"), unless `print_jobs` is `[]` and so
 * asks for a blank garment.
 */
function emptyPersonalisation(item: PlaceOrderItem, template: PersonalisationTemplate, path: string): Decoration {
  if (item.print_jobs?.length === 0) return blank(`${path}.print_jobs`);
  const required = template.layers.filter((layer) => layer.required).map((layer) => layer.id);
  if (required.length === 0) return blank(`${path}.decoration`);
  const message = `This product is personalised; decoration.personalisation must give its layers ${required.join(', ')}.`;
  return refused({ path: `${path}.decoration`, code: 'required', message });
}

/**
 * Resolves `print_jobs`, which names the stored designs to print and bill (spec 4.1 rules 2 and 3).
 * `[]` is a blank garment.
 */
function chosenDecoration(
  printJobs: NonNullable<PlaceOrderItem['print_jobs']>,
  product: ProductSnapshot,
  base: BaseProduct,
  path: string,
): Decoration {
  if (printJobs.length === 0) return blank(path);
  const areaNames = printableAreas(product, base);
  const problems = printJobs.flatMap((job, index) => [
    ...areaProblems(job.area, areaNames, `${path}[${index}].area`),
    ...methodProblems(job.area, job.method, base, `${path}[${index}].method`),
  ]);
  problems.push(
    ...repeated(
      printJobs.map((job) => job.area),
      (index) => `${path}[${index}].area`,
    ),
  );
  const jobs = printJobs.flatMap((job) => {
    const stored = product.areas.find((area) => area.print_area === job.area);
    return stored === undefined ? [] : [storedJob(stored, job.method)];
  });
  return { jobs, problems, warnings: [] };
}

/** Without `print_jobs`, bills and prints the product's first area only (spec 4.1 rule 2), and warns. */
function firstAreaOnly(product: ProductSnapshot, base: BaseProduct, path: string): Decoration {
  const [first, ...others] = product.areas;
  if (first === undefined) return blank(`${path}.print_jobs`);
  const left = others.map((area) => area.print_area).join(', ');
  const warnings =
    others.length === 0
      ? []
      : [
          {
            code: 'single_area_billed',
            path: `${path}.print_jobs`,
            message: `Without print_jobs only ${first.print_area} is printed and billed; left out: ${left}. Send every area.`,
          },
        ];
  // To print another area in place of the first would be a print that was not ordered.
  const problems = [
    ...areaProblems(first.print_area, printableAreas(product, base), `${path}.print_jobs`),
    ...methodProblems(first.print_area, first.method, base, `${path}.print_jobs`),
  ];
  return { jobs: [storedJob(first, first.method)], problems, warnings };
}

function storedJob(area: ProductSnapshot['areas'][number], method: string): BasketJob {
  return { printArea: area.print_area, method, artwork: storedArtworkOf(area) };
}

/** The artwork of each area of a product that was read: one object for all lines of the order. */
const storedArtwork = new WeakMap<object, StoredArtwork>();

function storedArtworkOf(area: ProductSnapshot['areas'][number]): StoredArtwork {
  const known = storedArtwork.get(area);
  if (known !== undefined) return known;
  const made: StoredArtwork = {
    kind: 'stored',
    hash: area.design_hash,
    facts: { ...area.report, widthPx: area.width_px, heightPx: area.height_px },
    position: { x: area.x, y: area.y, scale: area.scale, rotation: area.rotation },
  };
  storedArtwork.set(area, made);
  return made;
}

function blank(path: string): Decoration {
  return {
    jobs: [],
    problems: [],
    warnings: [{ code: 'blank_garment', path, message: 'This line is a blank garment: nothing is printed on it.' }],
  };
}

function refused(problem: Problem): Decoration {
  return { jobs: [], problems: [problem], warnings: [] };
}

/**
 * Lists the areas of a product that its blank still has.
 * An area that a later catalogue dropped cannot be printed.
 */
function printableAreas(product: ProductSnapshot, base: BaseProduct): string[] {
  return product.areas.map((area) => area.print_area).filter((area) => base.areas.has(area));
}

function areaProblems(area: string, validAreas: readonly string[], path: string): Problem[] {
  if (validAreas.includes(area)) return [];
  const message = `${quoted(area)} is not a print area of this product, or no longer.`;
  return [{ path, code: 'unknown_print_area', message, valid_values: validAreas }];
}

function methodProblems(area: string, method: string, base: BaseProduct, path: string): Problem[] {
  const methods = base.areas.get(area)?.methods;
  // An unknown area is reported by `areaProblems`, and has no methods to compare with.
  if (methods === undefined || methods.includes(method)) return [];
  const message = `${quoted(method)} is not a method of ${area} on this product.`;
  return [{ path, code: 'unknown_method', message, valid_values: methods }];
}

function repeated(areas: readonly string[], pathOf: (index: number) => string): Problem[] {
  return areas.flatMap((area, index) =>
    areas.indexOf(area) === index
      ? []
      : [
          {
            path: pathOf(index),
            code: 'repeated',
            message: `${quoted(area)} is listed twice; an area is printed once.`,
          },
        ],
  );
}

function mockOf(item: PlaceOrderItem, product: ProductSnapshot, path: string): BasketLine['mock'] {
  const areas = item.decoration?.areas ?? [];
  const index = areas.findIndex((area) => area.mock_url !== undefined);
  const url = areas[index]?.mock_url;
  if (url !== undefined) return { kind: 'supplied', url, path: `${path}.decoration.areas[${index}].mock_url` };
  return product.mockup_hash === null ? undefined : { kind: 'stored', hash: product.mockup_hash };
}
