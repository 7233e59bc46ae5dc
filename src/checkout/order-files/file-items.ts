import type { CatalogueReference } from '../../catalogue/reference.ts';
import { quoted } from '../../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { indexedKey } from '../../lib/indexed-key.ts';
import { type EnteredProperty, enteredInputs, type InputLayer, unreadNames } from '../../products/entered-inputs.ts';
import type { NamedProduct } from '../../products/named-sql.ts';
import type { Columns, Field } from './columns.ts';
import { cellOf, type FileRow, listOf } from './file-row.ts';
import { readOptions } from './read-options.ts';

/** What a person has said of an item: a variant of a product, or nulls for what others make. */
export type SaidOfItem = { readonly product_id: Uuid | null; readonly variant_sku: string | null };

/** What the items of a file are found by. */
export type ItemsBy = {
  readonly headings: readonly string[];
  readonly products: readonly NamedProduct[];
  readonly catalogue: CatalogueReference;
  /** What people have said of items, by their keys. */
  readonly said: ReadonlyMap<string, SaidOfItem>;
  /** What is filled in of personalised products. */
  readonly layers: ReadonlyMap<Uuid, readonly InputLayer[]>;
};

/** An item as a file names it. */
export type NamedItem = {
  /** The SKU or else the title, with its options: the same from one file to the next. */
  readonly key: string;
  readonly title: string;
  readonly sku: string;
};

/** What an item of a row is. */
export type FoundItem =
  | { readonly kind: 'others' }
  | { readonly kind: 'found'; readonly product: NamedProduct; readonly sku: string }
  | { readonly kind: 'unclear'; readonly field: Field; readonly message: string };

/** Characters of a key: what is longer is no name. */
const KEY_MAX = 1_000;

/**
 * The item of a row, by which a person can say what it is.
 * None where the row names a product by its id.
 * The SKU of one of our blanks says nothing of the design, so that the title counts, too, where there is one. Pure.
 */
export function namedItem(
  row: FileRow,
  columns: Columns,
  { bySku }: Pick<CatalogueReference, 'bySku'>,
): NamedItem | undefined {
  const text = cellOf(row, columns, 'product');
  const sku = cellOf(row, columns, 'variant_sku');
  if ((text === '' && sku === '') || parseId('prod', text) !== undefined) return undefined;
  const { options } = optionsOf(row, columns);
  const behind = options.length === 0 ? '' : ` - ${options.join(' / ')}`;
  const isByTitle = sku === '' || (text !== '' && bySku.has(sku));
  const blank = isByTitle && sku !== '' ? ` - ${sku}` : '';
  const key = (isByTitle ? `title ${text}` : `sku ${sku}`) + behind + blank;
  if (key.length > KEY_MAX) return undefined;
  return { key: indexedKey(key), title: (text === '' ? sku : text) + behind, sku };
}

/**
 * What the item of a row is.
 * By the id of a product, by what a person has said of it, or else by its name or its variant. Pure.
 */
export function findItem(row: FileRow, columns: Columns, by: ItemsBy): FoundItem {
  const named = namedItem(row, columns, by.catalogue);
  const said = named && by.said.get(named.key);
  if (said?.product_id === null) return { kind: 'others' };
  if (said !== undefined) {
    const product = by.products.find(({ id }) => id === said.product_id);
    if (product !== undefined && said.variant_sku !== null && product.skus.includes(said.variant_sku)) {
      return { kind: 'found', product, sku: said.variant_sku };
    }
    return unclear('product', 'What it was said to be is archived, or has this variant no more. Say anew what it is.');
  }
  const found = productOf(row, columns, by.products);
  if (found.kind === 'unclear') return found;
  const { product } = found;
  const sku = cellOf(row, columns, 'variant_sku');
  const variant = product.skus.includes(sku) ? sku : (variantByOptions(row, columns, product, by.catalogue) ?? sku);
  if (variant === '') return unclear('variant_sku', `Give the variant. ${product.name} has ${listOf(product.skus)}.`);
  return { kind: 'found', product, sku: variant };
}

/** A line of a request, and what is wrong with it. */
export type FileLine = {
  readonly item: Readonly<Record<string, unknown>>;
  readonly problem?: { readonly field: Field | null; readonly message: string };
};

/** The line of a row; none for what others make. Pure. */
export function fileLine(row: FileRow, columns: Columns, by: ItemsBy): FileLine | undefined {
  const typed = cellOf(row, columns, 'quantity');
  const quantity = typed === '' ? undefined : /^\d{1,9}$/.test(typed) ? Number(typed) : typed;
  const found = findItem(row, columns, by);
  if (found.kind === 'others') return undefined;
  if (found.kind === 'unclear') return { item: { quantity }, problem: found };
  const { product, sku } = found;
  const item = { product_id: publicId('prod', product.id), variant_sku: sku, quantity };
  const layers = by.layers.get(product.id);
  if (layers === undefined) return { item: { ...item, ...printsOf(row, columns, product, by.catalogue) } };
  const { properties, entered } = optionsOf(row, columns);
  const inputs = enteredInputs([...ownColumns(row, columns, by.headings), ...properties], layers);
  const personalised = { ...item, decoration: { personalisation: { inputs } } };
  const [unread] = unreadNames(entered, layers);
  if (unread === undefined) return { item: personalised };
  const message = `What the buyer entered under ${quoted(unread)} belongs to no layer of ${product.name}, and one of its layers is empty. Call it as the layer is, in that cell or in a column of its own, or take it out. There are ${listOf(layers.map(({ name }) => name))}.`;
  return { item: personalised, problem: { field: 'options', message } };
}

