import { fittedSpot, garmentKindOf, garmentSpotOf, shownKindOf } from '../../artwork/mockup/garment.ts';
import { garmentUrl } from '../../artwork/mockup/garment-picture.ts';
import { safeMarginMm } from '../../artwork/preflight/safe-zone.ts';
import { type CatalogueContext, findBaseProduct, readAvailable } from '../../catalogue/read-catalogue.ts';
import { type BaseProduct, type CatalogueReference, minDpiOf } from '../../catalogue/reference.ts';
import { publicId } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { Garment, GarmentSummary } from './designer-schema.ts';

/** The side of a garment's picture in the units of its spots. */
const UNITS = 1_000;

type GarmentHead = Pick<Garment, 'id' | 'title' | 'description' | 'colours' | 'sizes'>;
type GarmentArea = Garment['areas'][number];

/** A garment with its areas and stock. Throws 404 for an unknown one. */
export async function getGarment(ctx: CatalogueContext, publicBaseProductId: string): Promise<Garment> {
  const base = await findBaseProduct(ctx, publicBaseProductId);
  const catalogue = await ctx.catalogue.latest();
  const offered = base.variants.filter(({ active }) => active);
  const available = await readAvailable(
    ctx,
    offered.map(({ entry }) => entry.sku),
  );
  return {
    ...garmentHead(ctx, base),
    areas: base.entry.print_areas.map((area) => areaOf(catalogue, base, area)),
    variants: offered.map(({ entry: { sku, colour, size } }) => ({
      sku,
      colour,
      size,
      available: available.get(sku) ?? 0,
    })),
  };
}

/** A page of the garments on offer, newest first; `priceFrom` is that of a blank piece. */
export async function pageOfGarments(
  ctx: CatalogueContext,
  query: { readonly limit?: string; readonly cursor?: string },
  priceFrom: (base: BaseProduct) => number | null,
): Promise<Page<GarmentSummary>> {
  const { limit, after } = readPage('bprod', query);
  const { baseProducts } = await ctx.catalogue.latest();
  const rows = baseProducts.filter(({ id, active }) => active && (after === undefined || id < after));
  const view = (base: BaseProduct): GarmentSummary => ({ ...garmentHead(ctx, base), price_from: priceFrom(base) });
  return toPage(rows.slice(0, limit + 1), limit, view, ({ id }) => id);
}

function garmentHead({ config }: CatalogueContext, { id, entry, variants }: BaseProduct): GarmentHead {
  const kind = garmentKindOf(entry);
  const offered = variants.filter(({ active }) => active);
  const colours = new Map(offered.map(({ entry: { colour, colour_hex: hex } }) => [colour, hex]));
  // Of a panel the first print area decides the proportions: it looks the same from behind.
  const panel = panelSizeOf(entry);
  const urlOf = (view: 'front' | 'back', colourHex: string): string =>
    garmentUrl(config.baseUrl, { kind, view, colourHex, panel });
  return {
    id: publicId('bprod', id),
    title: entry.title,
    description: entry.description,
    colours: [...colours].map(([colour, hex]) => ({
      colour,
      colour_hex: hex,
      front_url: urlOf('front', hex),
      back_url: urlOf('back', hex),
    })),
    sizes: [...new Set(offered.map(({ entry: { size } }) => size))],
  };
}

function areaOf(
  catalogue: CatalogueReference,
  { entry }: BaseProduct,
  area: BaseProduct['entry']['print_areas'][number],
): GarmentArea {
  const titles = new Map(catalogue.methods.map(({ method, title }) => [method, title]));
  return {
    print_area: area.print_area,
    title: area.title,
    width_mm: area.width_mm,
    height_mm: area.height_mm,
    safe_mm: safeMarginMm(area),
    methods: area.methods.map((method) => ({
      method,
      title: titles.get(method) ?? method,
      dpi_min: Math.min(minDpiOf(catalogue, method), area.dpi),
    })),
    backdrop: backdropOf(entry, area),
  };
}

/** In whole millimetres, as the address of its picture has it; areas are 5 mm and more. */
function panelSizeOf({ print_areas: [first] }: BaseProduct['entry']): { widthMm: number; heightMm: number } {
  if (first === undefined) throw new Error('a base product has no print area');
  return { widthMm: Math.round(first.width_mm), heightMm: Math.round(first.height_mm) };
}

/**
 * The picture of the garment in the millimetres of an area, by the rule that mockups are drawn by.
 * Null where a mockup has a panel, which is the plane of the area itself.
 */
function backdropOf(entry: BaseProduct['entry'], area: GarmentAreaEntry): GarmentArea['backdrop'] {
  const kind = shownKindOf(entry, area.print_area);
  const spot =
    kind === 'panel'
      ? undefined
      : garmentSpotOf(kind, area.print_area, { widthPx: area.width_px, heightPx: area.height_px });
  if (spot === undefined) return null;
  const { left, top, scale } = fittedSpot(spot, { width: area.width_mm, height: area.height_mm });
  const hundredths = (mm: number): number => Math.round(mm * 100) / 100;
  return {
    view: spot.view,
    left_mm: hundredths(-left / scale),
    top_mm: hundredths(-top / scale),
    side_mm: hundredths(UNITS / scale),
  };
}

type GarmentAreaEntry = BaseProduct['entry']['print_areas'][number];
