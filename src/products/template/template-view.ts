import { fontFamilies } from '../../artwork/fonts/families.ts';
import { printableScripts } from '../../artwork/fonts/font-packages.ts';
import { garmentOutline } from '../../artwork/mockup/outline.ts';
import { signedUrl } from '../../artwork/signed-url.ts';
import type { BaseProduct, CatalogueReference } from '../../catalogue/reference.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { publicId } from '../../lib/ids.ts';
import { mockupsView } from '../mockup-view.ts';
import { designsOf, type PersonalisationTemplate, readTemplate } from '../personalisation-template.ts';
import { familyView } from '../personalisation-view.ts';
import { ownPrices, retailPrice } from '../view.ts';
import type { Template, TemplateSummary } from './template-schema.ts';
import type { TemplateRow } from './template-sql.ts';

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

/** The base product of a personalised product. */
export function baseOf(
  catalogue: CatalogueReference,
  { base_product_id: id }: Pick<TemplateRow, 'base_product_id'>,
): BaseProduct {
  const base = catalogue.byId.get(id);
  if (base === undefined) throw new Error('a product refers to a base product that the catalogue does not have');
  return base;
}

/** What is designed: the draft, or what is published while there is none. */
export function draftOf({ template_draft, personalisation }: TemplateRow): PersonalisationTemplate {
  return template_draft ?? personalisation;
}

/** A personalised product in the list. */
export function summaryView(ctx: ViewContext, catalogue: CatalogueReference, row: TemplateRow): TemplateSummary {
  const base = baseOf(catalogue, row);
  return {
    ...headView(base, row),
    layers: draftOf(row).layers.length,
    thumbnail_url: mockupsView(ctx, catalogue, base, row).thumbnail_url,
    updated_at: isoTime(row.updated_at),
  };
}

/**
 * A personalised product as the designer shows it.
 * The addresses of its pictures are signed anew for each reply.
 */
export function templateView(ctx: ViewContext, catalogue: CatalogueReference, row: TemplateRow): Template {
  const base = baseOf(catalogue, row);
  const template = draftOf(row);
  const published = row.personalisation.layers.length === 0 ? null : row.personalisation;
  const read = readTemplate(template, base.entry.print_areas, 'template');
  const now = ctx.clock.now();
  const designs = new Set([...designsOf(template), ...(published === null ? [] : designsOf(published))]);
  return {
    ...headView(base, row),
    variants: coloursOf(catalogue, row),
    offered_skus: row.variants.filter(({ sku, active }) => active && isOffered(catalogue, sku)).map(({ sku }) => sku),
    retail_price: retailPrice(row),
    retail_prices: ownPrices(row),
    version: row.draft_version,
    template,
    published,
    problems: read.kind === 'ok' ? [] : read.problems.map(({ path, code, message }) => ({ path, code, message })),
    areas: base.entry.print_areas.map((area) => areaView(base, area)),
    pictures: [...designs].map((design) => ({
      design,
      image_url: signedUrl(ctx.secrets, ctx.config.baseUrl, design, now),
    })),
    fonts: fontFamilies().map(familyView),
    scripts: [...printableScripts()],
  };
}

/** Whether the catalogue still has a variant, so that it can be priced and ordered. */
function isOffered(catalogue: CatalogueReference, sku: string): boolean {
  return catalogue.bySku.get(sku)?.variant.active === true;
}

function headView(base: BaseProduct, row: TemplateRow) {
  return {
    id: publicId('prod', row.id),
    name: row.name,
    status: row.status,
    base_product: { id: publicId('bprod', base.id), title: base.entry.title },
    published_version: row.template_version,
    published_at: row.published_at === null ? null : isoTime(row.published_at),
    is_changed: row.template_draft !== null,
  };
}

function areaView(base: BaseProduct, area: BaseProduct['entry']['print_areas'][number]): Template['areas'][number] {
  const { print_area, title, methods, width_mm, height_mm, width_px, height_px } = area;
  const outline = garmentOutline(base.entry, print_area, { widthPx: width_px, heightPx: height_px });
  const garment = { ...outline, parts: [...outline.parts], lines: [...outline.lines] };
  return { print_area, title, methods, width_mm, height_mm, width_px, height_px, garment };
}

/** The colours in which a product can be ordered, each with its first variant. */
function coloursOf(catalogue: CatalogueReference, { variants }: TemplateRow): Template['variants'] {
  const seen = new Set<string>();
  return variants.flatMap(({ sku, active }) => {
    const blank = catalogue.bySku.get(sku)?.variant;
    if (!active || blank?.active !== true || seen.has(blank.entry.colour_hex)) return [];
    seen.add(blank.entry.colour_hex);
    return [{ sku, colour: blank.entry.colour, colour_hex: blank.entry.colour_hex }];
  });
}
