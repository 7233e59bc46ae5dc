import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import { OUR_OPTIONS, optionValueOf, optionValuesOf, partsOfList } from '../our-variants.ts';
import type { Shop } from '../port.ts';
import type { PublishedProduct, PublishedVariant, ShopProduct } from '../published-product.ts';
import { ShopFault, writeTo } from '../shop-call.ts';
import { thereInWoo, wooRows } from './there.ts';

// Products of `/wp-json/wc/v3/products`. WooCommerce has no look-up by our name for a product, so it is found by SKUs,
// which are unique in a shop.

const PRODUCTS = '/wp-json/wc/v3/products';
/** The name under which a product keeps our id in the shop. */
const OUR_PRODUCT = '_platen_product';
/** How many of its pictures the shop has read. */
const OUR_PICTURES = '_platen_pictures';
/** Variations that WooCommerce takes in a call, and gives in a page. */
const AT_ONCE = 100;
/** SKUs in the query of a look-up: the product's own, and some of its variants'. */
const LOOKED_UP = 20;
/** Pages of variations: more than a product has. */
const PAGES_MAX = 25;

/**
 * Publishes a product in WooCommerce, or brings its variations and their stock up to date.
 * The draft is made first, then its variations, then its pictures one by one: what was cut off goes on from there.
 */
export async function publishInWoo(
  shop: Shop,
  product: PublishedProduct,
  known: ShopProduct | undefined,
): Promise<ShopProduct | 'gone'> {
  const found = known === undefined ? await findOurs(shop, product) : await readProduct(shop, known.productId);
  if (found === undefined && known !== undefined) return 'gone';
  const written = found ?? (await makeDraft(shop, product));
  const productId = textOf(written.id);
  const variants = await writeVariations(shop, product, { productId, written, known: known?.variants ?? {} });
  if (known === undefined) await writePictures(shop, product, written);
  return { productId, variants };
}

/** A product that is there; one in the trash is not. */
async function readProduct(shop: Shop, id: string): Promise<Members | undefined> {
  const product = await thereInWoo(shop, 'products', id);
  return textOf(product?.status) === 'trash' ? undefined : product;
}

/** The product with our mark, by its SKU or those of its variations: a person may have changed some. */
async function findOurs(shop: Shop, { id, variants }: PublishedProduct): Promise<Members | undefined> {
  const skus = [id, ...variants.map(({ sku }) => sku)].slice(0, LOOKED_UP).join(',');
  const query = new URLSearchParams({ sku: skus, per_page: '100' }).toString();
  const rows = (await wooRows(shop, `${PRODUCTS}?${query}`)).filter(isMembers);
  const parents = rows.map((row) => (textOf(row.type) === 'variation' ? textOf(row.parent_id) : textOf(row.id)));
  // A SKU is of one product, so there are no more than were asked for.
  for (const parent of [...new Set(parents)].slice(0, LOOKED_UP)) {
    const read = await readProduct(shop, parent);
    if (read !== undefined && textOf(metaOf(read, OUR_PRODUCT)) === id) return read;
  }
  return undefined;
}

async function makeDraft(shop: Shop, { id, title, description, variants }: PublishedProduct): Promise<Members> {
  const body = {
    name: title,
    type: 'variable',
    status: 'draft',
    sku: id,
    description: asHtml(description),
    attributes: OUR_OPTIONS.map((name, position) => ({
      ...{ name, position, visible: true, variation: true },
      options: optionValuesOf(variants, name),
    })),
    meta_data: [{ key: OUR_PRODUCT, value: id }],
  };
  const json = (await inWords(() => writeTo(shop, 'POST', PRODUCTS, body), id)).json;
  if (isMembers(json) && textOf(json.id) !== '') return json;
  throw new ShopFault('broken', 'The shop does not say under which id it has made the product.');
}

type Written = {
  readonly productId: string;
  readonly written: Members;
  readonly known: ShopProduct['variants'];
};

/**
 * Adds the variations that are missing, and says which are in stock where the shop has it otherwise.
 * One that the shop's people have deleted stays so.
 */
async function writeVariations(
  shop: Shop,
  { variants }: PublishedProduct,
  { productId, written, known }: Written,
): Promise<Record<string, string>> {
  const present = await listVariations(shop, productId);
  const bySku = new Map(present.map((one) => [textOf(one.sku), one]));
  const byId = new Map(present.map((one) => [textOf(one.id), one]));
  const ids: Record<string, string> = { ...known };
  const missing: PublishedVariant[] = [];
  const changed: Members[] = [];
  for (const variant of variants) {
    const id = ids[variant.sku];
    const row = id === undefined ? bySku.get(variant.sku) : byId.get(id);
    if (row !== undefined) {
      ids[variant.sku] = textOf(row.id);
      if (isInStock(row) !== variant.isInStock) changed.push({ id: Number(row.id), stock_status: stockOf(variant) });
    } else if (id === undefined) {
      missing.push(variant);
    }
  }
  if (missing.length > 0) await addOptions(shop, productId, written, missing);
  for (const part of partsOfList(missing, AT_ONCE)) {
    const made = await writeBatch(shop, productId, { create: part.map(variationOf) });
    part.forEach(({ sku }, index) => {
      ids[sku] = textOf(made.create[index]?.id);
    });
  }
  for (const update of partsOfList(changed, AT_ONCE)) await writeBatch(shop, productId, { update });
  return ids;
}

