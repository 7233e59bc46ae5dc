import type { TypedAddress } from '../../shared/address/fields.tsx';
import type { Input, Reply } from '../../shared/api/client.ts';

export type Product = Reply<'getProduct'>;
type Body = Input<'placeOrder'>['body'];
type Item = Body['items'][number];

/** What is printed on the pieces of a line. */
export type Artwork = 'stored' | 'own' | 'none';

/** One product in the form, with as many pieces of each variant as were typed. */
export type DraftLine = {
  readonly key: string;
  readonly product: Product;
  /** By SKU, as typed. */
  readonly quantities: Readonly<Record<string, string>>;
  readonly artwork: Artwork;
  /** The areas with stored designs that are left out. */
  readonly leftOut: readonly string[];
  /** Artwork for this order, by print area. */
  readonly urls: Readonly<Record<string, string>>;
  /** What a buyer filled in, by layer. */
  readonly inputs: Readonly<Record<string, string>>;
};

export type Draft = {
  readonly lines: readonly DraftLine[];
  readonly address: TypedAddress;
  /** The shop's own number; empty when it has none. */
  readonly number: string;
  readonly type: 'bulk' | 'sample';
  /** The id of a shipping service; empty for the service's choice. */
  readonly shipping: string;
  /** The id of a brand, or `none`; empty for the account's default. */
  readonly brand: string;
  readonly notes: string;
};

const NO_ADDRESS: TypedAddress = {
  contact_name: '',
  company_name: '',
  line1: '',
  line2: '',
  city: '',
  county: '',
  postcode: '',
  country_code: 'GB',
  phone: '',
  email: '',
};

/** An empty form. */
export function newDraft(): Draft {
  return { lines: [], address: NO_ADDRESS, number: '', type: 'bulk', shipping: '', brand: '', notes: '' };
}

/** A product that was just chosen. */
export function newLine(product: Product): DraftLine {
  return {
    key: drawKey(),
    product,
    quantities: {},
    artwork: product.print_areas.length === 0 ? 'none' : 'stored',
    leftOut: [],
    urls: {},
    inputs: {},
  };
}

const KEY_LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';

/**
 * Draws the reference by which an order without a number of the shop's own is placed once.
 * The form keeps it until the order is there: pressing again after a lost answer finds that order. 60 bits.
 */
export function drawKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `WEB-${[...bytes].map((byte) => KEY_LETTERS[byte % KEY_LETTERS.length]).join('')}`;
}

/** A line of the order, and the place in the form that it was made from. */
export type Place = { readonly line: DraftLine; readonly sku: string };

/** The variants with a quantity, in the order of the form, which is that of the request's lines. */
export function placesOf({ lines }: Draft): readonly Place[] {
  return lines.flatMap((line) =>
    line.product.variants
      .filter(({ blank_variant_sku: sku }) => (line.quantities[sku] ?? '').trim() !== '')
      .map(({ blank_variant_sku: sku }) => ({ line, sku })),
  );
}

/** What is still missing before the service can be asked for a price; undefined when nothing is. */
export function missingIn(draft: Draft): string | undefined {
  if (draft.lines.length === 0) return 'Choose a product.';
  const empty = draft.lines.find((line) => !placesOf(draft).some((place) => place.line === line));
  if (empty !== undefined) return `Say how many pieces of ${empty.product.name}.`;
  const noArtwork = draft.lines.find(
    ({ artwork, urls }) => artwork === 'own' && Object.values(urls).every((url) => url.trim() === ''),
  );
  if (noArtwork !== undefined) return `Give the artwork of ${noArtwork.product.name}.`;
  const { contact_name: name, line1, city, postcode, country_code: country } = draft.address;
  const isAddressed = [name, line1, city, postcode, country].every((member) => member.trim() !== '');
  return isAddressed ? undefined : 'Fill in the address.';
}

/** The request that the form stands for. */
export function bodyOf(draft: Draft, key: string): Body {
  const { type, shipping, brand, notes, number } = draft;
  return {
    type,
    items: placesOf(draft).map(({ line, sku }) => itemOf(line, sku)),
    shipping_address: addressOf(draft.address),
    external_reference: number.trim() === '' ? key : number.trim(),
    ...(notes.trim() === '' ? {} : { notes: notes.trim() }),
    ...(shipping === '' ? {} : { shipping_service: shipping }),
    ...(brand === '' ? {} : { brand: brand === 'none' ? null : brand }),
  };
}

/** A number as typed; what is none goes as 0, which the service refuses in its words. */
function itemOf(line: DraftLine, sku: string): Item {
  const typed = Number(line.quantities[sku]);
  const item = {
    product_id: line.product.id,
    variant_sku: sku,
    quantity: Number.isInteger(typed) ? typed : 0,
  };
  const { product, artwork } = line;
  if (product.personalised) return { ...item, decoration: { personalisation: { inputs: filled(line.inputs) } } };
  if (artwork === 'none') return { ...item, print_jobs: [] };
  if (artwork === 'own') {
    const areas = product.print_areas.flatMap(({ print_area: area, method }) => {
      const url = (line.urls[area] ?? '').trim();
      return url === '' ? [] : [{ print_area: area, method, artwork_url: url }];
    });
    return { ...item, decoration: { areas } };
  }
  const jobs = product.print_areas.filter(({ print_area: area }) => !line.leftOut.includes(area));
  return { ...item, print_jobs: jobs.map(({ print_area: area, method }) => ({ area, method })) };
}

function filled(inputs: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => value.trim() !== ''));
}

function addressOf(address: TypedAddress): Body['shipping_address'] {
  const { contact_name: name, line1, city, postcode, country_code: country, ...optional } = address;
  return {
    contact_name: name.trim(),
    line1: line1.trim(),
    city: city.trim(),
    postcode: postcode.trim(),
    country_code: country,
    ...filled(optional),
  };
}
