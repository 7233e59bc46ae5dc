import { absentFontMessage, fontFamilies, isFontFamily } from '../artwork/fonts/families.ts';
import { type BaseProductEntry, Code } from '../catalogue/document.ts';
import type { Problem } from '../lib/errors.ts';
import { LINE_HEIGHT } from '../lib/text/layout.ts';
import { type Static, type TSchema, Type } from '../lib/typebox.ts';
import { checkShape, repeatProblems, type Shaped } from '../lib/validation/validate.ts';

/** Longest text of a layer, in Unicode code points; a template may set less. */
const TEXT_LENGTH_MAX = 500;
const LAYERS_MAX = 50;
const PICTURES_MAX = 40;
/** In all layers of one print area together: each is decoded for every print file. */
const PICTURES_OF_AREA_MAX = 100;
const OPTIONS_MAX = 200;
const FONTS_MAX = 50;
const COLOURS_MAX = 100;
/**
 * Of the JSON of a template that customers author.
 * A list has a hundred templates, and an order of a thousand lines may
 * name as many: at 900,000 bytes each, 400 lines took 11 seconds and a gigabyte to estimate.
 */
const TEMPLATE_BYTES_MAX = 65_536;

/**
 * The bytes of templates that one basket holds at once.
 * They are those of 128 products of the largest, as the database writes them: a basket may name a thousand products.
 */
export const TEMPLATES_BYTES_MAX = 10_485_760;

const closed = { additionalProperties: false } as const;
const NamePattern = '^[^\\u0000-\\u001f\\u007f]*$';
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: NamePattern });
const Pixels = Type.Integer({ minimum: 0, maximum: 12_000 });
const SizePx = Type.Integer({ minimum: 1, maximum: 12_000 });
const Hex = Type.String({ pattern: '^#[0-9a-f]{6}$' });

/** Part of an input's key. It holds no `#`, which begins an override, `<layerId>#font` (spec 4.2). */
const LayerId = Type.String({ pattern: '^[a-z][a-z0-9_]{0,39}$' });

/**
 * The schemas of the layers, by type. Of a draft, names may be empty and options may lack.
 * A box is in pixels of the print area's template; of two layers the one with the higher `z_order` lies above.
 */
function layerSchemas(least: 0 | 1) {
  const LayerName = Type.String({ minLength: least, maxLength: 200, pattern: NamePattern });
  const common = {
    id: LayerId,
    name: LayerName,
    required: Type.Boolean({ description: 'False: null, or no input, leaves the layer empty.' }),
    print_area: Code,
    z_order: Type.Integer({ minimum: 0, maximum: 1_000 }),
    box: Type.Object({ x_px: Pixels, y_px: Pixels, width_px: SizePx, height_px: SizePx }, closed),
  };

  const TextLayer = Type.Object(
    {
      ...common,
      type: Type.Literal('text'),
      length_max: Type.Integer({ minimum: 1, maximum: TEXT_LENGTH_MAX, description: 'Unicode code points.' }),
      align: Type.Enum(['left', 'centre', 'right']),
      size_px: Type.Object(
        { min: SizePx, max: SizePx },
        {
          ...closed,
          description:
            'Size of the letters: the largest at which the text fits its box; a line takes 1.2 times as much, in Thai and ' +
            'other scripts with high marks 1.4 times, in Burmese, Khmer and others that stack letters 1.6 times.',
        },
      ),
      font: Type.Object(
        { default: Name, choices: Type.Optional(Type.Array(Name, { minItems: 1, maxItems: FONTS_MAX })) },
        { ...closed, description: 'Font families; without choices `#font` is not allowed.' },
      ),
      color: Type.Object(
        {
          default: Hex,
          choices: Type.Optional(
            Type.Union([Type.Literal('any'), Type.Array(Hex, { minItems: 1, maxItems: COLOURS_MAX })]),
          ),
        },
        { ...closed, description: 'Without choices `#color` is not allowed.' },
      ),
    },
    closed,
  );

  const ImageLayer = Type.Object(
    { ...common, type: Type.Literal('image'), fit: Type.Enum(['contain', 'cover']) },
    closed,
  );

  const PhotoCollageLayer = Type.Object(
    {
      ...common,
      type: Type.Literal('photo_collage'),
      grid: Type.Object(
        {
          columns: Type.Integer({ minimum: 1, maximum: PICTURES_MAX }),
          rows: Type.Integer({ minimum: 1, maximum: PICTURES_MAX }),
          gap_px: Pixels,
        },
        { ...closed, description: 'Cells of equal size, filled row by row; each picture covers its cell.' },
      ),
      pictures_max: Type.Integer({ minimum: 1, maximum: PICTURES_MAX }),
    },
    closed,
  );

  const ImageSelectLayer = Type.Object(
    {
      ...common,
      type: Type.Literal('image_select'),
      options: Type.Array(
        Type.Object(
          {
            id: LayerId,
            name: LayerName,
            design: Type.String({
              pattern: '^[a-z0-9][a-z0-9_]{0,63}$',
              description: 'The stored design, by its key.',
            }),
          },
          closed,
        ),
        { minItems: least, maxItems: OPTIONS_MAX },
      ),
    },
    closed,
  );

  return { text: TextLayer, image: ImageLayer, photo_collage: PhotoCollageLayer, image_select: ImageSelectLayer };
}

