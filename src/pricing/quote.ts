import type { VatStatus } from '../accounts/vat-number.ts';
import type { VatClass } from '../catalogue/document.ts';
import type { Problem } from '../lib/errors.ts';
import { apportion, type Pence, sumPence, timesQuantity, ZERO_PENCE } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import type { VatRegistration } from '../lib/settings/forms.ts';
import { isVatRegistered } from '../lib/settings/seller.ts';
import { type CustomsGoods, dutyOn } from './duty.ts';
import { readPostcode } from './postcode.ts';
import {
  type FoundLine,
  findPrices,
  type LineToPrice,
  type OrderType,
  type OwnedSetup,
  type PricedLine,
  type PricedSetup,
  priceLines,
  priceSetups,
} from './price-lines.ts';
import { bookAt, type CompiledBook, type PricingReference } from './reference.ts';
import { defaultOffer, pickOffer, type ShippingLoad, type ShippingOffer, shippingOffers, zoneOf } from './shipping.ts';
import { HOME_TERRITORIES, type Territory, territoryOf } from './territory.ts';
import { type VatRow, vatOf, withoutVat } from './vat.ts';

export type QuoteInput = {
  readonly orderType: OrderType;
  readonly now: Date;
  /** The seller's; undefined counts as registered. */
  readonly vatRegistration: VatRegistration | undefined;
  readonly vatStatus: VatStatus;
  readonly destination: {
    readonly countryCode: string;
    readonly postcode: string;
    readonly county: string;
    readonly phone: string;
  };
  /** The `service` that the caller picked, or its `id`; undefined for the default. */
  readonly shippingService: string | undefined;
  readonly lines: readonly LineToPrice[];
  /** `setupKey` of every setup that the account has paid before. */
  readonly ownedSetups: ReadonlySet<string>;
};

export type Quote = {
  readonly kind: 'priced';
  readonly territory: Territory;
  readonly zone: string;
  readonly lines: readonly PricedLine[];
  /** The setups charged with this order, in the order of first use. */
  readonly setups: readonly PricedSetup[];
  /** The setups that its lines need and that the account has paid before. */
  readonly ownedSetups: readonly OwnedSetup[];
  readonly subtotalPence: Pence;
  readonly setupPence: Pence;
  readonly shippingPence: Pence;
  readonly shipping: ShippingOffer;
  /** Whether that is the service used when the caller names none. */
  readonly isDefaultShipping: boolean;
  /** The other services, the cheapest first. */
  readonly shippingOptions: readonly ShippingOffer[];
  readonly vatBreakdown: readonly VatRow[];
  readonly vatPence: Pence;
  readonly dutyPence: Pence;
  readonly totalPence: Pence;
  readonly warnings: readonly Warning[];
};

export type QuoteResult = Quote | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/**
 * Prices an order: the one function behind both the estimate and the charge (spec 4.1).
 * Pure: the same input and reference give the same quote. The total is goods, setups, shipping, VAT and duty, each
 * rounded to pence once, half up (decisions, "Total"). There is no VAT while the seller is not registered for it.
 * Refuses, all at once, an address that nothing is sent to, a shipping service that is not offered there, and things
 * without a price. Throws when no price book is valid at `now`.
 */
export function quote(reference: PricingReference, input: QuoteInput): QuoteResult {
  const book = bookAt(reference, input.now);
  const { found, problems } = findPrices(book, input.lines);
  const delivery = chooseDelivery(book, input, loadOf(found));
  if (delivery.kind === 'refused') return { kind: 'refused', problems: [...problems, ...delivery.problems] };
  if (problems.length > 0) return { kind: 'refused', problems };

  const lines = priceLines(found, input.orderType);
  const { due: setups, owned: ownedSetups } = priceSetups(book, found, input.ownedSetups);
  const subtotalPence = sumPence(lines.map(({ linePricePence }) => linePricePence));
  const setupPence = sumPence(setups.map(({ pence }) => pence));
  const shippingPence = delivery.chosen.pence;
  const territory = territoryOf(input.destination);
  const vatBreakdown = isVatRegistered(input.vatRegistration, input.now)
    ? vatOf(book.vat, {
        status: input.vatStatus,
        territory,
        nets: netsByVatClass(lines, setups),
        shippingPence,
      })
    : [withoutVat(sumPence([subtotalPence, setupPence, shippingPence]))];
  const vatPence = sumPence(vatBreakdown.map((row) => row.vatPence));
  const { dutyPence, dueOnDelivery } = dutyOn(book.duty, {
    territory,
    countryCode: input.destination.countryCode,
    now: input.now,
    parcels: delivery.chosen.parcels,
    goods: customsGoods(lines, found, setups),
  });
  return {
    kind: 'priced',
    territory,
    zone: delivery.zone,
    lines,
    setups,
    ownedSetups,
    subtotalPence,
    setupPence,
    shippingPence,
    shipping: delivery.chosen,
    isDefaultShipping: delivery.isDefault,
    shippingOptions: delivery.others,
    vatBreakdown,
    vatPence,
    dutyPence,
    totalPence: sumPence([subtotalPence, setupPence, shippingPence, vatPence, dutyPence]),
    warnings: [...(dueOnDelivery ? [DUTIES_ON_DELIVERY] : []), ...addressWarnings(input.destination)],
  };
}

