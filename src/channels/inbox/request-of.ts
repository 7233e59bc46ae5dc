import { countryCodeOf } from '../../lib/countries.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Order, PlaceOrderItem } from '../../orders/schema.ts';
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

/** Which items of a shop the lines of a placed order are of, as far as that can be seen. */
export type SeenItems = {
  readonly items: readonly KeptItem[];
  /** The lines as a request has them that places them again. */
  readonly lines: readonly unknown[];
  /** Of no variant it is in doubt which of its items was placed. */
  readonly isClear: boolean;
};

/**
 * Finds the items of a shop of which an order was placed, by the variants of its lines.
 * A line of which the shop has no item any more is one that it wants no pieces of. Pure.
 */
export function itemsOfOrder(
  given: readonly ShopItem[],
  resolved: readonly ResolvedItem[],
  { body, itemOfLine }: ShopRequest,
  order: Pick<Order, 'items'>,
): SeenItems {
  const asked = body.items as readonly Pick<PlaceOrderItem, 'product_id' | 'variant_sku'>[];
  const variantOf = (line: number): string => `${asked[line]?.product_id}/${asked[line]?.variant_sku}`;
  const left = new Map(Map.groupBy(asked.keys(), variantOf));
  const placed = Map.groupBy(order.items, (line) => `${line.product_id}/${line.blank_variant_sku}`);
  const isClear = [...placed].every(([variant, lines]) => {
    const count = left.get(variant)?.length ?? 0;
    return lines.length === count || Math.max(lines.length, count) === 1;
  });
  const seen = order.items.map((line, place) => {
    const { product_id, blank_variant_sku: variant_sku, qty: quantity, print_jobs, name } = line;
    const of = left.get(`${product_id}/${variant_sku}`)?.shift();
    const item = of === undefined ? undefined : given[itemOfLine[of] ?? -1];
    if (of === undefined || item === undefined) {
      const gone = { id: `line ${place + 1}`, key: '', title: name, quantity, line: place };
      return { kept: gone, line: { product_id, variant_sku, quantity, print_jobs } };
    }
    const kept = { id: item.id, key: itemKey(item), title: itemTitle(item), quantity, line: place };
    return { kept, line: { ...asked[of], quantity } };
  });
  const others = keptItems(given.filter((_item, index) => resolved[index]?.kind === 'others'));
  return { items: [...seen.map(({ kept }) => kept), ...others], lines: seen.map(({ line }) => line), isClear };
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
