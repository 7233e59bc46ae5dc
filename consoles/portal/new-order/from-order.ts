import { call, type Reply } from '../../shared/api/client.ts';
import { Refused } from '../../shared/api/failures.ts';
import { type Draft, type DraftLine, newDraft, newLine, type Product } from './draft.ts';

/** Products of an order that are looked up; one with more is long to look at in a form. */
const PRODUCTS_MAX = 30;

export type Again = {
  readonly draft: Draft;
  /** Names of lines whose product cannot be ordered any more, or was not looked up. */
  readonly missing: readonly string[];
};

/** The form as an order would fill it in. Pictures of its own and a buyer's inputs stay with the order. */
export async function draftAgain(name: string, signal: AbortSignal): Promise<Again> {
  const order = await call('getOrder', { path: { id: name } }, signal);
  const ids = [...new Set(order.items.map(({ product_id: id }) => id))].slice(0, PRODUCTS_MAX);
  const brands = order.brand === null ? [] : (await call('listBrands', { query: { limit: 100 } }, signal)).data;
  const found = await Promise.all(ids.map((id) => productOf(id, signal)));
  const products = new Map(found.flatMap((product) => (product === undefined ? [] : [[product.id, product] as const])));
  const lines = new Map<string, DraftLine>();
  for (const item of order.items) {
    const product = products.get(item.product_id);
    if (product === undefined) continue;
    const printed = item.print_jobs.map(({ area }) => area);
    const key = `${product.id} ${printed.join(' ')}`;
    const line = lines.get(key) ?? lineFor(product, printed);
    const sku = item.blank_variant_sku;
    const pieces = Number(line.quantities[sku] ?? 0) + item.qty;
    lines.set(key, { ...line, quantities: { ...line.quantities, [sku]: String(pieces) } });
  }
  const missing = order.items.filter(({ product_id: id }) => !products.has(id)).map((item) => item.name);
  return {
    draft: {
      ...newDraft(),
      lines: [...lines.values()],
      ...(order.erased_at === null ? { address: order.shipping_address } : {}),
      // An archived one cannot be named any more.
      brand: brands.find(({ id }) => id === order.brand?.id)?.id ?? '',
      type: order.type === 'sample' ? 'sample' : 'bulk',
    },
    missing: [...new Set(missing)],
  };
}

async function productOf(id: string, signal: AbortSignal): Promise<Product | undefined> {
  try {
    const product: Reply<'getProduct'> = await call('getProduct', { path: { id } }, signal);
    return product.status === 'archived' ? undefined : product;
  } catch (error) {
    if (error instanceof Refused && error.problem.code === 'not_found') return undefined;
    throw error;
  }
}

function lineFor(product: Product, printed: readonly string[]): DraftLine {
  const line = newLine(product);
  if (printed.length === 0) return { ...line, artwork: 'none' };
  const leftOut = product.print_areas.map(({ print_area: area }) => area).filter((area) => !printed.includes(area));
  return { ...line, leftOut };
}
