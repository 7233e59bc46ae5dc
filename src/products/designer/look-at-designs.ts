import { type Position, placeArtwork } from '../../artwork/place.ts';
import { printView } from '../../artwork/preflight/artwork-view.ts';
import { type ArtworkFacts, type PrintSpot, printRemarks, printReport } from '../../artwork/preflight/preflight.ts';
import { safeMarginMm, safeZoneRemarks } from '../../artwork/preflight/safe-zone.ts';
import { mockupUrl } from '../../artwork/proof/proof-url.ts';
import { positionOf } from '../../artwork/recipe.ts';
import { type BaseProduct, type CatalogueReference, minDpiOf } from '../../catalogue/reference.ts';
import { findOfferedBase, unknownBaseProblem } from '../../catalogue/resolve-names.ts';
import type { Caller } from '../../lib/caller.ts';
import { validationFailed } from '../../lib/errors.ts';
import type { Warning } from '../../lib/schemas.ts';
import type { ProductsContext } from '../read-products.ts';
import { resolveProblems } from '../resolve-product.ts';
import type { LookAtDesignsBody, LookedAtDesigns } from './designer-schema.ts';
import { findOwnDesigns } from './own-designs.ts';

const MOCKUP_PX = 640;

type AreaBody = LookAtDesignsBody['decoration']['areas'][number];
type Garments = {
  readonly catalogue: CatalogueReference;
  readonly base: BaseProduct;
  readonly skus: readonly string[];
};

/**
 * Says how designs print where they are being placed, as an order would be warned of it.
 * Writes no product. Artwork that lies wholly outside of its area is answered without a print and with a warning, since
 * a person may be about to move it back. Throws 422 for names that are not known.
 */
export async function lookAtDesigns(
  ctx: ProductsContext,
  caller: Caller,
  body: LookAtDesignsBody,
): Promise<LookedAtDesigns> {
  const catalogue = await ctx.catalogue.latest();
  const base = findOfferedBase(catalogue, body.base_product_id);
  const problems = resolveProblems(base, body);
  if (base === undefined) throw validationFailed([unknownBaseProblem(body.base_product_id), ...problems]);
  if (problems.length > 0) throw validationFailed(problems);
  const designs = await findOwnDesigns(ctx, caller, body);
  const garments = { catalogue, base, skus: body.variant_skus };
  return { areas: body.decoration.areas.map((area, index) => lookAt(ctx, garments, area, index, designs.at(index))) };
}

function lookAt(
  ctx: ProductsContext,
  garments: Garments,
  { print_area: printArea, method, position: asked }: AreaBody,
  index: number,
  { hash, facts }: { readonly hash: string; readonly facts: ArtworkFacts },
): LookedAtDesigns['areas'][number] {
  const { catalogue, base } = garments;
  const area = base.areas.get(printArea);
  if (area === undefined) throw new Error('a print area was not resolved');
  const template = { widthPx: area.width_px, heightPx: area.height_px, dpi: area.dpi };
  const position = positionOf(asked);
  const named = { print_area: printArea, method };
  const path = `decoration.areas[${index}]`;
  if (placeArtwork(facts, template, position).kind === 'nothing') {
    const message = `Nothing of the artwork would lie on ${printArea}. Move it back.`;
    const warnings = [{ code: 'outside_print_area', path, message }];
    return { ...named, print: null, sizes: [], methods: [], warnings, mockups: [] };
  }
  const print = printView(printReport(facts, template, position));
  const { width_mm, height_mm, dpi } = print;
  const marginMm = safeMarginMm(area);
  const spot: PrintSpot = { printArea, template, minDpi: minDpiOf(catalogue, method), ground: undefined };
  const remarks = [
    ...printRemarks(facts, spot, position),
    ...safeZoneRemarks(facts, { printArea, template, marginMm, widthMm: area.width_mm }, position),
  ];
  return {
    ...named,
    print,
    sizes: endsOf(sizesOf(base, garments.skus)).map((size) => ({ size, width_mm, height_mm, dpi })),
    methods: area.methods.map((name) => {
      const dpiMin = Math.min(minDpiOf(catalogue, name), area.dpi);
      return { method: name, dpi_min: dpiMin, is_sharp: dpi >= dpiMin };
    }),
    warnings: [
      ...remarks.map(({ code, message }) => ({ code, path, message })),
      ...backgroundWarnings(facts, spot, position, { path, colours: coloursOf(garments) }),
    ],
    mockups: mockupsOf(ctx, garments, { hash, printArea, position }),
  };
}

/** The template of an area is that of every size, so artwork prints equally large on all of them. */
function endsOf(sizes: readonly string[]): readonly string[] {
  return [...new Set([sizes[0], sizes.at(-1)].flatMap((size) => size ?? []))];
}

/** The sizes of some variants, in the order in which the catalogue has the sizes of the garment. */
function sizesOf({ variants }: BaseProduct, skus: readonly string[]): readonly string[] {
  const wanted = new Set(skus);
  const offered = new Set(variants.filter(({ entry }) => wanted.has(entry.sku)).map(({ entry }) => entry.size));
  return [...new Set(variants.map(({ entry }) => entry.size))].filter((size) => offered.has(size));
}

type OfferedColour = { readonly sku: string; readonly colour: string; readonly colour_hex: string };

/** The colours of some variants, each once with its first one. */
function coloursOf({ base, skus }: Garments): readonly OfferedColour[] {
  const wanted = new Set(skus);
  const byColour = new Map<string, OfferedColour>();
  for (const { entry } of base.variants) {
    const { sku, colour, colour_hex } = entry;
    if (wanted.has(sku) && !byColour.has(colour)) byColour.set(colour, { sku, colour, colour_hex });
  }
  return [...byColour.values()];
}

/** What is true on several colours is one warning, at the first of them. */
function backgroundWarnings(
  facts: ArtworkFacts,
  spot: PrintSpot,
  position: Position,
  { path, colours }: { readonly path: string; readonly colours: readonly OfferedColour[] },
): Warning[] {
  const found = colours.flatMap(({ colour, colour_hex: ground }) =>
    printRemarks(facts, { ...spot, ground }, position)
      .filter(({ code }) => code === 'opaque_background')
      .map(({ code, message }) => ({ code, path, message, colour })),
  );
  const [first, ...others] = found;
  if (first === undefined) return [];
  const { code, message } = first;
  const more = others.length === 0 ? '' : ` So it does on ${others.map(({ colour }) => colour).join(', ')}.`;
  return [{ code, path, message: message + more }];
}

function mockupsOf(
  { secrets, config, clock }: ProductsContext,
  garments: Garments,
  print: { readonly hash: string; readonly printArea: string; readonly position: Position },
): LookedAtDesigns['areas'][number]['mockups'] {
  return coloursOf(garments).map(({ sku, colour, colour_hex }) => {
    const shown = { ...print, onSku: sku, widthPx: MOCKUP_PX } as const;
    return { colour, colour_hex, mockup_url: mockupUrl(secrets, config.baseUrl, shown, clock.now()) };
  });
}
