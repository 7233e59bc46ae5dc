import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import type { PublishedProduct, PublishedVariant, ShopProduct } from '../published-product.ts';
import { ShopFault } from '../shop-call.ts';
import { placeOf, profileOf } from './places.ts';

// Every variant is counted, with none at a place of the shop, and backorders alone say whether it sells. So each
// order has a reservation, and is fulfilled whether or not the variant is out of stock meanwhile: Medusa refuses
// to fulfil what is counted and was not reserved.

const OPTIONS = ['Colour', 'Size'] as const;
const AT_ONCE = 100;
const FIELDS = [
  'id,*options,*options.values,variants.id,variants.sku,variants.manage_inventory,variants.allow_backorder',
  'variants.inventory_items.inventory_item_id,variants.inventory_items.inventory.location_levels.location_id',
].join(',');

/**
 * Publishes a product to Medusa, or brings its variants and what is in stock up to date.
 * It is found again by `external_id`. What is not offered here any more and is not in the shop is not made.
 */
export async function publishToMedusa(
  shop: Shop,
  product: PublishedProduct,
  known: ShopProduct | undefined,
): Promise<ShopProduct | 'gone'> {
  const id = known?.productId ?? (await findOrMake(shop, product));
  const there = id === undefined ? undefined : await productAt(shop, id);
  if (id === undefined || there === undefined) return 'gone';
  const missing = product.variants.filter((variant) => isMissing(there, variant, known));
  if (missing.length > 0) await add(shop, { id, there, product, missing });
  const now = missing.length === 0 ? there : await productAt(shop, id);
  if (now === undefined) return 'gone';
  await stockUp(shop, variantsOf(now), (variant) => skuOf(variant, product, known) !== undefined);
  await setStock(shop, { id, product, variants: variantsOf(now), known });
  const pairs = variantsOf(now).map((variant) => [skuOf(variant, product, known), textOf(variant.id)] as const);
  const ours = pairs.filter((pair): pair is [string, string] => pair[0] !== undefined);
  return { productId: id, variants: { ...known?.variants, ...Object.fromEntries(ours) } };
}

async function findOrMake(shop: Shop, product: PublishedProduct): Promise<string | undefined> {
  const query = new URLSearchParams({ external_id: product.id, fields: 'id', limit: '1' }).toString();
  const [found] = arrayOf(membersIn(await shop.call('GET', `/admin/products?${query}`)).products).filter(isMembers);
  if (found !== undefined || !product.isOffered) return found === undefined ? undefined : textOf(found.id);
  const { channelIds } = await placeOf(shop);
  const answer = await shop.call('POST', '/admin/products?fields=id', {
    ...{ title: product.title, description: product.description, status: 'draft', external_id: product.id },
    handle: handleOf(product),
    images: product.pictures.map((url) => ({ url })),
    ...(product.pictures[0] === undefined ? {} : { thumbnail: product.pictures[0] }),
    sales_channels: channelIds.map((channelId) => ({ id: channelId })),
    shipping_profile_id: await profileOf(shop),
    options: OPTIONS.map((title) => ({ title, values: valuesOf(product.variants, title) })),
    variants: product.variants.map((variant) => newVariant(product, variant, OPTIONS)),
  });
  const made = membersIn(answer).product;
  if (!isMembers(made)) throw new ShopFault('broken', 'Medusa has made a product, and does not show it.');
  return textOf(made.id);
}

async function productAt(shop: Shop, id: string): Promise<Members | undefined> {
  const { product } = membersIn(
    await shop.call('GET', `/admin/products/${id}?${new URLSearchParams({ fields: FIELDS }).toString()}`),
  );
  return isMembers(product) ? product : undefined;
}

type Adding = {
  readonly id: string;
  readonly there: Members;
  readonly product: PublishedProduct;
  readonly missing: readonly PublishedVariant[];
};

/** Medusa takes a variant of values that its options have. One without a price cannot be bought. */
async function add(shop: Shop, { id, there, product, missing }: Adding): Promise<void> {
  const options = ourOptions(arrayOf(there.options).filter(isMembers));
  const update = options.flatMap((option, at) => {
    const before = new Set(arrayOf(option.values).map((value) => (isMembers(value) ? textOf(value.value) : '')));
    const added = valuesOf(missing, OPTIONS[at] ?? 'Colour').filter((value) => !before.has(value));
    return added.length === 0 ? [] : [{ product_option_id: textOf(option.id), add: added.map((value) => ({ value })) }];
  });
  if (update.length > 0 && (await shop.call('POST', `/admin/products/${id}/options/batch`, { update })) === undefined) {
    throw new ShopFault('rejected', 'New colours and sizes of a product need Medusa 2.17 or later.');
  }
  const titles = options.map(({ title }) => textOf(title));
  for (const create of chunksOf(missing.map((variant) => newVariant(product, variant, titles)))) {
    await shop.call('POST', `/admin/products/${id}/variants/batch?fields=id`, { create });
  }
}