type Delivery =
  | {
      readonly kind: 'ok';
      readonly zone: string;
      readonly chosen: ShippingOffer;
      readonly isDefault: boolean;
      readonly others: ShippingOffer[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

function chooseDelivery(book: CompiledBook, input: QuoteInput, load: ShippingLoad): Delivery {
  const zone = zoneOf(book.shipping, input.destination);
  if (zone === undefined) {
    const message = `We do not send to ${input.destination.countryCode}.`;
    return refused({ path: 'shipping_address.country_code', code: 'not_served', message });
  }
  const offers = shippingOffers(book.shipping, zone, load);
  const usual = defaultOffer(offers);
  const chosen = input.shippingService === undefined ? usual : pickOffer(offers, input.shippingService);
  if (chosen === undefined) {
    const services = offers.map(({ service }) => service);
    return refused({
      path: 'shipping_service',
      code: 'unknown_shipping_service',
      message: `The services for this order and destination are ${services.join(', ')}.`,
      valid_values: services,
    });
  }
  const others = offers.filter((offered) => offered !== chosen);
  return { kind: 'ok', zone: zone.zone, chosen, isDefault: chosen === usual, others };
}

function refused(problem: Problem): Delivery {
  return { kind: 'refused', problems: [problem] };
}

function loadOf(found: readonly FoundLine[]): ShippingLoad {
  const load = { flat: 0, boxed: 0, tube: 0 };
  for (const { line, variant } of found) load[variant.product.shippingClass] += variant.weightGrams * line.quantity;
  return load;
}

/** Goods and setups by the VAT class of each. */
function netsByVatClass(lines: readonly PricedLine[], setups: readonly PricedSetup[]): ReadonlyMap<VatClass, Pence> {
  const nets = new Map<VatClass, Pence>();
  const charges = [
    ...lines.map((line) => [line.vatClass, line.linePricePence] as const),
    ...setups.map((setup) => [setup.vatClass, setup.pence] as const),
  ];
  for (const [vatClass, charged] of charges) nets.set(vatClass, sumPence([nets.get(vatClass) ?? ZERO_PENCE, charged]));
  return nets;
}

/**
 * The goods of an order by tariff code and origin, at their declared value, for customs.
 * That is what the consumer paid where the order says so. Otherwise it is what was charged, with the setup fees. Each
 * fee is shared by price over the goods that it is for; goods that have a price of the consumer declare no share.
 */
function customsGoods(
  lines: readonly PricedLine[],
  found: readonly FoundLine[],
  setups: readonly PricedSetup[],
): CustomsGoods[] {
  const goods = found.map(({ line, variant: { product } }, index) => ({
    key: `${product.hsCode}:${product.originCountry}`,
    declared: line.declaredUnitPence === undefined ? undefined : timesQuantity(line.declaredUnitPence, line.quantity),
    charged: lines[index]?.linePricePence ?? ZERO_PENCE,
  }));
  const nets = new Map<string, Pence>();
  addByKey(
    nets,
    goods.map(({ key, declared, charged }) => [key, declared ?? charged]),
  );
  for (const setup of setups) {
    const users = new Map<string, Pence>();
    addByKey(
      users,
      setup.lineIndexes.flatMap((index) => {
        const used = goods[index];
        return used === undefined ? [] : [[used.declared === undefined ? used.key : DECLARED, used.charged]];
      }),
    );
    // Sorted, so that an odd penny falls on the same goods whatever the order of the lines.
    const sorted = [...users].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const shares = apportion(
      setup.pence,
      sorted.map(([, net]) => net),
    );
    addByKey(
      nets,
      sorted.flatMap(([key], index) => (key === DECLARED ? [] : [[key, shares[index] ?? ZERO_PENCE]])),
    );
  }
  return [...nets].map(([key, netPence]) => {
    const [hsCode = '', originCountry = ''] = key.split(':');
    return { hsCode, originCountry, netPence };
  });
}

/** The share of goods whose declared value has their setups in it. No key of goods is empty. */
const DECLARED = '';

function addByKey(sums: Map<string, Pence>, entries: readonly (readonly [string, Pence])[]): void {
  for (const [key, amount] of entries) sums.set(key, sumPence([sums.get(key) ?? ZERO_PENCE, amount]));
}

/** The codes of the warnings that an address alone decides; another address may have others of them. */
export const ADDRESS_WARNINGS: readonly string[] = ['postcode_unrecognised', 'state_missing', 'phone_recommended'];

/** Countries whose carriers need a state or province, which is sent in `county` (domain, "Address"). */
const STATE_COUNTRIES = ['US', 'CA', 'AU'];

const DUTIES_ON_DELIVERY: Warning = {
  code: 'duties_on_delivery',
  path: 'shipping_address.country_code',
  message: 'Duties and import taxes are not in this price. The recipient may be asked for them on delivery.',
};

/**
 * The warnings of an address that goods can be sent to, but may reach late or not at all.
 * Its codes are `ADDRESS_WARNINGS`. No message repeats what the caller sent: warnings are kept with the order.
 */
export function addressWarnings(destination: QuoteInput['destination']): Warning[] {
  const { countryCode, postcode, county, phone } = destination;
  const warnings: Warning[] = [];
  const reading = readPostcode(countryCode, postcode);
  if (reading.kind === 'unrecognised') {
    warnings.push({
      code: 'postcode_unrecognised',
      path: 'shipping_address.postcode',
      message: `Postcodes in ${countryCode} are written like ${reading.example}, and this one is not, so the rates of ${countryCode} as a whole apply. Check it, or the parcel may be delayed or returned.`,
    });
  }
  if (STATE_COUNTRIES.includes(countryCode) && county.trim() === '') {
    warnings.push({
      code: 'state_missing',
      path: 'shipping_address.county',
      message: `Addresses in ${countryCode} need a state or province in county, or the parcel may be delayed.`,
    });
  }
  if (!HOME_TERRITORIES.includes(territoryOf(destination)) && phone.trim() === '') {
    warnings.push({
      code: 'phone_recommended',
      path: 'shipping_address.phone',
      message: 'Carriers and customs abroad ask for a phone number. Without one the parcel may be delayed.',
    });
  }
  return warnings;
}
