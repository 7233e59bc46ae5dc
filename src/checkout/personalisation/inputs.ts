import type { PictureDrawing, TextDrawing } from '../../artwork/drawing.ts';
import { absentFontMessage, isFontFamily } from '../../artwork/fonts/families.ts';
import type { Rectangle } from '../../artwork/place.ts';
import type { BaseProduct } from '../../catalogue/reference.ts';
import type { Problem } from '../../lib/errors.ts';
import { URL_LENGTH_MAX } from '../../lib/outbound/addresses.ts';
import type { PersonalisationLayer, PersonalisationTemplate } from '../../products/personalisation-template.ts';
import { collagePictures } from './collage.ts';
import { lengthProblem, readText } from './text.ts';

/** One thing to draw, with the input that it comes from. Its picture may not have been fetched yet. */
export type BasketDrawing = BasketText | BasketPicture;

export type BasketText = { readonly kind: 'text'; readonly path: string; readonly drawing: TextDrawing };

export type BasketPicture = {
  readonly kind: 'picture';
  readonly path: string;
  readonly drawing: Omit<PictureDrawing, 'designHash'>;
  readonly source:
    | { readonly kind: 'stored'; readonly hash: string }
    | { readonly kind: 'supplied'; readonly url: string };
};

/** What the inputs draw on each print area that they use, in drawing order: the lowest layer first. */
export type ReadInputs = {
  readonly areas: readonly {
    readonly printArea: string;
    readonly method: string;
    readonly drawings: readonly BasketDrawing[];
  }[];
  readonly problems: readonly Problem[];
};

/** `null` or an absent key leaves a layer empty. */
export type Inputs = Readonly<Record<string, string | null>>;

/**
 * Reads the inputs of a personalised line against its product's template (spec 4.2).
 * An input is a value for a layer, or `#font` and `#color` where the layer offers a choice. Finds every problem, with
 * its path below `path`; if there are any, do not use the areas. Fetches nothing and does not measure text.
 */
export function readInputs(template: PersonalisationTemplate, inputs: Inputs, path: string): ReadInputs {
  const given = new Map(Object.entries(inputs));
  const problems = keyProblems(template, given, path);
  const drawings = new Map<string, BasketDrawing[]>();
  for (const layer of template.layers.toSorted((a, b) => a.z_order - b.z_order)) {
    const read = readLayer(layer, given, `${path}.${layer.id}`);
    problems.push(...read.problems);
    drawings.set(layer.print_area, [...(drawings.get(layer.print_area) ?? []), ...read.drawings]);
  }
  const areas = template.areas
    .map(({ print_area, method }) => ({ printArea: print_area, method, drawings: drawings.get(print_area) ?? [] }))
    .filter((area) => area.drawings.length > 0);
  return { areas, problems };
}

/**
 * Finds out whether a later catalogue has made a template unprintable.
 * A template was checked against its base product when it was made. `path` is the line's `decoration`.
 */
export function outdatedProblems(template: PersonalisationTemplate, base: BaseProduct, path: string): Problem[] {
  const isPrintable = template.areas.every(({ print_area, method }) => {
    const area = base.areas.get(print_area);
    const boxes = template.layers.filter((layer) => layer.print_area === print_area).map(({ box }) => box);
    return (
      area?.methods.includes(method) === true &&
      boxes.every((box) => box.x_px + box.width_px <= area.width_px && box.y_px + box.height_px <= area.height_px)
    );
  });
  if (isPrintable) return [];
  const message = 'The print areas of this product have changed since it was personalised: set its template up again.';
  return [{ path, code: 'template_outdated', message }];
}

type Given = ReadonlyMap<string, string | null>;
type ReadLayer = { readonly drawings: readonly BasketDrawing[]; readonly problems: readonly Problem[] };

const EMPTY: ReadLayer = { drawings: [], problems: [] };
/** How many characters of a caller's key a path or a message repeats. */
const KEY_LENGTH_SHOWN = 100;