async function listVariations(shop: Shop, productId: string): Promise<Members[]> {
  const all: Members[] = [];
  for (let page = 1; page <= PAGES_MAX; page += 1) {
    const path = `${PRODUCTS}/${productId}/variations?per_page=${AT_ONCE}&page=${page}`;
    const rows = (await wooRows(shop, path)).filter(isMembers);
    all.push(...rows);
    if (rows.length < AT_ONCE) return all;
  }
  throw new ShopFault('broken', 'The shop lists more variations than a product may have.');
}

/** A backorder is the shop's own choice for what is in stock here. */
const isInStock = (row: Members): boolean => textOf(row.stock_status) !== 'outofstock';
const stockOf = ({ isInStock: has }: PublishedVariant): string => (has ? 'instock' : 'outofstock');

function variationOf(variant: PublishedVariant): Members {
  return {
    sku: variant.sku,
    stock_status: stockOf(variant),
    attributes: OUR_OPTIONS.map((name) => ({ name, option: optionValueOf(variant, name) })),
  };
}

/** A variation may only have what is an option of its product. */
async function addOptions(
  shop: Shop,
  productId: string,
  written: Members,
  missing: readonly PublishedVariant[],
): Promise<void> {
  const attributes = arrayOf(written.attributes).filter(isMembers);
  const wanted: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    OUR_OPTIONS.map((name) => [name, optionValuesOf(missing, name)]),
  );
  const lacks = attributes.map((attribute) => {
    const options = arrayOf(attribute.options).map(textOf);
    return (wanted[textOf(attribute.name)] ?? []).filter((option) => !options.includes(option));
  });
  if (lacks.every((more) => more.length === 0)) return;
  const more = attributes.map((attribute, at) => ({
    ...attribute,
    options: [...arrayOf(attribute.options).map(textOf), ...(lacks[at] ?? [])],
  }));
  await writeTo(shop, 'PUT', `${PRODUCTS}/${productId}`, { attributes: more });
}

/** A batch is answered well even where some of it is refused, so each part is looked at. */
async function writeBatch(
  shop: Shop,
  productId: string,
  parts: { readonly create?: readonly Members[]; readonly update?: readonly Members[] },
): Promise<{ create: Members[] }> {
  const json = (await writeTo(shop, 'POST', `${PRODUCTS}/${productId}/variations/batch`, parts)).json;
  const of = (name: 'create' | 'update'): Members[] => arrayOf(isMembers(json) ? json[name] : []).filter(isMembers);
  for (const name of ['create', 'update'] as const) {
    const answered = of(name);
    answered.forEach((row, at) => {
      if (isMembers(row.error)) throw refusal(textOf(row.error.code), textOf(parts[name]?.[at]?.sku));
    });
    if (answered.filter(({ id }) => textOf(id) !== '').length < (parts[name]?.length ?? 0)) {
      throw new ShopFault('broken', 'The shop does not say what has become of the variations of a product.');
    }
  }
  return { create: of('create') };
}

/** Adds the pictures that the shop has not read yet, each in a call: it reads them while it is asked. */
async function writePictures(shop: Shop, { pictures }: PublishedProduct, written: Members): Promise<void> {
  let images = arrayOf(written.images).filter(isMembers);
  const read = Number(textOf(metaOf(written, OUR_PICTURES)) || 0);
  for (const [at, src] of pictures.entries()) {
    if (at < read) continue;
    const body = {
      images: [...images.map(({ id }) => ({ id })), { src }],
      meta_data: [{ key: OUR_PICTURES, value: String(at + 1) }],
    };
    const json = (await inWords(() => writeTo(shop, 'PUT', `${PRODUCTS}/${textOf(written.id)}`, body), '')).json;
    if (isMembers(json)) images = arrayOf(json.images).filter(isMembers);
  }
}

async function inWords<Answer>(call: () => Promise<Answer>, sku: string): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
    throw refusal(error.code, sku);
  }
}

/** What a code of WooCommerce says, in words. */
function refusal(code: string, sku: string): ShopFault {
  if (code === 'product_invalid_sku') {
    const message = `Another product of the shop has the SKU ${sku}. Delete that product there, or give it another SKU.`;
    return new ShopFault('rejected', message, undefined, code);
  }
  if (code.includes('image')) {
    const message = 'The shop cannot read the pictures of the product. Its server must be let out to the print shop.';
    return new ShopFault('rejected', message, undefined, code);
  }
  return new ShopFault('rejected', 'The shop refuses the product. Its log says why.', undefined, code);
}

/** Plain text as the page that a description is. */
function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function metaOf(of: Members, key: string): unknown {
  return arrayOf(of.meta_data)
    .filter(isMembers)
    .find((one) => one.key === key)?.value;
}
