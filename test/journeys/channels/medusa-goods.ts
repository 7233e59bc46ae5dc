import type { Hit } from '../../harness/stranger.ts';

// Products of a shop of Medusa, as its admin API answers. A merchant's edits are plain assignments.

export type MedusaVariant = {
  id: string;
  title: string;
  sku: string;
  manage_inventory: boolean;
  allow_backorder: boolean;
  prices: object[];
  options: Record<string, string>;
  inventory_items: { inventory_item_id: string; inventory: { location_levels: Level[] } }[];
};

type Level = { location_id: string; stocked_quantity: number };

export type MedusaProduct = {
  id: string;
  title: string;
  handle: string;
  description: string;
  status: string;
  external_id: string;
  images: { url: string }[];
  sales_channels: { id: string }[];
  shipping_profile_id: string;
  options: { id: string; title: string; values: { value: string }[] }[];
  variants: MedusaVariant[];
};

export type MedusaGoods = { readonly products: MedusaProduct[]; isWithoutPlaces: boolean };

type Serve = (path: string, act: (hit: Hit) => readonly [number, unknown]) => void;
type Given = Omit<MedusaProduct, 'options' | 'variants'> & {
  options: { title: string; values: string[] }[];
  variants: MedusaVariant[];
};
type Batch = { create?: MedusaVariant[]; update?: (Partial<MedusaVariant> & { id: string })[] };

const refusal = (message: string) => [400, { type: 'invalid_data', message }] as const;

/** Serves what is asked about products. */
export function serveProducts(goods: MedusaGoods, serve: Serve, next: (prefix: string) => string): void {
  const places = [
    { id: 'sloc_unused', sales_channels: [] },
    { id: 'sloc_1', sales_channels: [{ id: 'sc_1' }] },
  ];
  serve('/admin/stock-locations', () => [200, { stock_locations: goods.isWithoutPlaces ? [] : places }]);
  const ways = [
    { id: 'so_gifts', shipping_profile_id: 'sp_gifts', shipping_profile: { type: 'custom' } },
    { id: 'so_1', shipping_profile_id: 'sp_1', shipping_profile: { type: 'default' } },
  ];
  serve('/admin/shipping-options', () => [200, { shipping_options: ways }]);
  serve('/admin/inventory-items/location-levels/batch', ({ body }) => {
    const { create } = JSON.parse(body.toString()) as { create: (Level & { inventory_item_id: string })[] };
    const items = goods.products.flatMap(({ variants }) => variants.flatMap((one) => one.inventory_items));
    for (const { inventory_item_id: id, ...level } of create) {
      items.find((item) => item.inventory_item_id === id)?.inventory.location_levels.push(level);
    }
    return [200, {}];
  });
  /** A variant that is counted has a thing to count, which is nowhere yet. */
  const variantOf = (given: MedusaVariant): MedusaVariant => ({
    ...{ ...given, id: next('variant') },
    inventory_items: given.manage_inventory
      ? [{ inventory_item_id: next('iitem'), inventory: { location_levels: [] } }]
      : [],
  });
  const serveProduct = (product: MedusaProduct): void => {
    const path = `/admin/products/${product.id}`;
    const isThere = () => goods.products.includes(product);
    serve(path, () => (isThere() ? [200, { product }] : [404, { type: 'not_found', message: 'not found' }]));
    serve(`${path}/options/batch`, ({ body }) => {
      const { update } = JSON.parse(body.toString()) as {
        update: { product_option_id: string; add: { value: string }[] }[];
      };
      for (const { product_option_id: id, add } of update) {
        const option = product.options.find((one) => one.id === id);
        option?.values.push(...add);
      }
      return [200, { product }];
    });
    serve(`${path}/variants/batch`, ({ body }) => {
      const { create = [], update = [] } = JSON.parse(body.toString()) as Batch;
      for (const { options, sku } of create) {
        const isKnown = product.options.every(({ title, values }) =>
          values.some(({ value }) => value === options[title]),
        );
        if (!isKnown) return refusal('Option value does not exist for option');
        if (product.variants.some((one) => one.sku === sku)) return refusal('Variant with sku already exists.');
      }
      product.variants.push(...create.map(variantOf));
      for (const { id, ...changes } of update)
        Object.assign(product.variants.find((one) => one.id === id) ?? {}, changes);
      return [200, { created: [], updated: [] }];
    });
  };
  serve('/admin/products', ({ method, path, body }) => {
    if (method === 'GET') {
      const { searchParams } = new URL(path, 'https://shop');
      const [ofOurs, ids] = [searchParams.get('external_id'), searchParams.getAll('id[]')];
      const products = goods.products.filter((one) =>
        ids.length > 0 ? ids.includes(one.id) : one.external_id === ofOurs,
      );
      return [200, { products, count: products.length }];
    }
    const { options, variants, ...given } = JSON.parse(body.toString()) as Given;
    if (given.title === '') return refusal('A title is needed.');
    if (goods.products.some(({ handle }) => handle === given.handle))
      return refusal('Product with handle already exists.');
    const product: MedusaProduct = {
      ...{ ...given, id: next('prod') },
      options: options.map(({ title, values }) => {
        return { id: next('opt'), title, values: values.map((value) => ({ value })) };
      }),
      variants: variants.map(variantOf),
    };
    goods.products.push(product);
    serveProduct(product);
    return [200, { product }];
  });
}

/** Whether a shop would sell a variant: without a price it would not, for which its people see to it. */
export function isSoldThere({ manage_inventory: isCounted, allow_backorder: isSoldOn }: MedusaVariant): boolean {
  return !isCounted || isSoldOn;
}