/** Finds keys that are no layer, and overrides that do not exist or that the layer does not allow. */
function keyProblems(template: PersonalisationTemplate, given: Given, path: string): Problem[] {
  const layers = new Map(template.layers.map((layer) => [layer.id, layer]));
  const valid = template.layers.flatMap((layer) => [
    layer.id,
    ...overridesOf(layer).map((name) => `${layer.id}#${name}`),
  ]);
  const known = new Set(valid);
  return [...given.keys()].flatMap((key): Problem[] => {
    if (known.has(key)) return [];
    const shown = key.slice(0, KEY_LENGTH_SHOWN);
    const [id = '', ...names] = key.split('#');
    const layer = layers.get(id);
    if (layer === undefined) {
      const message = `This product has no layer ${JSON.stringify(id.slice(0, KEY_LENGTH_SHOWN))}. Layer ids are compared exactly.`;
      return [{ path: `${path}.${shown}`, code: 'unknown_layer', message, valid_values: valid }];
    }
    const allowed = overridesOf(layer).map((name) => `${id}#${name}`);
    const isOverride = names.length === 1 && OVERRIDES.some((name) => name === names[0]);
    const message = isOverride
      ? `The layer ${id} does not let its ${names[0]} be chosen.`
      : `Besides ${id} itself there are ${OVERRIDES.map((name) => `${id}#${name}`).join(' and ')}, where the layer allows them.`;
    return [
      {
        path: `${path}.${shown}`,
        code: isOverride ? 'override_not_allowed' : 'unknown_override',
        message,
        valid_values: [id, ...allowed],
      },
    ];
  });
}

const OVERRIDES = ['font', 'color'] as const;

function overridesOf(layer: PersonalisationLayer): readonly (typeof OVERRIDES)[number][] {
  return layer.type === 'text' ? OVERRIDES.filter((name) => layer[name].choices !== undefined) : [];
}

function readLayer(layer: PersonalisationLayer, given: Given, path: string): ReadLayer {
  const value = given.get(layer.id) ?? null;
  const read = value === null ? EMPTY : readValue(layer, value, given, path);
  const isEmpty = read.drawings.length === 0 && read.problems.length === 0;
  if (!isEmpty || !layer.required) return read;
  const message = `The layer ${layer.id} (${layer.name}) is required.`;
  return { drawings: [], problems: [{ path, code: 'required', message }] };
}

function readValue(layer: PersonalisationLayer, value: string, given: Given, path: string): ReadLayer {
  if (layer.type === 'text') return readTextLayer(layer, value, given, path);
  if (layer.type === 'image') return readImage(layer, value, path);
  if (layer.type === 'photo_collage') return readCollage(layer, value, path);
  return readChoice(layer, value, path);
}

type Layer<Type extends PersonalisationLayer['type']> = PersonalisationLayer & { readonly type: Type };

/** Checks the overrides even if there is no text for them. */
function readTextLayer(layer: Layer<'text'>, value: string, given: Given, path: string): ReadLayer {
  const font = given.get(`${layer.id}#font`) ?? layer.font.default;
  const color = (given.get(`${layer.id}#color`) ?? layer.color.default).toLowerCase();
  const { text, problems: wrong } = readText(value, layer.length_max, path);
  const problems = [...wrong, ...fontProblems(layer, font, path), ...colorProblems(layer, color, path)];
  if (problems.length > 0 || text === '') return { drawings: [], problems };
  const { min, max } = layer.size_px;
  const drawing: TextDrawing = {
    kind: 'text',
    box: rectangleOf(layer),
    text,
    font,
    color,
    align: layer.align,
    sizePx: { min, max },
  };
  return { drawings: [{ kind: 'text', path, drawing }], problems };
}

function fontProblems({ font: { default: fallback, choices } }: Layer<'text'>, font: string, path: string): Problem[] {
  if (font === fallback || choices === undefined || choices.includes(font)) return absentFontProblems(font, path);
  const message = `This font is not among the choices of the layer: ${choices.join(', ')}.`;
  return [{ path: `${path}#font`, code: 'unknown_font', message, valid_values: choices }];
}

