import { GraphQLError } from 'graphql';
import {
  type DoubleProduct,
  type DoubleShop,
  type DoubleVariant,
  MERCHANT_LOCATION,
  nextNumber,
} from './shop-state.ts';

// What the double answers about products. A merchant's edits are plain assignments to `shop.products`.

/** The most variants that a product has in a shop without a higher limit. */
const VARIANTS_MAX = 2_048;

type Level = { locationId: string; quantity?: number; availableQuantity?: number };
type VariantInput = {
  id?: string;
  sku?: string;
  price?: string;
  inventoryPolicy?: string;
  inventoryItem?: { sku?: string; tracked?: boolean };
  inventoryQuantities?: Level[];
  quantityAdjustments?: { locationId: string; adjustment: number; changeFromQuantity: number | null }[];
  optionValues?: { optionId?: string; optionName?: string; name: string }[];
};
type ProductInput = {
  title: string;
  descriptionHtml?: string;
  status?: string;
  metafields?: { namespace: string; key: string; type: string; value: string }[];
  files?: { originalSource: string; contentType: string }[];
  productOptions: { name: string; position: number; values: { name: string }[] }[];
  variants: VariantInput[];
};
type OfProduct = { productId: string; variants: VariantInput[] };

const refused = (code: string, field: string) => ({ userErrors: [{ code, field: field.split('.'), message: code }] });

/** The part of the root that is about products. */
export function productAnswersOf(shop: DoubleShop) {
  const find = (id: string) => shop.products.find((one) => one.id === id);
  const allowed = (scope: string): void => {
    if (shop.scopes.has(scope)) return;
    throw new GraphQLError('Access denied', { extensions: { code: 'ACCESS_DENIED', requiredAccess: scope } });
  };
  return {
    product: ({ id }: { id: string }) => {
      allowed('read_products');
      allowed('read_inventory');
      const product = find(id);
      return product === undefined ? null : productView(product);
    },
    productByIdentifier: ({ identifier }: { identifier: { customId: { key: string; value: string } } }) => {
      allowed('read_products');
      const { key, value } = identifier.customId;
      if (!shop.definitions.has(key)) {
        const message = "Metafield definition of type 'id' is required when using custom ids.";
        throw new GraphQLError(message, { extensions: { code: 'NOT_FOUND' } });
      }
      const product = shop.products.find(({ metafields }) => metafields.get(key) === value);
      return product === undefined ? null : productView(product);
    },
    metafieldDefinitionCreate: ({ definition }: { definition: { key: string; type: string } }) => {
      allowed('write_products');
      if (shop.definitions.has(definition.key)) return refused('TAKEN', 'definition.key');
      shop.definitions.add(definition.key);
      return { createdDefinition: { id: `gid://shopify/MetafieldDefinition/${nextNumber()}` }, userErrors: [] };
    },
    productSet: ({ input }: { input: ProductInput }) => {
      allowed('write_products');
      allowed('write_inventory');
      return setProduct(shop, input);
    },
    productVariantsBulkCreate: ({ productId, variants }: OfProduct) => {
      allowed('write_products');
      allowed('write_inventory');
      const product = find(productId);
      if (product === undefined) return refused('PRODUCT_DOES_NOT_EXIST', 'productId');
      if (product.variants.length + variants.length > VARIANTS_MAX) return refused('VARIANTS_OVER_LIMIT', 'variants');
      const made = variants.map((input) => variantOf(product, input));
      const taken = made.some((one) => product.variants.some(({ values }) => values.join() === one.values.join()));
      if (taken) return refused('VARIANT_ALREADY_EXISTS', 'variants.0.optionValues');
      if (made.some(({ values }) => values.includes(''))) return refused('NEED_TO_ADD_OPTION_VALUES', 'variants.0');
      product.variants.push(...made);
      return { product: productView(product), userErrors: [] };
    },
    productVariantsBulkUpdate: ({ productId, variants }: OfProduct) => {
      allowed('write_products');
      allowed('write_inventory');
      const product = find(productId);
      if (product === undefined) return refused('PRODUCT_DOES_NOT_EXIST', 'productId');
      for (const [at, input] of variants.entries()) {
        const variant = product.variants.find(({ id }) => id === input.id);
        const field = changeVariant(variant, input);
        if (field !== undefined) return refused('INVALID_INPUT', `variants.${at}.${field}`);
      }
      return { product: productView(product), userErrors: [] };
    },
  };
}