/** The cells of columns that no field is read from, as what may have been entered for a layer. */
function ownColumns({ cells }: FileRow, columns: Columns, headings: readonly string[]): EnteredProperty[] {
  const taken = new Set(Object.values(columns));
  return headings.flatMap((name, at) => {
    const value = (cells[at] ?? '').trim();
    return taken.has(at) || value === '' ? [] : [{ name, value }];
  });
}

type Found = Extract<FoundItem, { kind: 'unclear' }> | { readonly kind: 'found'; readonly product: NamedProduct };

/** The product of a row: by its id, its name, the name before its options, or else by its variant. */
function productOf(row: FileRow, columns: Columns, products: readonly NamedProduct[]): Found {
  const text = cellOf(row, columns, 'product');
  const sku = cellOf(row, columns, 'variant_sku');
  const id = parseId('prod', text);
  const offering = products.filter(({ skus }) => sku !== '' && skus.includes(sku));
  const tries = [
    products.filter((product) => product.id === id),
    products.filter(({ name }) => text !== '' && name === text),
    products.filter(({ name }) => text !== '' && name === splitName(text).name),
    // A variant says nothing of the design: it stands for a product only where no other is named.
    text === '' ? offering : [],
  ];
  for (const some of tries) {
    const narrowed = some.length > 1 ? some.filter((product) => offering.includes(product)) : some;
    const [only] = narrowed.length === 1 ? narrowed : some;
    if (only === undefined) continue;
    if (some.length === 1 || narrowed.length === 1) return { kind: 'found', product: only };
    const names = listOf(some.map((product) => `${product.name} (${publicId('prod', product.id)})`));
    return unclear('product', `It can be ${names}. Give the id of the product, or say in the portal what it is.`);
  }
  if (text === '' && sku === '') {
    return unclear('product', 'Give the product: its id, its name, or a variant_sku that it offers.');
  }
  const missing = text === '' ? `No product offers ${quoted(sku)}.` : `There is no product ${quoted(text)}.`;
  return unclear(
    'product',
    `${missing} Give the id or the exact name of a product of yours, or say in the portal what it is.`,
  );
}

function unclear(field: Field, message: string): Extract<FoundItem, { kind: 'unclear' }> {
  return { kind: 'unclear', field, message };
}

/** A shop writes the options behind the name: `Fern tee - Black / M`. */
export function splitName(text: string): { name: string; options: readonly string[] } {
  const at = text.lastIndexOf(' - ');
  if (at === -1) return { name: text, options: [] };
  return { name: text.slice(0, at).trim(), options: text.slice(at + 3).split('/') };
}

/** The options of a row and what its buyer entered: from their own columns, and from one of all. */
function optionsOf(row: FileRow, columns: Columns) {
  const read = readOptions(cellOf(row, columns, 'options'));
  const own = [cellOf(row, columns, 'colour'), cellOf(row, columns, 'size')].filter((text) => text !== '');
  return {
    options: [...own, ...read.options],
    variant: own.length > 0 ? own : read.variant,
    properties: read.properties,
    entered: read.entered,
  };
}

/** The variant of a product with the colour and the size of a row, where exactly one has them. */
function variantByOptions(
  row: FileRow,
  columns: Columns,
  product: NamedProduct,
  { bySku }: CatalogueReference,
): string | undefined {
  const { variant } = optionsOf(row, columns);
  const options = variant.length > 0 ? variant : splitName(cellOf(row, columns, 'product')).options;
  const wanted = options.map((text) => text.trim().toLowerCase());
  if (wanted.length === 0) return undefined;
  const found = product.skus.filter((sku) => {
    const entry = bySku.get(sku)?.variant.entry;
    const has = [entry?.colour.toLowerCase(), entry?.size.toLowerCase()];
    return wanted.every((option) => has.includes(option));
  });
  return found.length === 1 ? found[0] : undefined;
}

const NOTHING = ['none', 'blank'];

/** What a row prints: every stored design, unless it names areas, a picture of its own, or nothing. */
function printsOf(
  row: FileRow,
  columns: Columns,
  product: NamedProduct,
  { byId }: CatalogueReference,
): Readonly<Record<string, unknown>> {
  if (product.personalised) return {};
  const named = cellOf(row, columns, 'print_areas').toLowerCase();
  if (NOTHING.includes(named)) return { print_jobs: [] };
  const base = byId.get(product.base_product_id)?.entry.print_areas ?? [];
  const areas = named === '' ? [] : named.split(/[;,|]/).map((area) => area.trim().replaceAll(' ', '_'));
  const methodOf = (area: string): string =>
    product.areas.find(({ print_area: name }) => name === area)?.method ??
    base.find(({ print_area: name }) => name === area)?.methods[0] ??
    'unknown';
  const url = cellOf(row, columns, 'artwork_url');
  if (url !== '') {
    const first = product.areas[0]?.print_area ?? base[0]?.print_area ?? 'front';
    const chosen = areas.length > 0 ? areas : [first];
    return {
      decoration: { areas: chosen.map((area) => ({ print_area: area, method: methodOf(area), artwork_url: url })) },
    };
  }
  const chosen = areas.length > 0 ? areas : product.areas.map(({ print_area: area }) => area);
  return { print_jobs: chosen.map((area) => ({ area, method: methodOf(area) })) };
}