/** A stored template may name a family whose package is no longer installed. */
function absentFontProblems(font: string, path: string): Problem[] {
  return isFontFamily(font) ? [] : [{ path, code: 'unknown_font', message: absentFontMessage(font) }];
}

function colorProblems(
  { color: { default: fallback, choices } }: Layer<'text'>,
  color: string,
  path: string,
): Problem[] {
  if (color === fallback || choices === undefined) return [];
  if (!/^#[0-9a-f]{6}$/.test(color)) {
    const message = 'must be a colour of six hexadecimal digits, such as #20402f.';
    return [{ path: `${path}#color`, code: 'pattern', message }];
  }
  if (choices === 'any' || choices.includes(color)) return [];
  const message = `${color} is not among the colours of the layer: ${choices.join(', ')}.`;
  return [{ path: `${path}#color`, code: 'unknown_color', message, valid_values: choices }];
}

function readImage(layer: Layer<'image'>, url: string, path: string): ReadLayer {
  const problems = lengthProblem(url, { min: 1, max: URL_LENGTH_MAX }, path);
  if (problems.length > 0) return { drawings: [], problems };
  const drawing = { kind: 'picture' as const, box: rectangleOf(layer), fit: layer.fit };
  return { drawings: [{ kind: 'picture', path, drawing, source: { kind: 'supplied', url } }], problems };
}

function readCollage(layer: Layer<'photo_collage'>, value: string, path: string): ReadLayer {
  const { urls, problems } = collagePictures(value, layer.pictures_max, path);
  const cells = cellsOf(layer);
  const wrong = [
    ...problems,
    ...urls.flatMap((url, index) => lengthProblem(url, { min: 1, max: URL_LENGTH_MAX }, `${path}[${index}]`)),
  ];
  if (wrong.length > 0) return { drawings: [], problems: wrong };
  const drawings = urls.map((url, index): BasketPicture => {
    const box = cells[index];
    if (box === undefined) throw new Error('a template allows more pictures than its grid has cells');
    return {
      kind: 'picture',
      path: `${path}[${index}]`,
      drawing: { kind: 'picture', box, fit: 'cover' },
      source: { kind: 'supplied', url },
    };
  });
  return { drawings, problems: [] };
}

/**
 * Divides the box of a collage into equal cells of whole pixels, row by row.
 * The remainder is a margin around the grid.
 */
export function cellsOf({ box, grid: { columns, rows, gap_px } }: Layer<'photo_collage'>): Rectangle[] {
  const width = Math.floor((box.width_px - (columns - 1) * gap_px) / columns);
  const height = Math.floor((box.height_px - (rows - 1) * gap_px) / rows);
  const left = box.x_px + Math.floor((box.width_px - columns * width - (columns - 1) * gap_px) / 2);
  const top = box.y_px + Math.floor((box.height_px - rows * height - (rows - 1) * gap_px) / 2);
  return Array.from({ length: columns * rows }, (_, index) => ({
    left: left + (index % columns) * (width + gap_px),
    top: top + Math.floor(index / columns) * (height + gap_px),
    width,
    height,
  }));
}

function readChoice(layer: Layer<'image_select'>, value: string, path: string): ReadLayer {
  const option = layer.options.find(({ id }) => id === value);
  if (option === undefined) {
    const ids = layer.options.map(({ id }) => id);
    const message = `must be the id of an option of this layer: ${ids.join(', ')}.`;
    return { drawings: [], problems: [{ path, code: 'unknown_option', message, valid_values: ids }] };
  }
  const drawing = { kind: 'picture' as const, box: rectangleOf(layer), fit: 'contain' as const };
  return {
    drawings: [{ kind: 'picture', path, drawing, source: { kind: 'stored', hash: option.design } }],
    problems: [],
  };
}

/** The box of a layer, as it is drawn in. */
export function rectangleOf({ box }: PersonalisationLayer): Rectangle {
  return { left: box.x_px, top: box.y_px, width: box.width_px, height: box.height_px };
}
