import type { Drawing, PictureDrawing, TextDrawing } from '../../artwork/drawing.ts';
import type { Rectangle } from '../../artwork/place.ts';
import type { PersonalisationLayer, PersonalisationTemplate } from '../../products/personalisation-template.ts';
import { cellsOf, rectangleOf } from '../personalisation/inputs.ts';

/** What was printed on an area of a personalised piece, from bottom to top. */
export type PrintedArea = { readonly printArea: string; readonly drawings: readonly Drawing[] };

/** The inputs that would print the same again. */
export type InputsAgain = {
  readonly inputs: Readonly<Record<string, string>>;
  /** Names of layers with a picture that is not kept any more. */
  readonly lostPictures: readonly string[];
  /** Texts, and how many pictures, for which the template has no place any more. */
  readonly unplaced: { readonly texts: readonly string[]; readonly pictures: number };
};

/**
 * Finds the inputs of a piece in what was drawn for it.
 * An order keeps its drawings, and not what was sent. A drawing belongs to the layer with its box. Where the template
 * has been moved about since, the drawings of a kind are given to the layers that are left of that kind if there are as
 * many. `addressOf` is the address of a picture by its hash; undefined when its bytes are gone.
 */
export function inputsAgain(
  template: PersonalisationTemplate,
  printed: readonly PrintedArea[],
  addressOf: (designHash: string) => string | undefined,
): InputsAgain {
  const inputs: Record<string, string> = {};
  const lostPictures: string[] = [];
  const texts: string[] = [];
  let pictures = 0;
  const put = (layer: PersonalisationLayer, drawings: readonly Drawing[]): void => {
    const read = inputOf(layer, drawings, addressOf);
    if (read.isLost) lostPictures.push(layer.name);
    Object.assign(inputs, read.inputs);
  };
  for (const { printArea, drawings } of printed) {
    const layers = template.layers
      .filter(({ print_area: area }) => area === printArea)
      .toSorted((one, other) => one.z_order - other.z_order);
    const left = new Set(drawings);
    const unfilled = layers.filter((layer) => {
      const own = drawings.filter((drawing) => left.has(drawing) && isOf(layer, drawing));
      const first = layer.type === 'photo_collage' ? own : own.slice(0, 1);
      for (const drawing of first) left.delete(drawing);
      if (first.length > 0) put(layer, first);
      return first.length === 0;
    });
    for (const kind of ['text', 'picture'] as const) {
      const rest = [...left].filter((drawing) => drawing.kind === kind);
      const free = unfilled.filter((layer) => takes(layer, rest[0]));
      if (rest.length > 0 && rest.length === free.length) {
        for (const [index, layer] of free.entries()) put(layer, rest.slice(index, index + 1));
      } else {
        texts.push(...rest.flatMap((drawing) => (drawing.kind === 'text' ? [drawing.text] : [])));
        pictures += rest.filter((drawing) => drawing.kind === 'picture').length;
      }
    }
  }
  return { inputs, lostPictures, unplaced: { texts, pictures } };
}

function isOf(layer: PersonalisationLayer, drawing: Drawing): boolean {
  if (layer.type === 'text') return drawing.kind === 'text' && isSame(rectangleOf(layer), drawing.box);
  if (drawing.kind === 'text') return false;
  if (layer.type === 'photo_collage') return cellsOf(layer).some((cell) => isSame(cell, drawing.box));
  if (!isSame(rectangleOf(layer), drawing.box)) return false;
  return layer.type === 'image' || layer.options.some(({ design }) => design === drawing.designHash);
}

/** Whether a layer can have a drawing of another box: a collage and a choice are known by more. */
function takes(layer: PersonalisationLayer, drawing: Drawing | undefined): boolean {
  return layer.type === (drawing?.kind === 'text' ? 'text' : 'image');
}

function isSame(one: Rectangle, other: Rectangle): boolean {
  return one.left === other.left && one.top === other.top && one.width === other.width && one.height === other.height;
}

type Read = { readonly inputs: Readonly<Record<string, string>>; readonly isLost: boolean };

function inputOf(
  layer: PersonalisationLayer,
  drawings: readonly Drawing[],
  addressOf: (designHash: string) => string | undefined,
): Read {
  const [first] = drawings;
  if (layer.type === 'text') {
    return { inputs: first?.kind === 'text' ? textInputs(layer, first) : {}, isLost: false };
  }
  const pictures = drawings.filter((drawing): drawing is PictureDrawing => drawing.kind === 'picture');
  if (layer.type === 'image_select') {
    const option = layer.options.find(({ design }) => design === pictures[0]?.designHash);
    return { inputs: option === undefined ? {} : { [layer.id]: option.id }, isLost: false };
  }
  const kept = pictures.flatMap(({ designHash }) => addressOf(designHash) ?? []);
  const isLost = kept.length < pictures.length;
  if (kept.length === 0) return { inputs: {}, isLost };
  return { inputs: { [layer.id]: layer.type === 'image' ? (kept[0] ?? '') : JSON.stringify(kept) }, isLost };
}

/** A font and a colour that the layer presets are left out, as a buyer leaves them. */
function textInputs(
  layer: PersonalisationLayer & { type: 'text' },
  { text, font, color }: TextDrawing,
): Read['inputs'] {
  return {
    [layer.id]: text,
    ...(font === layer.font.default ? {} : { [`${layer.id}#font`]: font }),
    ...(color === layer.color.default ? {} : { [`${layer.id}#color`]: color }),
  };
}
