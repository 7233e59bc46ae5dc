import type { TypedAddress } from '../../shared/address/fields.tsx';
import type { Input, Reply } from '../../shared/api/client.ts';
import { wordsOf } from '../../shared/values/words.ts';

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
  /** What it has of the order that it is placed again from. */
  readonly before?: Before;
};

/** Artwork of an earlier order that is kept; placed as it was unless other artwork is given. */
export type KeptArea = Reply<'getOrderAgain'>['lines'][number]['areas'][number];

/** What a line of an earlier order was placed with beside its pieces, artwork and inputs. */
export type Before = {
  /** Its label, where it is not the product's name. */
  readonly name: string;
  /** By area. */
  readonly methods: Readonly<Record<string, string>>;
  readonly areas: readonly KeptArea[];
  /** By SKU. */
  readonly labels: Readonly<Record<string, Pick<Item, 'colour' | 'size' | 'declared_unit_price'>>>;
  /** In words, what of it is not as it was. */
  readonly notes: readonly string[];
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
  const [lost] = draft.lines.flatMap((line) => lostAreas(line).map((area) => ({ area, line })));
  if (lost !== undefined) {
    return `Give the artwork of ${lost.line.product.name} for ${wordsOf(lost.area)}, or print nothing there.`;
  }
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
  const { product, artwork, before } = line;
  const item = {
    product_id: line.product.id,
    variant_sku: sku,
    quantity: Number.isInteger(typed) ? typed : 0,
    ...(before === undefined || before.name === '' ? {} : { name: before.name }),
    ...before?.labels[sku],
  };
  if (product.personalised) return { ...item, decoration: { personalisation: { inputs: filled(line.inputs) } } };
  if (artwork === 'none') return { ...item, print_jobs: [] };
  if (artwork === 'own') {
    return { ...item, decoration: { areas: givenAreas(line).map((area) => decorated(line, area)) } };
  }
  const jobs = areasOf(line).filter(({ print_area: area }) => !line.leftOut.includes(area));
  return { ...item, print_jobs: jobs.map(({ print_area: area, method }) => ({ area, method })) };
}

type Area = { readonly print_area: string; readonly method: string };

/**
 * The areas that a line can have printed, each by its method.
 * Those of the product, or, of a product without designs, those of the order that it is placed again from.
 */
export function areasOf({ product, before }: DraftLine): readonly Area[] {
  if (product.print_areas.length === 0) return before?.areas ?? [];
  return product.print_areas.map(({ print_area: area, method }) => ({
    print_area: area,
    method: before?.methods[area] ?? method,
  }));
}

/** The areas with artwork of the order's own, in the order of its request. */
export function givenAreas(line: DraftLine): readonly Area[] {
  return areasOf(line).filter(({ print_area: area }) => (line.urls[area] ?? '').trim() !== '');
}

/** The kept artwork that an area has; undefined once other artwork has taken its place. */
export function keptArea({ before, urls }: DraftLine, area: string): KeptArea | undefined {
  return before?.areas.find(({ print_area: name, artwork_url: url }) => name === area && url === urls[area]);
}

/** Areas of an earlier order whose artwork is neither kept nor given: left out unseen. */
export function lostAreas({ artwork, before, urls }: DraftLine): readonly string[] {
  if (artwork !== 'own') return [];
  return (before?.areas ?? []).flatMap(({ print_area: area, artwork_url: url }) =>
    url === null && (urls[area] ?? '').trim() === '' ? [area] : [],
  );
}

/** The line without an area that an earlier order printed. */
export function withoutArea(line: DraftLine, area: string): DraftLine {
  const { before } = line;
  if (before === undefined) return line;
  return { ...line, before: { ...before, areas: before.areas.filter(({ print_area: name }) => name !== area) } };
}

function decorated(line: DraftLine, { print_area: area, method }: Area) {
  const kept = keptArea(line, area);
  return {
    print_area: area,
    method,
    artwork_url: (line.urls[area] ?? '').trim(),
    ...(kept === undefined ? {} : { position: kept.position }),
    ...(kept === undefined || kept.mock_url === null ? {} : { mock_url: kept.mock_url }),
  };
}

/** What is not empty. */
export function filled(inputs: Readonly<Record<string, string>>): Record<string, string> {
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