const LAYER_SCHEMAS = layerSchemas(1) satisfies Record<string, TSchema>;
const DRAFT_LAYER_SCHEMAS = layerSchemas(0);

type LayerType = keyof typeof LAYER_SCHEMAS;
const LAYER_TYPES: readonly LayerType[] = ['text', 'image', 'photo_collage', 'image_select'];

const unionOf = ({ text, image, photo_collage, image_select }: ReturnType<typeof layerSchemas>) =>
  Type.Union([text, image, photo_collage, image_select]);
const Layer = unionOf(LAYER_SCHEMAS);

const areasSchema = (least: 0 | 1) =>
  Type.Array(Type.Object({ print_area: Code, method: Code }, closed), { minItems: least, maxItems: 10 });
const Areas = areasSchema(1);

/**
 * The layers that a buyer can fill in, and where each input is printed.
 * Positions, sizes and fonts come from here, never from the order (spec 4.2; decisions, "Personalised products").
 */
export const PersonalisationTemplate = Type.Object(
  { areas: Areas, layers: Type.Array(Layer, { minItems: 1, maxItems: LAYERS_MAX }) },
  closed,
);
export type PersonalisationTemplate = Static<typeof PersonalisationTemplate>;
export type PersonalisationLayer = Static<typeof Layer>;
type Layered<Type extends LayerType> = PersonalisationLayer & { readonly type: Type };

/** A template that is being designed: it may lack what publishing asks for, and is bounded like one. */
export const DraftTemplate = Type.Object(
  { areas: areasSchema(0), layers: Type.Array(unionOf(DRAFT_LAYER_SCHEMAS), { maxItems: LAYERS_MAX }) },
  { ...closed, title: 'PersonalisationTemplate' },
);

// Layers are checked one by one, each against the schema of its own type: a union would report the problems of all four
// types.
const outlineOf = (least: 0 | 1) =>
  Type.Object(
    { areas: areasSchema(least), layers: Type.Array(Type.Unknown(), { minItems: least, maxItems: LAYERS_MAX }) },
    closed,
  );
const Outline = outlineOf(1);
const DraftOutline = outlineOf(0);
const Typed = Type.Object({ type: Type.Enum([...LAYER_TYPES]) });

/**
 * Reads a template for a base product: its shape, then its meaning.
 * The meaning is that the product has its areas and methods, that boxes lie inside the area's template, that defaults
 * are among the choices, and that ids are used once. Reports every problem at once, with paths below `root`.
 */
export function readTemplate(
  value: unknown,
  printAreas: BaseProductEntry['print_areas'],
  root = '',
): Shaped<PersonalisationTemplate> {
  const at = root === '' ? '' : `${root}.`;
  const problems = shapeProblems(value, { outline: Outline, layers: LAYER_SCHEMAS }, root);
  if (problems.length > 0) return { kind: 'refused', problems };
  const template = checkShape(PersonalisationTemplate, value, root);
  if (template.kind === 'refused') return template;
  const meant = templateProblems(template.value, printAreas, at);
  return meant.length > 0 ? { kind: 'refused', problems: meant } : template;
}

