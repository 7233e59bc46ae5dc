import type { Position } from '../place.ts';

/** What a product looks like, as far as its picture goes. */
export type GarmentKind = 'tee' | 'bodysuit' | 'hoodie' | 'sweatshirt' | 'tote' | 'cap' | 'mug' | 'poster';

export type GarmentView = 'front' | 'back';

/** Where a print area lies on the picture of a garment, in thousandths of its side. */
export type GarmentSpot = {
  readonly view: GarmentView;
  /** The area is fitted inside by its shape, against the upper edge. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

/** How artwork is shown on a garment: which of its areas, and where the artwork lies on that. */
export type GarmentPrint = { readonly printArea: string; readonly position: Position };

/** By the words of a title; the first that fits. */
const KINDS: readonly (readonly [RegExp, GarmentKind])[] = [
  [/\b(bodysuit|onesie|romper)\b/i, 'bodysuit'],
  [/\b(hoodie|hooded)\b/i, 'hoodie'],
  [/\b(sweatshirt|sweater|jumper|sweat)\b/i, 'sweatshirt'],
  [/\b(tote|bag)\b/i, 'tote'],
  [/\b(cap|hat)\b/i, 'cap'],
  [/\b(mug|cup)\b/i, 'mug'],
  [/\b(poster|print|canvas)\b/i, 'poster'],
  [/\b(tee|t-shirt|tshirt|shirt|top)\b/i, 'tee'],
];

/** What a base product looks like, by its title; undefined for one that has no picture here. */
export function garmentKindOf(title: string): GarmentKind | undefined {
  return KINDS.find(([words]) => words.test(title))?.[1];
}

const spot = (view: GarmentView, left: number, top: number, width: number, height: number): GarmentSpot => ({
  view,
  left,
  top,
  width,
  height,
});

/** A sleeve of the picture lies at the wearer's side: the left one is seen at the right. */
const SPOTS: Readonly<Record<GarmentKind, Readonly<Record<string, GarmentSpot>>>> = {
  tee: {
    front: spot('front', 355, 270, 290, 440),
    left_chest: spot('front', 540, 300, 100, 100),
    left_sleeve: spot('front', 775, 300, 74, 74),
    right_sleeve: spot('front', 151, 300, 74, 74),
    back: spot('back', 355, 235, 290, 440),
  },
  bodysuit: { front: spot('front', 380, 330, 240, 300), back: spot('back', 380, 290, 240, 300) },
  hoodie: {
    front: spot('front', 365, 385, 270, 210),
    left_chest: spot('front', 535, 385, 90, 90),
    left_sleeve: spot('front', 786, 430, 60, 200),
    right_sleeve: spot('front', 154, 430, 60, 200),
    back: spot('back', 350, 330, 300, 400),
  },
  sweatshirt: {
    front: spot('front', 360, 295, 280, 400),
    left_chest: spot('front', 535, 320, 90, 90),
    left_sleeve: spot('front', 786, 400, 60, 200),
    right_sleeve: spot('front', 154, 400, 60, 200),
    back: spot('back', 355, 270, 290, 400),
  },
  tote: { front: spot('front', 315, 440, 370, 430), back: spot('back', 315, 440, 370, 430) },
  cap: { front: spot('front', 375, 385, 250, 125) },
  mug: {
    wrap: spot('front', 110, 330, 660, 350),
    left_side: spot('front', 290, 370, 300, 300),
    right_side: spot('front', 290, 370, 300, 300),
  },
  poster: { full_bleed: spot('front', 218, 90, 564, 800), bordered: spot('front', 258, 128, 484, 724) },
};

/** Where an area lies on the picture of a garment; undefined for one that it does not show. */
export function garmentSpotOf(kind: GarmentKind, printArea: string): GarmentSpot | undefined {
  return Object.hasOwn(SPOTS[kind], printArea) ? SPOTS[kind][printArea] : undefined;
}

/** A length of the area's plane in thousandths of the picture, and where the area begins on it. */
export type FittedSpot = { readonly left: number; readonly top: number; readonly scale: number };

/** Where an area of this shape lies in a spot: fitted inside, in the middle, against the upper edge. */
export function fittedSpot(spot: GarmentSpot, area: { readonly width: number; readonly height: number }): FittedSpot {
  const scale = Math.min(spot.width / area.width, spot.height / area.height);
  return { left: spot.left + (spot.width - area.width * scale) / 2, top: spot.top, scale };
}
