import { indexedKey } from '../lib/indexed-key.ts';
import { Timestamp } from '../lib/schemas.ts';
import { type Static, type TSchema, Type } from '../lib/typebox.ts';
import { LINES_MAX } from '../orders/schema.ts';

const ID_MAX = 100;
const TEXT_MAX = 500;
const VALUE_MAX = 5_000;
const PROPERTIES_MAX = 100;
const PIECES_MAX = 10_000;

const Id = (description: string) => Type.String({ minLength: 1, maxLength: ID_MAX, pattern: '\\S', description });
const Text = (description: string, maxLength = TEXT_MAX) => Type.Optional(Type.String({ maxLength, description }));
const Flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/**
 * The address of a shop's order, as a buyer typed it.
 * It is checked when the order is placed: what is wrong with it stands in the inbox, and stops no other order.
 */
const ShopAddress = Type.Object(
  {
    contact_name: Text('Who receives the parcel.'),
    company_name: Text('Company.'),
    line1: Text('Street and number.'),
    line2: Text('Second address line.'),
    city: Text('Town or city.'),
    county: Text('County, state or province.'),
    postcode: Text('Postcode.'),
    country_code: Text('ISO 3166-1 alpha-2, or the name of the country in English.'),
    phone: Text('Phone number.'),
    email: Text('E-mail address of the recipient.'),
  },
  { title: 'ShopAddress' },
);

const ShopItem = Type.Object(
  {
    id: Id("The shop's id of this line."),
    variant_id: Text("The shop's id of the variant: it stays the same when a SKU or a title is changed."),
    sku: Text('The SKU in the shop. `<product id>/<variant_sku>` of ours needs no mapping.'),
    title: Type.String({ minLength: 1, maxLength: TEXT_MAX, description: 'What the buyer saw.' }),
    options: Text('Colour and size, such as `Black / M`.'),
    quantity: Type.Integer({ minimum: 1, maximum: PIECES_MAX, description: 'Pieces.' }),
    sent_quantity: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: PIECES_MAX,
        description: 'Those of them that are sent already. What was sent before the order is placed is not made.',
      }),
    ),
    made_by_others: Flag('Another makes this line, whatever it is: it is left to them.'),
    on_hold: Flag('The shop holds this line: the order waits, unless others make it.'),
    scheduled_for: Type.Optional({ ...Timestamp, description: 'The order waits for this day, unless others make it.' }),
    properties: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ minLength: 1, maxLength: TEXT_MAX }),
          value: Type.String({ maxLength: VALUE_MAX }),
        }),
        {
          maxItems: PROPERTIES_MAX,
          description: 'What the buyer entered: the id or the name of a layer, and its value.',
        },
      ),
    ),
  },
  { title: 'ShopItem' },
);

/** An order of a shop, in the form that every platform is read into. */
export const ShopOrderBody = Type.Object(
  {
    id: Id("The shop's own id of the order, which never changes."),
    number: Text('The number that the shop shows, such as `#1001`; the id when left out.', ID_MAX),
    ordered_at: { ...Timestamp, description: 'When the buyer ordered. One of before the shop was connected waits.' },
    updated_at: {
      ...Timestamp,
      description: 'When the shop changed the order last. What is older than what came before changes nothing.',
    },
    test: Flag('A test of the shop: it is never placed.'),
    cancelled: Flag('The shop has cancelled it.'),
    fulfilled: Flag('The shop has sent it already: it is not made.'),
    unpaid: Flag('The buyer has not paid: it waits.'),
    on_hold: Flag('The shop holds it: it waits.'),
    unknown_status: Flag(
      'The shop has a status of its own for it, which says nothing here: it waits until it is placed.',
    ),
    high_risk: Flag('The shop suspects fraud: it waits for a person.'),
    risk_pending: Flag('The shop is still looking whether it is fraud: it waits for that, for half an hour at most.'),
    scheduled_for: Type.Optional({ ...Timestamp, description: 'It waits for this day.' }),
    shipping_method: Text('What the buyer chose; the rules of the channel say which service that is here.'),
    note: Text('A note for the print shop.', 1_000),
    shipping_address: ShopAddress,
    items: Type.Array(ShopItem, { minItems: 1, maxItems: LINES_MAX, description: 'All lines, those of others too.' }),
  },
  { title: 'ShopOrderBody' },
);
export type ShopOrder = Static<typeof ShopOrderBody>;
export type ShopItem = ShopOrder['items'][number];

/**
 * An order as it is kept: without members that are not known here.
 * Shops send much of their buyers that no order needs.
 */
export function knownOrder(order: ShopOrder): ShopOrder {
  return onlyKnown(ShopOrderBody, order) as ShopOrder;
}

function onlyKnown(schema: TSchema, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown) => ('items' in schema ? onlyKnown(schema.items as TSchema, item) : item));
  if (typeof value !== 'object' || value === null || !('properties' in schema)) return value;
  const members = schema.properties as Readonly<Record<string, TSchema>>;
  const known = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const own = Object.hasOwn(members, name) ? members[name] : undefined;
    return own === undefined ? [] : [[name, onlyKnown(own, member)]];
  });
  return Object.fromEntries(known);
}

/** An item as it is kept with its order for good: without what a buyer entered. */
export type KeptItem = {
  readonly id: string;
  readonly key: string;
  readonly title: string;
  readonly quantity: number;
  /** The place of its line in the order, from 0; absent until it is placed, and for what others make. */
  readonly line?: number;
};

/** How many pieces of an item there are, by the shop's ids, of which any text may be one. Pure. */
export function piecesIn(pieces: Readonly<Record<string, number>>, id: string): number {
  return Object.hasOwn(pieces, id) ? (pieces[id] ?? 0) : 0;
}

/**
 * The name by which an item is known from one order to the next.
 * The shop's id of the variant outlives a new SKU, and a SKU outlives a new title. One that is too long for an index
 * ends in a digest of it.
 */
export function itemKey(item: ShopItem): string {
  return indexedKey(wholeKey(item));
}

function wholeKey({ variant_id: variantId, sku, title, options }: ShopItem): string {
  if (variantId !== undefined && variantId.trim() !== '') return `variant ${variantId}`;
  if (sku !== undefined && sku.trim() !== '') return `sku ${sku}`;
  return `title ${title}${options === undefined || options === '' ? '' : ` - ${options}`}`;
}

/** What people are shown of an item. */
export function itemTitle({ title, options }: ShopItem): string {
  return options === undefined || options === '' ? title : `${title} - ${options}`;
}
