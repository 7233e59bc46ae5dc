import type { Context } from '../../lib/context.ts';
import { publicId } from '../../lib/ids.ts';
import { enteredInputs } from '../../products/entered-inputs.ts';
import type { ShopOrderWithAddress } from '../inbox-schema.ts';
import { type ResolvedItem, resolveItems } from '../items/resolve-items.ts';
import type { ShopItem } from '../shop-order.ts';
import type { InboxRow } from './inbox-sql.ts';
import { isKnown, shopOrderView } from './inbox-view.ts';

/** An order of a shop with the address that it is to go to, and what its buyer entered for each item. */
export async function wholeShopOrder(ctx: Pick<Context, 'database'>, row: InboxRow): Promise<ShopOrderWithAddress> {
  const content = isKnown(row) ? row.content : null;
  const view = shopOrderView(row);
  const sent = content?.items ?? [];
  const resolved = await resolvedOf(ctx, row, sent);
  return {
    ...view,
    items: view.items.map((item, index) => ({
      ...item,
      entered: enteredIn(sent[index]),
      personalisation: personalisationOf(sent[index], resolved[index]),
      line: row.items[index]?.line ?? null,
    })),
    shipping_address: content === null ? null : { ...NO_ADDRESS, ...content.shipping_address },
  };
}

const NO_ADDRESS = {
  contact_name: '',
  company_name: '',
  line1: '',
  line2: '',
  city: '',
  county: '',
  postcode: '',
  country_code: '',
  phone: '',
  email: '',
} as const;

/** What the items are here, where a buyer has entered anything: most orders are not asked about. */
async function resolvedOf(
  ctx: Pick<Context, 'database'>,
  { account_id: accountId, channel_id: channelId }: InboxRow,
  items: readonly ShopItem[],
): Promise<ResolvedItem[]> {
  if (items.every((item) => enteredIn(item).length === 0)) return [];
  return resolveItems(ctx, { accountId, limitedAs: '', scopes: new Set() }, channelId, items);
}

function enteredIn(item: ShopItem | undefined): { name: string; value: string }[] {
  return (item?.properties ?? []).filter(({ name, value }) => !name.startsWith('_') && value.trim() !== '');
}

type PersonalisationOf = ShopOrderWithAddress['items'][number]['personalisation'];

function personalisationOf(item: ShopItem | undefined, resolved: ResolvedItem | undefined): PersonalisationOf {
  if (item === undefined || resolved?.kind !== 'ours' || resolved.template === undefined) return null;
  return {
    product_id: publicId('prod', resolved.productId),
    variant_sku: resolved.variantSku,
    inputs: enteredInputs(item.properties ?? [], resolved.template.layers),
  };
}
