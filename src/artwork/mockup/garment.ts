import type { BaseProductEntry, OUTLINES } from '../../catalogue/document.ts';
import type { Position, Size } from '../place.ts';

/** What a product looks like in its picture; a panel stands for all that have no outline. */
export type GarmentKind = (typeof OUTLINES)[number];
export type OutlinedKind = Exclude<GarmentKind, 'panel'>;

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
const KINDS: readonly (readonly [RegExp, OutlinedKind])[] = [
  [/\b(bodysuit|onesie|romper)\b/i, 'bodysuit'],
  [/\b(hoodie|hooded)\b/i, 'hoodie'],
  [/\b(sweatshirt|sweater|jumper|sweat)\b/i, 'sweatshirt'],
  [/\b(tote|bag)\b/i, 'tote'],
  [/\b(cap|hat)\b/i, 'cap'],
  [/\b(mug|cup)\b/i, 'mug'],
  [/\b(poster|print|canvas)\b/i, 'poster'],
  [/\b(tee|t-shirt|tshirt|shirt|top)\b/i, 'tee'],
];

/** Words of what no outline looks like, whatever else its title says: a hooded towel is no hoodie. */
const OTHERS = new RegExp(
  `\\b(${[
    ...[
      'aprons?',
      'towels?',
      'blankets?',
      'cushions?',
      'pillows?',
      'pillowcases?',
      'bandanas?',
      'scarf',
      'scarves',
      'masks?',
    ],
    ...[
      'gloves?',
      'socks?',
      'shoes?',
      'slippers?',
      'trousers',
      'pants',
      'shorts',
      'leggings',
      'joggers',
      'skirts?',
      'dress',
    ],
    ...[
      'polo',
      'tank',
      'vest',
      'sleeveless',
      'long[- ]sleeved?',
      'jacket',
      'coat',
      'gilet',
      'bibs?',
      'beanie',
      'bucket',
      'visor',
    ],
    ...[
      'drawstring',
      'duffel',
      'holdall',
      'messenger',
      'make-?up',
      'wash[- ]?bag',
      'backpack',
      'bottle',
      'flask',
      'holder',
      'rug',
      'coaster',
    ],
    ...['sticker', 'case', 'cover', 'mat', 'card', 'tag', 'charm', 'keyring', 'badge', 'flag', 'banner'],
  ].join('|')})\\b`,
  'i',
);

/** What a base product is drawn as: by its outline, or else by the words of its title. */
export function garmentKindOf({ outline, title }: Pick<BaseProductEntry, 'outline' | 'title'>): GarmentKind {
  if (outline !== undefined) return outline;
  if (OTHERS.test(title)) return 'panel';
  return KINDS.find(([words]) => words.test(title))?.[1] ?? 'panel';
}

/** As `garmentKindOf`, for a picture of a print area: a panel where the garment does not show it. */
export function shownKindOf(entry: Pick<BaseProductEntry, 'outline' | 'title'>, printArea: string): GarmentKind {
  const kind = garmentKindOf(entry);
  return kind === 'panel' || outlinedSpotOf(kind, printArea) === undefined ? 'panel' : kind;
}

const spot = (view: GarmentView, left: number, top: number, width: number, height: number): GarmentSpot => ({
  view,
  left,
  top,
  width,
  height,
});

/** A sleeve of the picture lies at the wearer's side: the left one is seen at the right. */
const SPOTS: Readonly<Record<OutlinedKind, Readonly<Record<string, GarmentSpot>>>> = {
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

/** Where an area lies on the picture of an outlined garment; undefined for one that it does not show. */
export function outlinedSpotOf(kind: OutlinedKind, printArea: string): GarmentSpot | undefined {
  return Object.hasOwn(SPOTS[kind], printArea) ? SPOTS[kind][printArea] : undefined;
}

/** As `outlinedSpotOf`, for panels as well, on which an area of any proportions has its place. */
export function garmentSpotOf(kind: GarmentKind, printArea: string, area: Size): GarmentSpot | undefined {
  return kind === 'panel' ? panelSpot(printArea, area) : outlinedSpotOf(kind, printArea);
}

/** The room of a print area on a panel, around its middle; below that there is room for the title. */
const PANEL_ROOM = { middle: 450, width: 600, height: 640 } as const;
/** A strip is shown as one that can still be seen. */
const PANEL_SIDE_MIN = 24;

/** Where an area of these proportions lies on a panel: in the middle, in its own shape. */
export function panelSpot(printArea: string, { widthPx, heightPx }: Size): GarmentSpot {
  const scale = Math.min(PANEL_ROOM.width / widthPx, PANEL_ROOM.height / heightPx);
  const [width, height] = [widthPx, heightPx].map((side) => Math.max(PANEL_SIDE_MIN, side * scale)) as [number, number];
  const view = /(^|_)back(_|$)/.test(printArea) ? 'back' : 'front';
  return spot(view, 500 - width / 2, PANEL_ROOM.middle - height / 2, width, height);
}

/** A length of the area's plane in thousandths of the picture, and where the area begins on it. */
export type FittedSpot = { readonly left: number; readonly top: number; readonly scale: number };

/** Where an area of this shape lies in a spot: fitted inside, in the middle, against the upper edge. */
export function fittedSpot(spot: GarmentSpot, area: { readonly width: number; readonly height: number }): FittedSpot {
  const scale = Math.min(spot.width / area.width, spot.height / area.height);
  return { left: spot.left + (spot.width - area.width * scale) / 2, top: spot.top, scale };
}