/** Ours by their names, in whichever sequence; one that was renamed is the other one. */
function ourOptions(options: readonly Members[]): readonly Members[] {
  const [one, other] = options;
  if (options.length !== OPTIONS.length || one === undefined || other === undefined) {
    const message = 'A variant cannot be added: the product has other options in the shop than colour and size.';
    throw new ShopFault('rejected', message);
  }
  return one.title === OPTIONS[1] || other.title === OPTIONS[0] ? [other, one] : [one, other];
}

function newVariant(product: PublishedProduct, variant: PublishedVariant, [colour, size]: readonly string[]) {
  const values = { [colour ?? '']: optionValue(variant, 'Colour'), [size ?? '']: optionValue(variant, 'Size') };
  return {
    ...{ title: Object.values(values).join(' / '), sku: variant.sku, prices: [], options: values },
    ...{ manage_inventory: true, allow_backorder: isSold(product, variant.sku) },
  };
}

/** Has each of our variants stand at a place with none of it. */
async function stockUp(shop: Shop, variants: readonly Members[], isOurs: (variant: Members) => boolean) {
  const items = variants
    .filter((variant) => isOurs(variant) && variant.manage_inventory === true)
    .flatMap((variant) => arrayOf(variant.inventory_items).filter(isMembers))
    .filter(({ inventory }) => arrayOf(isMembers(inventory) ? inventory.location_levels : []).length === 0);
  if (items.length === 0) return;
  const { locationId } = await placeOf(shop);
  const levels = items.map((item) => ({
    ...{ inventory_item_id: textOf(item.inventory_item_id), location_id: locationId, stocked_quantity: 0 },
  }));
  for (const create of chunksOf(levels)) {
    await shop.call('POST', '/admin/inventory-items/location-levels/batch', { create });
  }
}

async function setStock(
  shop: Shop,
  of: {
    readonly id: string;
    readonly product: PublishedProduct;
    readonly variants: readonly Members[];
    readonly known: ShopProduct | undefined;
  },
): Promise<void> {
  const changes = of.variants.flatMap((variant) => {
    const sku = skuOf(variant, of.product, of.known);
    if (sku === undefined) return [];
    const isWanted = isSold(of.product, sku);
    const isThere = variant.manage_inventory !== true || variant.allow_backorder === true;
    if (isWanted === isThere) return [];
    return [{ id: textOf(variant.id), allow_backorder: isWanted, ...(isWanted ? {} : { manage_inventory: true }) }];
  });
  for (const update of chunksOf(changes)) {
    await shop.call('POST', `/admin/products/${of.id}/variants/batch?fields=id`, { update });
  }
}

function isSold({ isOffered, variants }: PublishedProduct, sku: string): boolean {
  return isOffered && variants.some((variant) => variant.sku === sku && variant.isInStock);
}

/** What the shop's people have deleted is not added again. */
function isMissing(there: Members, { sku }: PublishedVariant, known: ShopProduct | undefined): boolean {
  return known?.variants[sku] === undefined && variantsOf(there).every((variant) => textOf(variant.sku) !== sku);
}

/** Our SKU of a variant: by its id, since its SKU may have been changed in the shop, else by its SKU. */
function skuOf(variant: Members, { id }: PublishedProduct, known: ShopProduct | undefined): string | undefined {
  const [sku] = Object.entries(known?.variants ?? {}).find(([, one]) => one === variant.id) ?? [];
  return sku ?? (textOf(variant.sku).startsWith(`${id}/`) ? textOf(variant.sku) : undefined);
}

/** Medusa refuses a handle that another product has, and would make it of the title alone. */
function handleOf({ id, title }: PublishedProduct): string {
  const parts = `${title.normalize('NFKD')} ${id.replace(/^prod_/, '').slice(-8)}`.toLowerCase().match(/[a-z0-9]+/g);
  return (parts ?? []).join('-');
}

function variantsOf(product: Members): Members[] {
  return arrayOf(product.variants).filter(isMembers);
}

function valuesOf(variants: readonly PublishedVariant[], name: (typeof OPTIONS)[number]): string[] {
  return [...new Set(variants.map((variant) => optionValue(variant, name)))];
}

function optionValue({ colour, size }: PublishedVariant, name: (typeof OPTIONS)[number]): string {
  return name === 'Colour' ? colour.trim() || 'One colour' : size.trim() || 'One size';
}

function membersIn(answer: { readonly json: unknown } | undefined): Members {
  return isMembers(answer?.json) ? answer.json : {};
}

function chunksOf<T>(all: readonly T[]): (readonly T[])[] {
  const count = Math.ceil(all.length / AT_ONCE);
  return Array.from({ length: count }, (_, at) => all.slice(at * AT_ONCE, (at + 1) * AT_ONCE));
}
