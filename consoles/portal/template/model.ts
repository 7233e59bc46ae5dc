import type { Operations } from '../../shared/api/portal-operations.ts';
import type { Box } from '../../shared/canvas/geometry.ts';

export type Template = Operations['getTemplate']['reply'];
/** What is designed. */
export type Draft = Template['template'];
export type Layer = Draft['layers'][number];
export type LayerOf<Type extends Layer['type']> = Extract<Layer, { type: Type }>;
export type Area = Template['areas'][number];

export const LAYER_LABELS: Readonly<Record<Layer['type'], string>> = {
  text: 'Text',
  image: 'Image',
  photo_collage: 'Collage',
  image_select: 'Choice',
};

/** How many millimetres a pixel of an area is. */
function mmPerPxOf(area: Area): number {
  return area.width_mm / area.width_px;
}

/** Pixels of an area in millimetres, to a hundredth. */
export function mmOf(px: number, area: Area): number {
  return Math.round(px * mmPerPxOf(area) * 100) / 100;
}

/** Millimetres in pixels of an area. */
export function pxOf(mm: number, area: Area): number {
  return Math.round(mm / mmPerPxOf(area));
}

const MM_PER_POINT = 25.4 / 72;

/** Sizes of letters are known in points. */
export function pointsOf(px: number, area: Area): number {
  return Math.round(((px * mmPerPxOf(area)) / MM_PER_POINT) * 10) / 10;
}

/** Points in pixels of an area. */
export function pxOfPoints(points: number, area: Area): number {
  return Math.round((points * MM_PER_POINT) / mmPerPxOf(area));
}

/** Where a layer lies on the plane. */
export function boxOf({ box: { x_px: x, y_px: y, width_px: width, height_px: height } }: Layer, area: Area): Box {
  const mm = mmPerPxOf(area);
  return { x: (x + width / 2) * mm, y: (y + height / 2) * mm, widthMm: width * mm, heightMm: height * mm, degrees: 0 };
}

/** The box of a layer from where it was put on the plane: in whole pixels, and inside of its area. */
export function layerBoxOf({ x, y, widthMm, heightMm }: Box, area: Area): Layer['box'] {
  return insideOf(
    {
      x_px: pxOf(x - widthMm / 2, area),
      y_px: pxOf(y - heightMm / 2, area),
      width_px: pxOf(widthMm, area),
      height_px: pxOf(heightMm, area),
    },
    area,
  );
}

/** A box that is moved into its area, and made smaller where it is larger than that. */
export function insideOf(box: Layer['box'], area: Area): Layer['box'] {
  const width = Math.min(Math.max(box.width_px, 1), area.width_px);
  const height = Math.min(Math.max(box.height_px, 1), area.height_px);
  return {
    x_px: Math.min(Math.max(box.x_px, 0), area.width_px - width),
    y_px: Math.min(Math.max(box.y_px, 0), area.height_px - height),
    width_px: width,
    height_px: height,
  };
}

/** The layers of an area, from top to bottom. */
export function layersOf({ layers }: Draft, printArea: string): readonly Layer[] {
  return layers.filter((layer) => layer.print_area === printArea).toSorted((a, b) => b.z_order - a.z_order);
}

/** The draft with a layer changed. */
export function withLayer(draft: Draft, id: string, change: (layer: Layer) => Layer): Draft {
  return { ...draft, layers: draft.layers.map((layer) => (layer.id === id ? change(layer) : layer)) };
}

/** The draft without a layer. */
export function withoutLayer(draft: Draft, id: string): Draft {
  return { ...draft, layers: draft.layers.filter((layer) => layer.id !== id) };
}

/** The draft with a layer moved to a place among those of its area, 0 on top. */
export function withOrder(draft: Draft, id: string, place: number): Draft {
  const moved = draft.layers.find((layer) => layer.id === id);
  if (moved === undefined) return draft;
  const others = layersOf(draft, moved.print_area).filter((layer) => layer.id !== id);
  const order = others.toSpliced(Math.min(Math.max(place, 0), others.length), 0, moved);
  const depths = new Map(order.map((layer, index) => [layer.id, order.length - index]));
  return {
    ...draft,
    layers: draft.layers.map((layer) => ({ ...layer, z_order: depths.get(layer.id) ?? layer.z_order })),
  };
}

/** The draft with a new layer on top of an area, and its key. */
export function withNewLayer(draft: Draft, type: Layer['type'], area: Area): { draft: Draft; id: string } {
  const id = freeKey(draft, { text: 'text', image: 'picture', photo_collage: 'photos', image_select: 'motif' }[type]);
  return { draft: { ...draft, layers: [...draft.layers, newLayer(type, id, draft, area)] }, id };
}

