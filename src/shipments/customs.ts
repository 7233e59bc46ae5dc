import type { BaseProductEntry } from '../catalogue/document.ts';
import type { Uuid } from '../lib/ids.ts';
import { apportion, type Pence, pence, ratioOf, sumPence, timesQuantity, ZERO_PENCE } from '../lib/money.ts';
import type { CustomsDeclaration, SellerOfRecord } from '../orders/customs.ts';
import type { ShippingLoad } from '../pricing/shipping.ts';
import { HOME_TERRITORIES, type Place, territoryOf } from '../pricing/territory.ts';

/**
 * A line as customs needs it.
 * `valuedUnitPence` is what one piece was charged at; of a replacement, what its original was. With `isDeclared` it is
 * what the consumer paid, and setups are part of that.
 */
export type ValuedLine = {
  readonly id: Uuid;
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly shippedBefore: number;
  readonly valuedUnitPence: Pence;
  readonly isDeclared: boolean;
  readonly linePricePence: Pence;
  readonly jobs: readonly { readonly design_hash: string | null; readonly method: string }[];
};

export type CustomsInput = {
  readonly place: Place;
  readonly isDutyPaid: boolean;
  readonly seller: SellerOfRecord;
  readonly lines: readonly ValuedLine[];
  readonly setups: readonly { readonly design_hash: string; readonly method: string; readonly amount_pence: number }[];
  readonly shipped: ReadonlyMap<Uuid, number>;
  readonly packagingGrams: ShippingLoad;
  readonly blankOf: (sku: string) => { readonly entry: BaseProductEntry; readonly weightGrams: number } | undefined;
};

/**
 * Makes the declaration of a parcel that leaves the United Kingdom's customs territory.
 * Null for one that stays. The value is what the consumer paid for the pieces where the order says so. Otherwise it is
 * what was charged for them, net of VAT, with their share of the setup fees: over all parcels of an order the shares
 * sum to the fees.
 */
export function declareParcel(input: CustomsInput): CustomsDeclaration | null {
  const territory = territoryOf(input.place);
  if (HOME_TERRITORIES.includes(territory)) return null;
  const setupOf = setupShares(input.lines, input.setups);
  const items = input.lines.flatMap((line) => {
    const quantity = input.shipped.get(line.id);
    return quantity === undefined
      ? []
      : [declareItem(input, line, quantity, line.isDeclared ? ZERO_PENCE : (setupOf.get(line.id) ?? ZERO_PENCE))];
  });
  const classes = items.map(({ sku }) => input.blankOf(sku)?.entry.shipping_class ?? 'flat');
  const net = items.reduce((sum, item) => sum + item.weight_grams, 0);
  return {
    incoterm: input.isDutyPaid ? 'DDP' : 'DAP',
    declared_pence: sumPence(items.map((item) => pence(item.value_pence))),
    net_weight_grams: net,
    gross_weight_grams: net + Math.max(...classes.map((shippingClass) => input.packagingGrams[shippingClass])),
    // The one-stop shop is for imports into the EU's VAT area alone.
    seller: territory === 'eu' ? input.seller : { ...input.seller, ioss_number: '' },
    items,
  };
}

function declareItem(
  input: CustomsInput,
  line: ValuedLine,
  quantity: number,
  setup: Pence,
): CustomsDeclaration['items'][number] {
  const blank = input.blankOf(line.sku);
  const setupBefore = ratioOf(setup, line.shippedBefore, line.quantity);
  const setupAfter = ratioOf(setup, line.shippedBefore + quantity, line.quantity);
  return {
    line_id: line.id,
    sku: line.sku,
    description: blank?.entry.title ?? line.name,
    material: blank?.entry.material ?? '',
    hs_code: blank?.entry.hs_code ?? '',
    origin_country: blank?.entry.origin_country ?? '',
    quantity,
    value_pence: timesQuantity(line.valuedUnitPence, quantity) + setupAfter - setupBefore,
    weight_grams: (blank?.weightGrams ?? 0) * quantity,
  };
}

/** Shares each setup fee over the lines that it is for, by their price, as duty was calculated. */
function setupShares(lines: readonly ValuedLine[], setups: CustomsInput['setups']): Map<Uuid, Pence> {
  const shares = new Map<Uuid, Pence>();
  for (const setup of setups) {
    const users = lines.filter(({ jobs }) =>
      jobs.some(({ design_hash, method }) => design_hash === setup.design_hash && method === setup.method),
    );
    if (users.length === 0) continue;
    const parts = apportion(
      pence(setup.amount_pence),
      users.map(({ linePricePence }) => linePricePence),
    );
    users.forEach(({ id }, index) => {
      shares.set(id, sumPence([shares.get(id) ?? ZERO_PENCE, parts[index] ?? ZERO_PENCE]));
    });
  }
  return shares;
}
