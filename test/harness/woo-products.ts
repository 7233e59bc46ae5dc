import type { Hit } from './stranger.ts';

// Products of a shop of WooCommerce as its REST API has them: SKUs are unique over products and variations, what is in
// the trash aside, and the pictures of a product are read while it is written.

type Meta = { readonly key: string; readonly value: unknown };

export type WooVariation = {
  readonly id: number;
  sku: string;
  stock_status: string;
  readonly attributes: readonly { readonly name: string; readonly option: string }[];
  readonly [member: string]: unknown;
};

export type WooProduct = {
  readonly id: number;
  name: string;
  status: string;
  sku: string;
  description: string;
  attributes: readonly { readonly name: string; readonly options: readonly string[] }[];
  images: readonly { readonly id: number; readonly src: string }[];
  meta_data: readonly Meta[];
  variations: WooVariation[];
  [member: string]: unknown;
};

type Reply = { status: number; body: unknown };
type Sent = Record<string, unknown>;

const refused = (code: string): Reply => ({ status: 400, body: { code, message: 'No.', data: { status: 400 } } });
const unknown = { status: 404, body: { code: 'woocommerce_rest_product_invalid_id', message: 'Invalid ID.' } };

/** The products of a shop, and what answers requests for them. `reach` gives the address of a picture as it is. */
export function openWooProducts(
  nextId: () => number,
  reach: (url: string) => string,
): {
  readonly products: Map<number, WooProduct>;
  readonly answerProducts: (
    hit: Hit,
    path: readonly string[],
    of: { query: URLSearchParams; sent: Sent },
  ) => Promise<Reply>;
} {
  const products = new Map<number, WooProduct>();
  const alive = (): WooProduct[] => [...products.values()].filter(({ status }) => status !== 'trash');
  const isTaken = (sku: unknown): boolean =>
    typeof sku === 'string' &&
    sku !== '' &&
    alive().some((one) => one.sku === sku || one.variations.some((variation) => variation.sku === sku));

  /** WordPress takes a picture by the end of its name and by what it is. */
  async function readImages(sent: unknown, before: WooProduct['images']): Promise<WooProduct['images'] | undefined> {
    const images: { id: number; src: string }[] = [];
    for (const one of (sent ?? []) as { id?: number; src?: string }[]) {
      const known = before.find(({ id }) => id === one.id);
      if (known !== undefined) images.push(known);
      if (known !== undefined || one.src === undefined) continue;
      if (!/\.(jpe?g|png|gif)$/.test(new URL(one.src).pathname)) return undefined;
      const response = await fetch(reach(one.src));
      await response.arrayBuffer();
      if (!response.ok || response.headers.get('content-type') !== 'image/jpeg') return undefined;
      images.push({ id: nextId(), src: one.src });
    }
    return images;
  }

  const view = ({ variations, ...product }: WooProduct): object => ({
    ...product,
    variations: variations.map(({ id }) => id),
  });

  async function write(product: WooProduct, sent: Sent): Promise<Reply> {
    if (sent.sku !== product.sku && isTaken(sent.sku)) return refused('product_invalid_sku');
    const images = sent.images === undefined ? product.images : await readImages(sent.images, product.images);
    if (images === undefined) return refused('woocommerce_product_image_upload_error');
    const { meta_data: meta = [], ...rest } = sent as { meta_data?: Meta[] };
    const kept = product.meta_data.filter(({ key }) => !meta.some((one) => one.key === key));
    Object.assign(product, rest, { images, meta_data: [...kept, ...meta] });
    products.set(product.id, product);
    return { status: 200, body: view(product) };
  }

  function writeBatch(product: WooProduct, { create = [], update = [] }: { create?: Sent[]; update?: Sent[] }): Reply {
    if (create.length + update.length > 100)
      return { status: 413, body: { code: 'woocommerce_rest_request_entity_too_large' } };
    const made = create.map((sent) => {
      if (isTaken(sent.sku)) return { id: 0, error: { code: 'product_invalid_sku', message: 'No.', data: {} } };
      const variation = {
        stock_status: 'instock',
        regular_price: '',
        ...sent,
        id: nextId(),
      } as unknown as WooVariation;
      product.variations.push(variation);
      return variation;
    });
    const changed = update.map((sent) => {
      const variation = product.variations.find(({ id }) => id === sent.id);
      if (variation === undefined)
        return { id: sent.id, error: { code: 'woocommerce_rest_product_variation_invalid_id' } };
      return Object.assign(variation, sent);
    });
    return { status: 200, body: { create: made, update: changed } };
  }

  function find(query: URLSearchParams): object[] {
    const ids = query.get('include')?.split(',').map(Number);
    if (ids !== undefined)
      return alive()
        .filter(({ id }) => ids.includes(id))
        .map(view);
    const skus = query.get('sku')?.split(',') ?? [];
    return alive().flatMap((product) => [
      ...(skus.includes(product.sku) ? [view(product)] : []),
      ...product.variations
        .filter(({ sku }) => skus.includes(sku))
        .map((variation) => ({ ...variation, type: 'variation', parent_id: product.id })),
    ]);
  }

  return {
    products,
    answerProducts: async (hit, [id = '', part = '', last = ''], { query, sent }) => {
      if (id === '' && hit.method === 'GET') return { status: 200, body: find(query) };
      if (id === '') {
        const blank = { id: nextId(), name: '', status: 'publish', sku: '', description: '', attributes: [] };
        const written = await write({ ...blank, images: [], meta_data: [], variations: [] }, sent);
        return written.status === 200 ? { ...written, status: 201 } : written;
      }
      const product = products.get(Number(id));
      if (product === undefined) return unknown;
      if (part === 'variations' && last === 'batch') return writeBatch(product, sent);
      if (part === 'variations') {
        const perPage = Number(query.get('per_page'));
        const from = (Number(query.get('page')) - 1) * perPage;
        return { status: 200, body: product.variations.slice(from, from + perPage) };
      }
      return hit.method === 'PUT' ? write(product, sent) : { status: 200, body: view(product) };
    },
  };
}