function setProduct(shop: DoubleShop, input: ProductInput) {
  if (input.variants.length > VARIANTS_MAX) return refused('VARIANTS_OVER_LIMIT', 'input.variants');
  if (input.title.length > 255) return refused('INVALID_PRODUCT', 'input.title');
  const metafields = new Map((input.metafields ?? []).map(({ key, value }) => [key, value]));
  for (const [key, value] of metafields) {
    const isTaken = shop.products.some((one) => one.metafields.get(key) === value);
    if (shop.definitions.has(key) && isTaken) return refused('INVALID_METAFIELD', 'input.metafields.0.value');
  }
  if (input.files?.some(({ originalSource }) => !/^https?:/.test(originalSource))) {
    return refused('INVALID_INPUT', 'input.files.0.originalSource');
  }
  const product: DoubleProduct = {
    id: `gid://shopify/Product/${nextNumber()}`,
    handle: freeHandle(shop, input.title),
    title: input.title,
    descriptionHtml: input.descriptionHtml ?? '',
    status: input.status ?? 'ACTIVE',
    media: (input.files ?? []).map(({ originalSource }) => originalSource),
    options: input.productOptions.map(({ name }) => ({ id: `gid://shopify/ProductOption/${nextNumber()}`, name })),
    metafields,
    variants: [],
  };
  const listed = input.productOptions.map(({ values }) => values.map(({ name }) => name));
  if (listed.some((names) => new Set(names).size < names.length)) {
    return refused('DUPLICATED_OPTION_VALUE', 'input.productOptions');
  }
  product.variants = input.variants.map((one) => variantOf(product, one));
  const isUnknown = product.variants.some(({ values }) => values.some((value, at) => !listed[at]?.includes(value)));
  if (isUnknown) return refused('OPTION_VALUE_DOES_NOT_EXIST', 'input.variants');
  shop.products.push(product);
  return { product: productView(product), userErrors: [] };
}

function freeHandle({ products }: DoubleShop, title: string): string {
  const wanted = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const taken = new Set(products.map(({ handle }) => handle));
  for (let at = 0; ; at += 1) {
    const handle = at === 0 ? wanted : `${wanted}-${at}`;
    if (!taken.has(handle)) return handle;
  }
}

/** One without quantities is stocked at the shop's own location. */
function variantOf({ options }: DoubleProduct, input: VariantInput): DoubleVariant {
  const levels = input.inventoryQuantities ?? [{ locationId: MERCHANT_LOCATION, quantity: 0 }];
  return {
    id: `gid://shopify/ProductVariant/${nextNumber()}`,
    sku: input.inventoryItem?.sku ?? input.sku ?? null,
    price: input.price ?? '0.00',
    inventoryPolicy: input.inventoryPolicy ?? 'DENY',
    tracked: input.inventoryItem?.tracked ?? false,
    values: options.map(({ id, name }) => {
      const given = input.optionValues?.find((one) => one.optionId === id || one.optionName === name);
      return given?.name ?? '';
    }),
    levels: new Map(levels.map((one) => [one.locationId, one.quantity ?? one.availableQuantity ?? 0])),
  };
}

/** The field that is wrong; undefined when the variant was changed. */
function changeVariant(variant: DoubleVariant | undefined, input: VariantInput): string | undefined {
  if (variant === undefined) return 'id';
  if (input.inventoryQuantities !== undefined) return 'inventoryQuantities';
  for (const { locationId, adjustment, changeFromQuantity } of input.quantityAdjustments ?? []) {
    const before = variant.levels.get(locationId);
    if (before === undefined || (changeFromQuantity !== null && changeFromQuantity !== before)) {
      return 'quantityAdjustments';
    }
    variant.levels.set(locationId, before + adjustment);
  }
  variant.inventoryPolicy = input.inventoryPolicy ?? variant.inventoryPolicy;
  variant.tracked = input.inventoryItem?.tracked ?? variant.tracked;
  variant.price = input.price ?? variant.price;
  return undefined;
}

function productView(product: DoubleProduct) {
  return {
    ...{ id: product.id, status: product.status },
    options: () => product.options,
    variants: ({ first, after }: { first: number; after?: string | null }) => {
      const from = Number(after ?? 0);
      const nodes = product.variants.slice(from, from + first).map(variantView);
      const hasNextPage = from + first < product.variants.length;
      return { nodes, pageInfo: { hasNextPage, endCursor: String(from + nodes.length) } };
    },
  };
}

function variantView({ id, sku, price, inventoryPolicy, tracked, levels }: DoubleVariant) {
  const inventoryLevel = ({ locationId }: { locationId: string }) => {
    const quantity = levels.get(locationId);
    return quantity === undefined ? null : { quantities: () => [{ name: 'available', quantity }] };
  };
  return { ...{ id, sku, price, inventoryPolicy }, inventoryItem: { tracked, inventoryLevel } };
}

/** Whether a shop would sell a variant: it is not counted, sells on, or there is some. */
export function isSoldBy({ tracked, inventoryPolicy, levels }: DoubleVariant): boolean {
  return !tracked || inventoryPolicy === 'CONTINUE' || [...levels.values()].some((quantity) => quantity > 0);
}
