import type { Input, Reply } from '../../shared/api/client.ts';
import type { Box } from '../../shared/canvas/geometry.ts';
import { pricesOf, type RetailPrices, typedPricesOf } from '../../shared/products/retail-prices.ts';

export type Garment = Reply<'getGarment'>;
export type GarmentArea = Garment['areas'][number];
export type Designed = Reply<'getDesignedProduct'>;
export type Position = Designed['designs'][number]['position'];

/** Artwork that was taken in, as far as it is placed and shown. */
export type Design = Pick<Designed['designs'][number], 'design' | 'width' | 'height' | 'picture_url'>;

export type PlacedDesign = { readonly method: string; readonly design: Design; readonly position: Position };

/** A product as a person is making or changing it. */
export type Draft = RetailPrices & {
  readonly name: string;
  readonly description: string;
  readonly skus: readonly string[];
  /** By print area. */
  readonly areas: Readonly<Record<string, PlacedDesign>>;
};

/** A new product of a garment: all of its variants, nothing on them. */
export function newDraft({ variants }: Garment): Draft {
  return {
    name: '',
    description: '',
    skus: variants.map(({ sku }) => sku),
    areas: {},
    retailPrice: '',
    retailPrices: {},
  };
}

/** A stored product. */
export function draftOf(product: Designed): Draft {
  const { name, description, variants, designs } = product;
  return {
    name,
    description,
    skus: variants.filter(({ active }) => active).map(({ blank_variant_sku: sku }) => sku),
    areas: Object.fromEntries(
      designs.map(({ print_area: area, method, position, ...design }) => [area, { method, position, design }]),
    ),
    ...typedPricesOf(product),
  };
}

/** Whether two drafts say the same. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

type Size = { readonly width: number; readonly height: number };

/** Millimetres of a pixel of artwork at scale 1, at which it just fits its area. */
function fitOf({ width_mm: width, height_mm: height }: GarmentArea, size: Size): number {
  return Math.min(width / size.width, height / size.height);
}

/** Where a design lies on the plane of its area. */
export function boxOf(area: GarmentArea, { design, position }: PlacedDesign): Box {
  const perPx = fitOf(area, design) * position.scale;
  return {
    x: position.x * area.width_mm,
    y: position.y * area.height_mm,
    widthMm: design.width * perPx,
    heightMm: design.height * perPx,
    degrees: position.rotation,
  };
}

/** The position of a design that lies so; finer than a print shows. */
export function positionOf(area: GarmentArea, design: Size, box: Box): Position {
  return {
    x: rounded(box.x / area.width_mm, 5),
    y: rounded(box.y / area.height_mm, 5),
    scale: Math.max(0.001, rounded(box.widthMm / (design.width * fitOf(area, design)), 5)),
    rotation: rounded(box.degrees, 2),
  };
}

/** In the middle, as large as its safe zone allows. */
export function placedFirst(area: GarmentArea, design: Size): Position {
  const fit = fitOf(area, design);
  const scale = Math.min(
    (area.width_mm - 2 * area.safe_mm) / (design.width * fit),
    (area.height_mm - 2 * area.safe_mm) / (design.height * fit),
  );
  return { x: 0.5, y: 0.5, scale: rounded(scale, 5), rotation: 0 };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits)) + 0;
}

/** The designs of a request, in the order of the garment's areas. */
export function decorationOf(garment: Garment, { areas }: Draft): Input<'lookAtDesigns'>['body']['decoration'] {
  return {
    areas: garment.areas.flatMap(({ print_area: name }) => {
      const placed = areas[name];
      if (placed === undefined) return [];
      const { method, design, position } = placed;
      return [{ print_area: name, method, design: design.design, position }];
    }),
  };
}

/** What makes or changes the product. */
export function bodyOf(garment: Garment, draft: Draft) {
  return {
    name: draft.name.trim(),
    description: draft.description.trim(),
    variant_skus: [...draft.skus],
    decoration: decorationOf(garment, draft),
    ...pricesOf(draft.skus, draft),
  };
}
