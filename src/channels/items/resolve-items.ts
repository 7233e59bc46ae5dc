import type { Caller } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { findNamedProducts } from '../../products/find-named.ts';
import type { PersonalisationTemplate } from '../../products/personalisation-template.ts';
import { readOwnProduct } from '../../products/read-products.ts';
import { itemKey, type ShopItem } from '../shop-order.ts';
import { enteredNames } from './entered-names.ts';
import { findItems, type ItemRow } from './item-sql.ts';

/** What an item of a shop is here. */
export type ResolvedItem =
  | {
      readonly kind: 'ours';
      readonly productId: Uuid;
      readonly variantSku: string;
      /** Every stored design, as it is printed. */
      readonly prints: readonly { readonly area: string; readonly method: string }[];
      /** Nothing would be printed on it, whatever a buyer enters. */
      readonly isBlank: boolean;
      /**
       * Names of what its buyer entered though it is not personalised.
       * None once a person has said that it does not matter.
       */
      readonly entries: readonly string[];
      /** What a buyer fills in; absent where nothing is. */
      readonly template?: PersonalisationTemplate;
    }
  | { readonly kind: 'others' }
  | { readonly kind: 'missing' };

/**
 * Finds out what the items of a shop's order are.
 * By their mapping, or by a SKU that names a product of ours; any other is what the shop's rule says of the unknown.
 * A mapping to a product that was archived since, or to a variant that it has no more, counts as missing, so that a
 * person looks at it.
 */
export async function resolveItems(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  channelId: Uuid,
  items: readonly ShopItem[],
  unknown: 'missing' | 'others' = 'missing',
): Promise<ResolvedItem[]> {
  const { accountId } = caller;
  const rows = await findItems(ctx.database, accountId, channelId, [...new Set(items.map(itemKey))]);
  const known = new Map(rows.map((row) => [row.key, row]));
  const targets = items.map((item): { productId: Uuid; sku: string } | 'others' | undefined => {
    if (item.made_by_others === true) return 'others';
    const row = known.get(itemKey(item));
    if (row === undefined) return namedBySku(item);
    return row.product_id === null || row.variant_sku === null
      ? 'others'
      : { productId: row.product_id, sku: row.variant_sku };
  });
  const ids = targets.flatMap((target) => (typeof target === 'object' ? [target.productId] : []));
  const found = await findNamedProducts(ctx, accountId, { ids: [...new Set(ids)], names: [], skus: [] });
  const products = new Map(found.map((product) => [product.id, product]));
  const templates = new Map<Uuid, PersonalisationTemplate>();
  for (const { id, personalised } of found) {
    if (!personalised) continue;
    const { personalisation } = await readOwnProduct(ctx, caller, publicId('prod', id));
    if (personalisation !== null) templates.set(id, personalisation);
  }
  return targets.map((target, index): ResolvedItem => {
    if (target === undefined) return { kind: unknown };
    if (target === 'others') return { kind: 'others' };
    const product = products.get(target.productId);
    if (product === undefined || !product.skus.includes(target.sku)) return { kind: 'missing' };
    const template = templates.get(product.id);
    const prints = product.areas.map(({ print_area: area, method }) => ({ area, method }));
    return {
      kind: 'ours',
      productId: product.id,
      variantSku: target.sku,
      prints,
      isBlank: prints.length === 0 && template === undefined,
      entries: template === undefined ? entriesOf(items[index], known) : [],
      ...(template === undefined ? {} : { template }),
    };
  });
}

function entriesOf(item: ShopItem | undefined, known: ReadonlyMap<string, ItemRow>): readonly string[] {
  if (item === undefined || known.get(itemKey(item))?.ignores_entries === true) return [];
  return enteredNames(item);
}

/** The variant that a SKU of the form `<product id>/<variant_sku>` names. */
function namedBySku({ sku = '' }: ShopItem): { productId: Uuid; sku: string } | undefined {
  const at = sku.indexOf('/');
  const productId = at === -1 ? undefined : parseId('prod', sku.slice(0, at));
  return productId === undefined ? undefined : { productId, sku: sku.slice(at + 1) };
}
