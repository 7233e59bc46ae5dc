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

type LineAgain = Reply<'getOrderAgain'>['lines'][number];

/** The form as an order would fill it in: each line as it was placed, with what is not as it was. */
export async function draftAgain(name: string, signal: AbortSignal): Promise<Again> {
  const path = { id: name };
  const [order, again] = await Promise.all([
    call('getOrder', { path }, signal),
    call('getOrderAgain', { path }, signal),
  ]);
  const orderable = again.lines.filter(({ can_be_ordered: can }) => can);
  const ids = [...new Set(orderable.map(({ product_id: id }) => id))].slice(0, PRODUCTS_MAX);
  const brands = order.brand === null ? [] : (await call('listBrands', { query: { limit: 100 } }, signal)).data;
  const found = await Promise.all(ids.map((id) => productOf(id, signal)));
  const products = new Map(found.flatMap((product) => (product === undefined ? [] : [[product.id, product] as const])));
  const isTaken = ({ product_id: id, can_be_ordered: can }: LineAgain): boolean => can && products.has(id);
  const names = new Map(order.items.map((item) => [item.id, item.name]));
  const missing = again.lines.filter((line) => !isTaken(line)).map(({ line_id: id }) => names.get(id) ?? id);
  return {
    draft: {
      ...newDraft(),
      lines: linesOf(again.lines.filter(isTaken), products),
      ...(order.erased_at === null ? { address: order.shipping_address } : {}),
      // An archived one cannot be named any more.
      brand: brands.find(({ id }) => id === order.brand?.id)?.id ?? '',
      type: order.type === 'sample' ? 'sample' : 'bulk',
    },
    missing: [...new Set(missing)],
  };
}

/** Lines that differ in their variant alone stand together, as they are filled in. */
function linesOf(again: readonly LineAgain[], products: ReadonlyMap<string, Product>): DraftLine[] {
  const lines = new Map<string, DraftLine>();
  for (const placed of again) {
    const product = products.get(placed.product_id);
    if (product === undefined) continue;
    const { name, artwork, print_jobs: jobs, areas, inputs } = placed;
    const alike = JSON.stringify([product.id, name, artwork, jobs, areas, inputs]);
    let key = alike;
    while (lines.get(key)?.quantities[placed.variant_sku] !== undefined) key += ' ';
    lines.set(key, withPieces(lines.get(key) ?? lineOf(product, placed), placed));
  }
  return [...lines.values()];
}

function lineOf(product: Product, { name, artwork, print_jobs: jobs, areas, inputs }: LineAgain): DraftLine {
  const printed = jobs.map(({ area }) => area);
  const line = {
    ...newLine(product),
    inputs,
    urls: Object.fromEntries(areas.map(({ print_area: area, artwork_url: url }) => [area, url ?? ''])),
    before: {
      name,
      methods: Object.fromEntries(jobs.map(({ area, method }) => [area, method])),
      areas,
      labels: {},
      notes: [],
    },
  };
  if (artwork === 'own') return { ...line, artwork: 'own' };
  if (artwork === 'none') return { ...line, artwork: 'none' };
  const leftOut = product.print_areas.map(({ print_area: area }) => area).filter((area) => !printed.includes(area));
  return { ...line, leftOut };
}

function withPieces(line: DraftLine, placed: LineAgain): DraftLine {
  const { variant_sku: sku, quantity, colour, size, declared_unit_price: declared, notes } = placed;
  const { before } = line;
  if (before === undefined) return line;
  const labels = {
    ...(colour === '' ? {} : { colour }),
    ...(size === '' ? {} : { size }),
    ...(declared === null ? {} : { declared_unit_price: declared }),
  };
  return {
    ...line,
    // A variant that is not offered any more has no field: another one is chosen for its pieces.
    quantities: notes.some(({ code }) => code === 'variant_dropped')
      ? line.quantities
      : { ...line.quantities, [sku]: String(quantity) },
    before: {
      ...before,
      labels: { ...before.labels, [sku]: labels },
      notes: [...new Set([...before.notes, ...notes.map(({ message }) => message)])],
    },
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