/**
 * Reads a template that is being designed: its shape and its bounds alone.
 * What publishing would refuse is found by `readTemplate`. Reports every problem at once, with paths below `root`.
 */
export function readDraft(value: unknown, root: string): Shaped<PersonalisationTemplate> {
  const problems = shapeProblems(value, { outline: DraftOutline, layers: DRAFT_LAYER_SCHEMAS }, root);
  if (problems.length > 0) return { kind: 'refused', problems };
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= TEMPLATE_BYTES_MAX) return checkShape(DraftTemplate, value, root);
  const message = `The template has ${bytes} bytes as JSON, and may have at most ${TEMPLATE_BYTES_MAX}. Use fewer options, or shorter names.`;
  return { kind: 'refused', problems: [{ path: root, code: 'out_of_bounds', message }] };
}

/** The hashes of the pictures that a template's buyers choose from, each once. */
export function designsOf({ layers }: PersonalisationTemplate): readonly string[] {
  const designs = layers.flatMap((layer) => (layer.type === 'image_select' ? layer.options : []));
  return [...new Set(designs.map(({ design }) => design))];
}

type Shapes = { readonly outline: TSchema; readonly layers: Readonly<Record<LayerType, TSchema>> };

function shapeProblems(value: unknown, { outline, layers }: Shapes, root: string): readonly Problem[] {
  const at = root === '' ? '' : `${root}.`;
  return [
    ...problemsOf(checkShape(outline, value, root)),
    ...layersOf(value).flatMap((layer, index) => layerShapeProblems(layer, layers, `${at}layers[${index}]`)),
  ];
}

function layersOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !('layers' in value) || !Array.isArray(value.layers)) return [];
  return value.layers.slice(0, LAYERS_MAX);
}

function layerShapeProblems(layer: unknown, schemas: Shapes['layers'], path: string): readonly Problem[] {
  const typed = checkShape(Typed, layer, path);
  return typed.kind === 'refused' ? typed.problems : problemsOf(checkShape(schemas[typed.value.type], layer, path));
}

function problemsOf(shaped: Shaped<unknown>): readonly Problem[] {
  return shaped.kind === 'refused' ? shaped.problems : [];
}

function templateProblems(
  template: PersonalisationTemplate,
  printAreas: BaseProductEntry['print_areas'],
  at: string,
): Problem[] {
  const { areas, layers } = template;
  const depths = layers.map((layer) => `z_order ${layer.z_order} in ${layer.print_area}`);
  return [
    ...repeatProblems(
      areas.map(({ print_area }) => print_area),
      (index) => `${at}areas[${index}].print_area`,
    ),
    ...areas.flatMap((area, index) => areaProblems(area, printAreas, `${at}areas[${index}]`)),
    ...repeatProblems(
      layers.map(({ id }) => id),
      (index) => `${at}layers[${index}].id`,
    ),
    ...repeatProblems(depths, (index) => `${at}layers[${index}].z_order`),
    ...layers.flatMap((layer, index) => layerProblems(layer, template, printAreas, `${at}layers[${index}]`)),
    ...areas.flatMap(({ print_area }) => pictureCountProblems(layers, print_area, `${at}layers`)),
  ];
}

function pictureCountProblems(layers: readonly PersonalisationLayer[], printArea: string, path: string): Problem[] {
  const counts = layers
    .filter((layer) => layer.print_area === printArea && layer.type !== 'text')
    .map((layer) => (layer.type === 'photo_collage' ? layer.pictures_max : 1));
  const pictures = counts.reduce((sum, count) => sum + count, 0);
  if (pictures <= PICTURES_OF_AREA_MAX) return [];
  const message = `The layers of ${printArea} take ${pictures} pictures; at most ${PICTURES_OF_AREA_MAX} are printed on an area.`;
  return [{ path, code: 'out_of_bounds', message }];
}

