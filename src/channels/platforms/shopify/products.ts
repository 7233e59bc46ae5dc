import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import { idsOfOurs, isToBeSold, missingVariants, ourSkuOf, partsOfList } from '../our-variants.ts';
import type { Shop } from '../port.ts';
import type { PublishedProduct, ShopProduct } from '../published-product.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, type Denied, gidOf, membersOf, nodesOf, reasonOf } from './ask.ts';
import {
  addedVariants,
  mayBeSold,
  newProduct,
  type ProductThere,
  stockChange,
  type VariantThere,
} from './product-inputs.ts';
import {
  ADD_VARIANTS,
  CHANGE_VARIANTS,
  CUSTOM_ID,
  DEFINE,
  FIND_PRODUCT,
  MAKE_PRODUCT,
  READ_PRODUCT,
  VARIANTS_AT_ONCE,
} from './product-queries.ts';
import { ourPlace } from './set-up.ts';

/** A shop that was linked before products were published has not consented to it; its orders go on. */
const DENIED: Denied = {
  kind: 'rejected',
  message: 'Shopify does not let the print shop publish products. Connect the shop again so that it allows products.',
};

const REFUSALS: Readonly<Record<string, string>> = {
  VARIANTS_OVER_LIMIT: 'The product has more variants than this shop takes.',
  OPTION_VALUES_OVER_LIMIT: 'The product has more colours or sizes than this shop takes.',
  PRODUCT_SUSPENDED: 'Shopify has suspended this product. The shop must settle that with Shopify.',
};

const PAGES_MAX = 25;

/**
 * Publishes a product to Shopify, or brings its variants and what is in stock up to date.
 * It is made by one mutation, so that it is there as a whole or not at all, with a custom id: Shopify takes each once.
 * What is not offered here any more and is not in the shop is not made; it counts as gone.
 */
export async function publishToShopify(
  shop: Shop,
  product: PublishedProduct,
  known: ShopProduct | undefined,
): Promise<ShopProduct | 'gone'> {
  const id = known?.productId ?? (await findOrMake(shop, product));
  const there = id === undefined ? undefined : await readProduct(shop, id);
  if (there === undefined) return 'gone';
  const missing = missingVariants(product, there.variants, known);
  for (const some of partsOfList(missing, VARIANTS_AT_ONCE)) {
    await write(shop, 'productVariantsBulkCreate', ADD_VARIANTS, {
      id: there.id,
      variants: addedVariants(product, some, { there, locationId: ourPlace(shop.facts).locationId }),
    });
  }
  const now = missing.length === 0 ? there : await readProduct(shop, there.id);
  if (now === undefined) return 'gone';
  await setStock(shop, product, now, known);
  return { productId: now.id, variants: idsOfOurs(now.variants, product, known) };
}

async function findOrMake(shop: Shop, product: PublishedProduct): Promise<string | undefined> {
  await defineCustomId(shop);
  const found = await ask(shop, FIND_PRODUCT, { value: product.id }, DENIED);
  const id = textOf(membersOf(found.productByIdentifier).id);
  if (id !== '' || !product.isOffered) return id || undefined;
  const input = newProduct(product, ourPlace(shop.facts).locationId);
  const made = textOf(membersOf((await write(shop, 'productSet', MAKE_PRODUCT, { input })).product).id);
  if (made === '') throw new ShopFault('broken', 'Shopify has made a product, and does not show it.');
  return made;
}

/** Shopify looks for a custom id only where its metafield is defined; it is once, for all products. */
async function defineCustomId(shop: Shop): Promise<void> {
  const definition = { name: 'Product of the print shop', key: CUSTOM_ID, type: 'id', ownerType: 'PRODUCT' };
  await write(shop, 'metafieldDefinitionCreate', DEFINE, { definition }, 'TAKEN');
}

/** A product with all its variants; undefined once it was deleted. */
async function readProduct(shop: Shop, id: string): Promise<ProductThere | undefined> {
  const { locationId } = ourPlace(shop.facts);
  const place = { hasLocation: locationId !== '', location: locationId === '' ? gidOf('Location', '0') : locationId };
  const variants: VariantThere[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { product }: Members = await ask(shop, READ_PRODUCT, { id, after, ...place }, DENIED);
    if (!isMembers(product)) return undefined;
    variants.push(...nodesOf(product.variants).map(variantThere));
    const info = membersOf(membersOf(product.variants).pageInfo);
    if (info.hasNextPage !== true) {
      const options = arrayOf(product.options).filter(isMembers);
      return {
        id: textOf(product.id),
        isDraft: product.status === 'DRAFT',
        options: options.map((option) => ({ id: textOf(option.id), name: textOf(option.name) })),
        variants,
      };
    }
    after = textOf(info.endCursor);
  }
  throw new ShopFault('broken', 'Shopify lists more variants than a product may have.');
}

function variantThere(node: Members): VariantThere {
  const item = membersOf(node.inventoryItem);
  const [available] = arrayOf(membersOf(item.inventoryLevel).quantities).filter(isMembers);
  return {
    id: textOf(node.id),
    sku: textOf(node.sku),
    hasPrice: Number(node.price) > 0,
    sellsOn: node.inventoryPolicy === 'CONTINUE',
    isTracked: item.tracked === true,
    available: Number(available?.quantity ?? 0),
  };
}

async function setStock(
  shop: Shop,
  product: PublishedProduct,
  there: ProductThere,
  known: ShopProduct | undefined,
): Promise<void> {
  const { locationId } = ourPlace(shop.facts);
  const changes = there.variants.flatMap((variant) => {
    const sku = ourSkuOf(variant, product, known);
    if (sku === undefined) return [];
    const isSold = isToBeSold(product, sku);
    if (isSold && !mayBeSold(variant, there)) return [];
    return stockChange(variant, isSold, locationId);
  });
  for (const variants of partsOfList(changes, VARIANTS_AT_ONCE)) {
    await write(shop, 'productVariantsBulkUpdate', CHANGE_VARIANTS, { id: there.id, variants });
  }
}

/** Sends a mutation; throws a fault in words for what Shopify finds wrong, unless that is expected. */
async function write(
  shop: Shop,
  name: string,
  mutation: string,
  variables: Readonly<Record<string, unknown>>,
  expected = '',
): Promise<Members> {
  const payload = (await ask(shop, mutation, variables, DENIED))[name];
  if (!isMembers(payload)) throw new ShopFault('broken', `Shopify answers nothing about ${name}.`);
  const [error] = arrayOf(payload.userErrors).filter(isMembers);
  const code = textOf(error?.code);
  if (error === undefined || (expected !== '' && code === expected)) return payload;
  throw new ShopFault('rejected', REFUSALS[code] ?? `Shopify refuses this product${reasonOf(error)}.`);
}