/** The draft with a copy of a layer a little below it, on top. */
export function withCopy(draft: Draft, id: string, area: Area): { draft: Draft; id: string } {
  const layer = draft.layers.find((one) => one.id === id);
  if (layer === undefined) return { draft, id };
  const copyId = freeKey(draft, layer.id.replace(/_\d+$/, ''));
  const by = pxOf(3, area);
  const box = insideOf({ ...layer.box, x_px: layer.box.x_px + by, y_px: layer.box.y_px + by }, area);
  const copy = { ...layer, id: copyId, name: `${layer.name} (copy)`.slice(0, 200), box, z_order: topOf(draft, area) };
  return { draft: { ...draft, layers: [...draft.layers, copy] }, id: copyId };
}

/** A key that no layer and no option of a list has: the word itself, or with a number. */
export function freeKey({ layers }: { readonly layers: readonly { readonly id: string }[] }, word: string): string {
  const taken = new Set(layers.map(({ id }) => id));
  const stem = word.slice(0, 30);
  for (let number = 1; ; number += 1) {
    const key = number === 1 ? stem : `${stem}_${number}`;
    if (!taken.has(key)) return key;
  }
}

function topOf(draft: Draft, { print_area: printArea }: Area): number {
  return Math.max(0, ...layersOf(draft, printArea).map(({ z_order: depth }) => depth)) + 1;
}

/** Two thirds of the area wide, in its middle. */
function newLayer(type: Layer['type'], id: string, draft: Draft, area: Area): Layer {
  const width = Math.round((area.width_px * 2) / 3);
  const height = Math.round(type === 'text' ? area.height_px / 4 : Math.min((area.height_px * 2) / 3, width));
  const box = {
    x_px: Math.round((area.width_px - width) / 2),
    y_px: Math.round((area.height_px - height) / 2),
    width_px: width,
    height_px: height,
  };
  const common = { id, required: type === 'text', print_area: area.print_area, z_order: topOf(draft, area), box };
  if (type === 'image') return { ...common, type, name: 'Your picture', fit: 'cover' };
  if (type === 'image_select') return { ...common, type, name: 'Your motif', options: [] };
  if (type === 'photo_collage') {
    const grid = { columns: 2, rows: 2, gap_px: pxOf(2, area) };
    return { ...common, type, name: 'Your photos', grid, pictures_max: 4 };
  }
  const max = Math.max(2, Math.floor(height / 1.7));
  return {
    ...common,
    type,
    name: 'Your text',
    length_max: 24,
    align: 'centre',
    size_px: { min: Math.max(1, Math.round(max / 4)), max },
    font: { default: 'Noto Sans' },
    color: { default: '#1b2a41' },
  };
}

/** Whether two drafts say the same, whatever the order of their members. */
export function isSameDraft(one: Draft, other: Draft): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** What a problem of a draft is about, in words: the name of the layer that its path is in, and the member of it. */
export function placeOf(path: string, { layers }: Draft): string {
  const [, index, member = ''] = /^template\.layers\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
  const layer = index === undefined ? undefined : layers[Number(index)];
  if (layer === undefined) return path === 'template.layers' ? 'Layers: ' : '';
  return `${layer.name === '' ? layer.id : layer.name}, ${member.replaceAll('_', ' ')}: `;
}

/** Texts to try a layer with: as long as it allows, of words, and of the widest letter. */
export function longestText(words: string, lengthMax: number): string {
  const text = Array.from({ length: Math.ceil(lengthMax / Array.from(words).length) + 1 }, () => words).join(' ');
  return Array.from(text).slice(0, lengthMax).join('').trim();
}

/** Words of each script that many shops meet, to see how a layer has them. */
export const SAMPLES: readonly { readonly script: string; readonly words: string }[] = [
  { script: 'Latin', words: 'Alexandra Wetherby' },
  { script: 'Cyrillic', words: 'Александра Волкова' },
  { script: 'Greek', words: 'Αλεξάνδρα Παπαδοπούλου' },
  { script: 'Hebrew', words: 'אלכסנדרה לוי' },
  { script: 'Arabic', words: 'ألكسندرا الحسن' },
  { script: 'Devanagari', words: 'अलेक्ज़ेंड्रा शर्मा' },
  { script: 'Bengali', words: 'আলেকজান্দ্রা সেন' },
  { script: 'Tamil', words: 'அலெக்சாண்ட்ரா குமார்' },
  { script: 'Thai', words: 'อเล็กซานดรา สุขใจ' },
  { script: 'Georgian', words: 'ალექსანდრა ბერიძე' },
  { script: 'Han', words: '山田花子' },
];

/** Letters of a script that no font here has: what a buyer is told then. */
export const WITHOUT_FONT = '𒀀𒀁𒀂';