function areaProblems(
  area: PersonalisationTemplate['areas'][number],
  printAreas: BaseProductEntry['print_areas'],
  path: string,
): Problem[] {
  const known = printAreas.find(({ print_area }) => print_area === area.print_area);
  if (known === undefined) {
    const names = printAreas.map(({ print_area }) => print_area);
    const message = `The base product has no print area ${area.print_area}.`;
    return [{ path: `${path}.print_area`, code: 'unknown_print_area', message, valid_values: names }];
  }
  if (known.methods.includes(area.method)) return [];
  const message = `${area.method} is not offered for ${area.print_area}.`;
  return [{ path: `${path}.method`, code: 'unknown_method', message, valid_values: known.methods }];
}

function layerProblems(
  layer: PersonalisationLayer,
  template: PersonalisationTemplate,
  printAreas: BaseProductEntry['print_areas'],
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  const names = template.areas.map(({ print_area }) => print_area);
  if (!names.includes(layer.print_area)) {
    const message = `${layer.print_area} is not among the areas of this template.`;
    problems.push({ path: `${path}.print_area`, code: 'unknown_print_area', message, valid_values: names });
  }
  const area = printAreas.find(({ print_area }) => print_area === layer.print_area);
  const { x_px, y_px, width_px, height_px } = layer.box;
  if (area !== undefined && (x_px + width_px > area.width_px || y_px + height_px > area.height_px)) {
    const message = `The box reaches beyond the ${area.width_px} × ${area.height_px} pixels of ${area.print_area}.`;
    problems.push({ path: `${path}.box`, code: 'box', message });
  }
  return [...problems, ...typeProblems(layer, path)];
}

function typeProblems(layer: PersonalisationLayer, path: string): Problem[] {
  if (layer.type === 'text') return textProblems(layer, path);
  if (layer.type === 'photo_collage') return collageProblems(layer, path);
  if (layer.type === 'image') return [];
  return repeatProblems(
    layer.options.map(({ id }) => id),
    (index) => `${path}.options[${index}].id`,
  );
}

function textProblems(layer: Layered<'text'>, path: string): Problem[] {
  const { font, color, size_px } = layer;
  const problems = fontProblems(font, `${path}.font`);
  if (Array.isArray(color.choices) && !color.choices.includes(color.default)) {
    const message = `The default colour ${color.default} is not among the choices.`;
    problems.push({ path: `${path}.color.default`, code: 'unknown_color', message, valid_values: color.choices });
  }
  if (size_px.min > size_px.max) {
    problems.push({ path: `${path}.size_px`, code: 'size_px', message: 'min must not be above max.' });
  }
  if (size_px.min * LINE_HEIGHT > layer.box.height_px) {
    const message = `A line takes ${LINE_HEIGHT} times its size, so even the smallest is higher than the box.`;
    problems.push({ path: `${path}.size_px.min`, code: 'size_px', message });
  }
  return problems;
}

/** Problems of a layer's fonts: unknown ones, and a default that is not among the choices. */
function fontProblems(font: Layered<'text'>['font'], path: string): Problem[] {
  const choices = font.choices ?? [];
  const unknown = choices.flatMap((name, index) =>
    isFontFamily(name) ? [] : [{ name, at: `${path}.choices[${index}]` }],
  );
  if (!isFontFamily(font.default)) unknown.unshift({ name: font.default, at: `${path}.default` });
  const problems = unknown.map(({ name, at }) => {
    return { path: at, code: 'unknown_font', message: absentFontMessage(name), valid_values: fontFamilies() };
  });
  if (font.choices === undefined || choices.includes(font.default) || !isFontFamily(font.default)) return problems;
  const message = `The default font ${font.default} is not among the choices.`;
  return [...problems, { path: `${path}.default`, code: 'unknown_font', message, valid_values: choices }];
}

function collageProblems(layer: Layered<'photo_collage'>, path: string): Problem[] {
  const { columns, rows, gap_px } = layer.grid;
  const problems: Problem[] = [];
  if (layer.pictures_max > columns * rows) {
    const message = `A grid of ${columns} × ${rows} holds no more than ${columns * rows} pictures.`;
    problems.push({ path: `${path}.pictures_max`, code: 'grid', message });
  }
  if ((columns - 1) * gap_px + columns > layer.box.width_px || (rows - 1) * gap_px + rows > layer.box.height_px) {
    problems.push({ path: `${path}.grid.gap_px`, code: 'grid', message: 'The gaps leave no room for pictures.' });
  }
  return problems;
}
