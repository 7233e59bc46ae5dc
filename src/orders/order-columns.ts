import type { Uuid } from '../lib/ids.ts';
import type { ShippingOffer } from '../pricing/shipping.ts';
import type { Address, PlaceOrderBody } from './schema.ts';

/**
 * The columns that an order is placed with, listed once.
 * The statements that place, read and replace an order and the types of their rows are made from these tables. One
 * more column that a request gives takes a line here, beside its member in `schema.ts`, its place in `view.ts` and a
 * migration.
 */

export type StoredAddress = {
  contact_name: string;
  company_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  phone: string;
  /** Absent in orders of earlier versions. */
  email?: string;
};

/** The brand that an order was placed with: its name then, and what its packing slip prints. */
export type StoredBrand = { id: Uuid; name: string; revision_id: Uuid };

/**
 * A setup that an order needs.
 * `amount_pence` is what it is charged with this order: 0 for one that another order has paid (`already_paid`).
 */
export type StoredSetup = {
  design_hash: string;
  method: string;
  amount_pence: number;
  already_paid?: true;
  /** The lines that use it, from 0, and their print areas; absent in orders of earlier versions. */
  lines?: number[];
  areas?: string[];
};

/** SQL of the setups that an order `o` charges. */
export const CHARGED_SETUPS = `jsonb_path_query_array(o.setups, '$[*] ? (@.amount_pence > 0)')`;

type SqlType = 'text' | 'jsonb' | 'bigint' | 'bytea';

type RequestColumn<T> = {
  readonly sql: SqlType;
  /** The value that a request gives it. */
  readonly from: (body: PlaceOrderBody) => T;
  /** Whether the order's owner reads it too; operators read all of them. */
  readonly isPublic: boolean;
};

function read<T>(sql: SqlType, from: (body: PlaceOrderBody) => T): RequestColumn<T> {
  return { sql, from, isPublic: true };
}

/** What the customer sent. A replacement copies all of it. */
const FROM_REQUEST = {
  type: read('text', (body): 'sample' | 'bulk' => body.type ?? 'bulk'),
  notes: read('text', (body) => body.notes ?? ''),
  metadata: read('jsonb', (body): Record<string, string> => body.metadata ?? {}),
  eori_number: read('text', (body) => body.customs?.eori_number ?? ''),
  ioss_number: read('text', (body) => body.customs?.ioss_number ?? ''),
  // A request names its id alone: `draftOrder` has the rest.
  brand: read('jsonb', (): StoredBrand | null => null),
  shipping_address: read('jsonb', (body) => storedAddress(body.shipping_address)),
  billing_address: {
    ...read('jsonb', (body) => storedAddress(body.billing_address ?? body.shipping_address)),
    isPublic: false,
  },
};

export type RequestColumns = { [Name in keyof typeof FROM_REQUEST]: ReturnType<(typeof FROM_REQUEST)[Name]['from']> };

/** What the quote says and the owner reads. */
const FROM_QUOTE = {
  shipping: 'jsonb',
  setups: 'jsonb',
  warnings: 'jsonb',
  subtotal_pence: 'bigint',
  setup_pence: 'bigint',
  shipping_pence: 'bigint',
  vat_pence: 'bigint',
  duty_pence: 'bigint',
} as const satisfies Record<string, SqlType>;

export type QuoteColumns = {
  shipping: ShippingOffer;
  setups: StoredSetup[];
  warnings: { code: string; path: string; message: string }[];
  subtotal_pence: number;
  setup_pence: number;
  shipping_pence: number;
  vat_pence: number;
  duty_pence: number;
};

/** What of it an order shows: the service, by whose days it is due, and the warnings of its placing. */
const SHOWN_OF_QUOTE = ['shipping', 'warnings'] as const;

/** The rest of it is the price, which only the answer to placing shows, and a repeat of it. */
export type PriceColumns = Omit<QuoteColumns, (typeof SHOWN_OF_QUOTE)[number]>;

/** What only the order's accounting needs, or the comparison with a repeat of its request. */
const UNREAD = { vat_breakdown: 'jsonb', vat_territory: 'text', fingerprint: 'bytea' } as const satisfies Record<
  string,
  SqlType
>;

/** What the service itself sets. */
const DRAWN = { reference: 'text', source: 'text' } as const satisfies Record<string, SqlType>;

export type DrawnColumns = { reference: string; source: 'api' | 'portal' | 'channel' | 'replacement' };

const requestTypes = Object.entries(FROM_REQUEST).map(([name, { sql }]): [string, SqlType] => [name, sql]);
const placed: readonly (readonly [string, SqlType])[] = [
  ...Object.entries(DRAWN),
  ...requestTypes,
  ...Object.entries(FROM_QUOTE),
  ...Object.entries(UNREAD),
];
const publicNames = [
  ...Object.keys(DRAWN),
  ...Object.entries(FROM_REQUEST).flatMap(([name, { isPublic }]) => (isPublic ? [name] : [])),
  ...Object.keys(FROM_QUOTE),
];

/**
 * The columns with their types.
 * The function that places orders names each of them (`place_orders`, in the latest migration that makes it).
 */
export const PLACED_COLUMNS = placed;

/** SQL of what a replacement copies from the order that it makes good for. */
export const COPIED_NAMES = [...Object.keys(FROM_REQUEST), 'shipping'].join(', ');

const columnsOf = (names: readonly string[]): string => names.map((name) => `o.${name}`).join(', ');

/** SQL of what the owner reads of these columns, of an order `o`. */
export const PUBLIC_COLUMNS = columnsOf(publicNames);

/** As `PUBLIC_COLUMNS`, of an order that is shown: without its `PriceColumns`. */
export const SHOWN_PUBLIC_COLUMNS = columnsOf(
  publicNames.filter((name) => !(name in FROM_QUOTE) || SHOWN_OF_QUOTE.some((shown) => shown === name)),
);

/** The values that a request gives to its columns. */
export function requestColumns(body: PlaceOrderBody): RequestColumns {
  const values = Object.entries(FROM_REQUEST).map(([name, { from }]) => [name, from(body)] as const);
  return Object.fromEntries(values) as RequestColumns;
}

/** Every member of an address; `""` if it was not given (decisions, "Absent values"). */
export function storedAddress(address: Address): Required<StoredAddress> {
  return {
    contact_name: address.contact_name,
    company_name: address.company_name ?? '',
    line1: address.line1,
    line2: address.line2 ?? '',
    city: address.city,
    county: address.county ?? '',
    postcode: address.postcode,
    country_code: address.country_code,
    phone: address.phone ?? '',
    email: address.email ?? '',
  };
}
