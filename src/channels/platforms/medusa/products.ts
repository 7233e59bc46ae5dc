import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import {
  idsOfOurs,
  inOurSequence,
  isToBeSold,
  missingVariants,
  OUR_OPTIONS,
  optionValueOf,
  optionValuesOf,
  otherOptions,
  ourSkuOf,
  partsOfList,
} from '../our-variants.ts';
import type { Shop } from '../port.ts';
import type { PublishedProduct, PublishedVariant, ShopProduct } from '../published-product.ts';
import { ShopFault, writeTo } from '../shop-call.ts';
import { rowsOf } from './changes.ts';
import { isGoneFromMedusa } from './gone.ts';
import { placeOf, profileOf } from './places.ts';

// Every variant is counted, with none at a place of the shop, and backorders alone say whether it sells. So each
// order has a reservation, and is fulfilled whether or not the variant is out of stock meanwhile: Medusa refuses
// to fulfil what is counted and was not reserved.

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
  const missing = missingVariants(product, asOfShop(variantsOf(there)), known);
  if (missing.length > 0) await add(shop, { id, there, product, missing });
  const now = missing.length === 0 ? there : await productAt(shop, id);
  if (now === undefined) return 'gone';
  const variants = variantsOf(now);
  await stockUp(shop, variants, (variant) => skuOf(variant, product, known) !== undefined);
  await setStock(shop, { id, product, variants, known });
  return { productId: id, variants: idsOfOurs(asOfShop(variants), product, known) };
}

async function findOrMake(shop: Shop, product: PublishedProduct): Promise<string | undefined> {
  const rows = await rowsOf(shop, 'products', { external_id: product.id, fields: 'id' });
  const [found] = rows.filter(isMembers);
  if (found !== undefined || !product.isOffered) return found === undefined ? undefined : textOf(found.id);
  const { channelIds } = await placeOf(shop);
  const answer = await writeTo(shop, 'POST', '/admin/products?fields=id', {
    ...{ title: product.title, description: product.description, status: 'draft', external_id: product.id },
    handle: handleOf(product),
    images: product.pictures.map((url) => ({ url })),
    ...(product.pictures[0] === undefined ? {} : { thumbnail: product.pictures[0] }),
    sales_channels: channelIds.map((channelId) => ({ id: channelId })),
    shipping_profile_id: await profileOf(shop),
    options: OUR_OPTIONS.map((title) => ({ title, values: optionValuesOf(product.variants, title) })),
    variants: product.variants.map((variant) => newVariant(product, variant, OUR_OPTIONS)),
  });
  const made = membersIn(answer).product;
  if (!isMembers(made)) throw new ShopFault('broken', 'Medusa has made a product, and does not show it.');
  return textOf(made.id);
}

/** A product as the shop has it; undefined once it is gone. Throws `ShopFault` where neither is known. */
async function productAt(shop: Shop, id: string): Promise<Members | undefined> {
  const answer = await shop.call('GET', `/admin/products/${id}?${new URLSearchParams({ fields: FIELDS }).toString()}`);
  const { product } = membersIn(answer);
  if (isMembers(product)) return product;
  if (answer === undefined && (await isGoneFromMedusa(shop, 'products', id))) return undefined;
  throw new ShopFault('broken', 'The shop does not give out a product that its list says is there.');
}

type Adding = {
  readonly id: string;
  readonly there: Members;
  readonly product: PublishedProduct;
  readonly missing: readonly PublishedVariant[];
};

/** Medusa takes a variant of values that its options have. One without a price cannot be bought. */
async function add(shop: Shop, { id, there, product, missing }: Adding): Promise<void> {
  const options = inOurSequence(arrayOf(there.options).filter(isMembers), ({ title }) => title);
  if (options === undefined) throw otherOptions();
  const update = options.flatMap((option, at) => {
    const before = new Set(arrayOf(option.values).map((value) => (isMembers(value) ? textOf(value.value) : '')));
    const added = optionValuesOf(missing, OUR_OPTIONS[at] ?? 'Colour').filter((value) => !before.has(value));
    return added.length === 0 ? [] : [{ product_option_id: textOf(option.id), add: added.map((value) => ({ value })) }];
  });
  if (update.length > 0 && (await shop.call('POST', `/admin/products/${id}/options/batch`, { update })) === undefined) {
    throw new ShopFault('rejected', 'New colours and sizes of a product need Medusa 2.17 or later.');
  }
  const titles = options.map(({ title }) => textOf(title));
  for (const create of partsOfList(
    missing.map((variant) => newVariant(product, variant, titles)),
    AT_ONCE,
  )) {
    await writeTo(shop, 'POST', `/admin/products/${id}/variants/batch?fields=id`, { create });
  }
}

function newVariant(product: PublishedProduct, variant: PublishedVariant, [colour, size]: readonly string[]) {
  const values = { [colour ?? '']: optionValueOf(variant, 'Colour'), [size ?? '']: optionValueOf(variant, 'Size') };
  return {
    ...{ title: Object.values(values).join(' / '), sku: variant.sku, prices: [], options: values },
    ...{ manage_inventory: true, allow_backorder: isToBeSold(product, variant.sku) },
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
  for (const create of partsOfList(levels, AT_ONCE)) {
    await writeTo(shop, 'POST', '/admin/inventory-items/location-levels/batch', { create });
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
    const isWanted = isToBeSold(of.product, sku);
    const isThere = variant.manage_inventory !== true || variant.allow_backorder === true;
    if (isWanted === isThere) return [];
    return [{ id: textOf(variant.id), allow_backorder: isWanted, ...(isWanted ? {} : { manage_inventory: true }) }];
  });
  for (const update of partsOfList(changes, AT_ONCE)) {
    await writeTo(shop, 'POST', `/admin/products/${of.id}/variants/batch?fields=id`, { update });
  }
}

/** Medusa refuses a handle that another product has, and would make it of the title alone. */
function handleOf({ id, title }: PublishedProduct): string {
  const parts = `${title.normalize('NFKD')} ${id.replace(/^prod_/, '').slice(-8)}`.toLowerCase().match(/[a-z0-9]+/g);
  return (parts ?? []).join('-');
}

function asOfShop(variants: readonly Members[]): { readonly id: string; readonly sku: string }[] {
  return variants.map(({ id, sku }) => ({ id: textOf(id), sku: textOf(sku) }));
}

function skuOf({ id, sku }: Members, product: PublishedProduct, known: ShopProduct | undefined): string | undefined {
  return ourSkuOf({ id: textOf(id), sku: textOf(sku) }, product, known);
}

function variantsOf(product: Members): Members[] {
  return arrayOf(product.variants).filter(isMembers);
}

function membersIn(answer: { readonly json: unknown } | undefined): Members {
  return isMembers(answer?.json) ? answer.json : {};
}
