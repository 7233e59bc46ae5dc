import { countryCodeOf } from '../../lib/countries.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { enteredInputs, unreadNames } from '../../products/entered-inputs.ts';
import type { ServiceRule } from '../connected/channel-sql.ts';
import type { ResolvedItem } from '../items/resolve-items.ts';
import { itemKey, itemTitle, type KeptItem, type ShopItem, type ShopOrder } from '../shop-order.ts';

/**
 * The order of a shop as `POST /orders` would be sent it, not checked yet.
 * It says from which item each of its lines comes.
 */
export type ShopRequest = {
  readonly body: Readonly<Record<string, unknown>>;
  /** For each line of the body, the place of its item in the shop's order. */
  readonly itemOfLine: readonly number[];
};

/**
 * The external reference of an order of a shop.
 * The number that a shop shows is unique in that shop alone, so the reference is made of the channel and the id.
 */
export function referenceOf(channelId: Uuid, shopOrderId: string): string {
  return `${publicId('chan', channelId)}:${shopOrderId}`;
}

/**
 * Makes a request of an order of a shop.
 * It has the lines that are ours, with all their stored designs or what the buyer entered. Pure; what `POST /orders`
 * refuses is left to its own code.
 */
export function requestOf(
  order: ShopOrder,
  by: {
    readonly channelId: Uuid;
    readonly items: readonly ResolvedItem[];
    readonly services: readonly ServiceRule[];
  },
): ShopRequest {
  const itemOfLine: number[] = [];
  const lines = order.items.flatMap((item, index) => {
    const resolved = by.items[index];
    if (resolved?.kind !== 'ours') return [];
    itemOfLine.push(index);
    return [lineOf(item, resolved)];
  });
  const service = serviceOf(order, by.services);
  const number = order.number === undefined || order.number === '' ? order.id : order.number;
  return {
    itemOfLine,
    body: {
      external_reference: referenceOf(by.channelId, order.id),
      items: lines,
      shipping_address: requestAddress(order.shipping_address),
      ...(order.note === undefined || order.note === '' ? {} : { notes: order.note }),
      ...(service === undefined ? {} : { shipping_service: service }),
      metadata: { channel: publicId('chan', by.channelId), shop_order: order.id, shop_number: number },
    },
  };
}

/** What stays of the items once their order is placed: with their lines, without what a buyer entered. */
export function keptItems(items: readonly ShopItem[], itemOfLine: readonly number[] = []): KeptItem[] {
  const lineOfItem = new Map(itemOfLine.map((item, line) => [item, line]));
  return items.map((item, index) => {
    const line = lineOfItem.get(index);
    const kept = { id: item.id, key: itemKey(item), title: itemTitle(item), quantity: item.quantity };
    return line === undefined ? kept : { ...kept, line };
  });
}

function serviceOf({ shipping_method: method }: ShopOrder, services: readonly ServiceRule[]): string | undefined {
  const wanted = method?.trim().toLowerCase();
  if (wanted === undefined || wanted === '') return undefined;
  return services.find(({ theirs }) => theirs.trim().toLowerCase() === wanted)?.ours;
}

const OPTIONAL = ['company_name', 'line2', 'county', 'phone', 'email'] as const;

/** The address of a shop's order as a request has it: without members that are empty. Pure. */
export function requestAddress(address: ShopOrder['shipping_address']): Record<string, string> {
  const { contact_name: contact, line1, city, postcode, country_code: country } = address;
  const optional = OPTIONAL.flatMap((name) => {
    const text = address[name]?.trim();
    return text === undefined || text === '' ? [] : [[name, text] as const];
  });
  const given = country?.trim() ?? '';
  return {
    contact_name: contact?.trim() ?? '',
    line1: line1?.trim() ?? '',
    city: city?.trim() ?? '',
    postcode: postcode?.trim() ?? '',
    country_code: countryCodeOf(given) ?? given,
    ...Object.fromEntries(optional),
  };
}

type Ours = Extract<ResolvedItem, { kind: 'ours' }>;

function lineOf(item: ShopItem, { productId, variantSku, prints, template }: Ours): Record<string, unknown> {
  const line = { product_id: publicId('prod', productId), variant_sku: variantSku, quantity: item.quantity };
  if (template === undefined) return { ...line, print_jobs: prints };
  return {
    ...line,
    decoration: { personalisation: { inputs: enteredInputs(item.properties ?? [], template.layers) } },
  };
}

/** For each item the names of what its buyer entered that its product has no place for. Pure. */
export function unreadProperties(order: ShopOrder, items: readonly ResolvedItem[]): (readonly string[])[] {
  return order.items.map(({ properties = [] }, index) => {
    const resolved = items[index];
    if (resolved?.kind !== 'ours' || resolved.template === undefined) return [];
    return unreadNames(properties, resolved.template.layers);
  });
}
