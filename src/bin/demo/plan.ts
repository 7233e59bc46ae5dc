import type { PlaceOrderBody } from '../../orders/schema.ts';
import type { DemoProduct } from '../seed-demo.ts';
import { ENDED_FATES, FATES, type Fate, OF_SEVERAL, type Verb } from './fates.ts';
import { type Dice, rollDice } from './random.ts';

// The month of the demo customer as data: who orders what and when, and what becomes of it. Nothing here is random or
// knows the clock, so that two months differ in nothing but their days.

export type DemoPerson = PlaceOrderBody['shipping_address'];

/** A line whose product is named by its key in the file of products. */
export type PlannedLine = {
  readonly product: string;
  readonly sku: string;
  readonly quantity: number;
  /** What a personalised product says. */
  readonly words?: string;
};

export type PlannedOrder = {
  /** The number that the customer's own shop gave it. */
  readonly reference: string;
  readonly person: DemoPerson;
  readonly lines: readonly PlannedLine[];
  readonly fate: Fate;
  readonly type: 'bulk' | 'sample';
  readonly notes: string;
  readonly service?: string;
};

/** What happens at a moment, in milliseconds since the first midnight of the month. */
export type MonthStep = { readonly atMs: number } & (
  | { readonly kind: 'place'; readonly order: PlannedOrder }
  | { readonly kind: 'work'; readonly order: PlannedOrder; readonly verb: Verb }
  | { readonly kind: 'credit'; readonly reference: string; readonly pounds: number }
  | { readonly kind: 'count'; readonly reason: string; readonly items: readonly { sku: string; on_hand: number }[] }
  | {
      readonly kind: 'receive';
      readonly reference: string;
      readonly items: readonly { sku: string; quantity: number }[];
    }
);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Days from the first midnight of the month to the last one before now. */
export const MONTH_DAYS = 29;
/** Orders placed until then have ended; the younger ones are in every other state. */
const ENDED_DAYS = 24;

/** How many orders come on each of these days, at least and at most. */
export type ADay = readonly [least: number, most: number];
const A_DAY: ADay = [5, 9];

/** The variant of which too few are counted, and the one of which none is left for a spoiled piece. */
const SCARCE = { promoting: 'SWEAT-CREW-OLV-XL', spoiling: 'SWEAT-CREW-OLV-L' };

/** How often each product is ordered. */
const POPULAR = { swim_club: 6, slow_mornings: 5, market_day: 4, ridge_walk: 4, botanical: 3, cyclists: 3 };

const PERSONALISED = { product: 'personalised', sku: 'TEE-ORGANIC-ECR-L' };
const WORDS = ['Nan at eighty', 'Team Okafor 2026'];

const NOTES = [
  'Gift: no prices in the parcel, please.',
  'For a market on Saturday.',
  'Leave with the neighbour at number 9.',
];

/**
 * Plans the month of the demo customer: its steps in the order in which they happen.
 * `untilMs` is now, since the first midnight of the month.
 */
export function planMonth(
  products: readonly DemoProduct[],
  people: readonly DemoPerson[],
  untilMs: number,
  aDay = A_DAY,
): readonly MonthStep[] {
  const dice = rollDice(20_260);
  const steps: MonthStep[] = [...housekeeping()];
  let number = 1_042;
  const order = (atMs: number, fate: Fate, more: Partial<PlannedOrder> = {}): void => {
    const made: PlannedOrder = {
      reference: `HP-${number}`,
      person: personOf(dice, people, fate),
      lines: linesOf(dice, products, fate),
      fate,
      type: dice.percent(2) ? 'sample' : 'bulk',
      notes: dice.percent(6) ? dice.pick(NOTES) : '',
      ...(dice.percent(6) ? { service: 'Tracked Express' } : {}),
      ...more,
    };
    number += dice.between(1, 3);
    steps.push({ atMs, kind: 'place', order: made }, ...workOf(dice, made, atMs));
  };

  const fates = ENDED_FATES.flatMap(([fate, share]) => Array.from({ length: share }, () => fate));
  for (let day = 0; day <= ENDED_DAYS; day += 1) {
    // The first order of the month comes after its first top-up.
    for (const hour of hoursOf(dice, day === 0 ? 3 : dice.between(...aDay)))
      order(day * DAY_MS + hour * HOUR_MS, dice.pick(fates));
  }
  for (const [fate, at, more] of LAST_DAYS) order(at.day * DAY_MS + at.hour * HOUR_MS, fate, more);
  for (const minutes of [31, 12]) order(untilMs - minutes * MINUTE_MS, 'waiting');
  return steps.toSorted((a, b) => a.atMs - b.atMs);
}

/** Money that the customer sends by bank, counts of the shelf and deliveries of blanks. */
function housekeeping(): MonthStep[] {
  const at = (day: number, hour: number): number => day * DAY_MS + hour * HOUR_MS;
  const credits = [0, 4, 8, 12, 16, 20, 24].map((day, index): MonthStep => {
    const pounds = index === 0 ? 1_500 : 900;
    return { atMs: at(day, 8.4), kind: 'credit', reference: `FPS HARBOUR PINE ${101 + index}`, pounds };
  });
  return [
    ...credits,
    { atMs: at(7, 8), kind: 'credit', reference: 'FPS HARBOUR PINE FESTIVAL', pounds: 4_200 },
    receipt(at(3, 7.8), 'DN-55120', 'TEE-CLASSIC-WHT-M', 240),
    receipt(at(10, 7.8), 'DN-55304', 'MUG-11OZ-WHT', 144),
    receipt(at(17, 7.8), 'DN-55488', 'TOTE-COTTON-NAT', 200),
    {
      atMs: at(23, 17.2),
      kind: 'count',
      reason: 'Stocktake of the olive sweatshirts',
      items: [
        { sku: SCARCE.promoting, on_hand: 4 },
        { sku: SCARCE.spoiling, on_hand: 2 },
      ],
    },
  ];
}

function receipt(atMs: number, reference: string, sku: string, quantity: number): MonthStep {
  return { atMs, kind: 'receive', reference, items: [{ sku, quantity }] };
}

type Last = readonly [fate: Fate, at: { day: number; hour: number }, more?: Partial<PlannedOrder>];

const many = (fate: Fate, day: number, hours: readonly number[]): Last[] =>
  hours.map((hour) => [fate, { day, hour }] as const);
const hoodies = (quantity: number): Partial<PlannedOrder> => ({
  lines: [{ product: 'harbour_lights', sku: 'HOODIE-PULL-BLK-M', quantity }],
  notes: 'For the crew of the festival.',
});
const olive = (sku: string, quantity: number): Partial<PlannedOrder> => ({
  lines: [{ product: 'constellation', sku, quantity }],
});

/**
 * The orders that show one thing each.
 * They are those of the last days, and the large ones that the balance does not cover.
 * One of these is paid by a transfer a day later, one is given up by its owner, and one waits for its payment.
 */
const LAST_DAYS: readonly Last[] = [
  ['a day later', { day: 6, hour: 15.2 }, hoodies(180)],
  ['cancelled by its owner', { day: 13, hour: 19.4 }, hoodies(400)],
  ['waiting', { day: 27, hour: 11.7 }, hoodies(400)],
  ...many('in production', 27, [9.3, 12.6, 14.1, 17.5, 19.8, 21.2]),
  ...many('ready to ship', 27, [8.1, 10.8, 13.3]),
  ...many('shipped in part', 27, [7.9, 16.6, 20.4]),
  ...many('paused', 27, [10.1]),
  ['short of a blank', { day: 27, hour: 11.1 }, olive(SCARCE.spoiling, 2)],
  ['released', { day: 27, hour: 12.3 }, olive(SCARCE.promoting, 3)],
  ['no blanks', { day: 27, hour: 15.5 }, olive(SCARCE.promoting, 3)],
  ...many('released', 27, [18.2, 20.9, 21.7, 22.1, 22.5]),
  ...many('on hold', 27, [9.9, 14.7]),
  ...many('on hold after its release', 27, [13.8]),
  ['a problem is refunded', { day: 19, hour: 13.3 }],
  ['a problem is refused', { day: 20, hour: 16.1 }],
  ...many('a problem is reported', 24, [10.6, 15.8]),
  ['cancelled as asked', { day: 21, hour: 18.2 }],
  ['asked in vain', { day: 22, hour: 11.9 }],
  ...many('asked to be cancelled', 27, [13.1, 19.1]),
  ...many('waiting', 28, [9.4, 11.2, 13.9, 15.3, 17.1, 18.8, 20.3, 21.6, 22.7]),
];

function hoursOf(dice: Dice, count: number): number[] {
  return Array.from({ length: count }, () => dice.between(9 * 60, 22 * 60) / 60).toSorted((a, b) => a - b);
}

function personOf(dice: Dice, people: readonly DemoPerson[], fate: Fate): DemoPerson {
  // A new address must lie in the same territory, and the plan knows one of Great Britain.
  const near = people.filter(({ country_code: country }) => country === 'GB');
  const isNear = fate === 'another address' || dice.percent(60);
  return dice.pick(isNear ? near : people);
}

function linesOf(dice: Dice, products: readonly DemoProduct[], fate: Fate): PlannedLine[] {
  if (dice.percent(4)) return [{ ...PERSONALISED, quantity: 2, words: dice.pick(WORDS) }];
  const weighted = products.flatMap((product) => {
    const weight = Object.entries(POPULAR).find(([key]) => key === product.key)?.[1] ?? 2;
    return Array.from({ length: weight }, () => product);
  });
  const skus = new Set<string>();
  const wanted = dice.percent(74) ? 1 : dice.percent(75) ? 2 : 3;
  const lines: PlannedLine[] = [];
  while (lines.length < wanted) {
    const { key, variant_skus: variants } = dice.pick(weighted);
    const sku = dice.pick(variants.filter((one) => !Object.values(SCARCE).includes(one)));
    if (skus.has(sku)) continue;
    skus.add(sku);
    lines.push({ product: key, sku, quantity: quantityOf(dice, fate) });
  }
  return lines;
}

function quantityOf(dice: Dice, fate: Fate): number {
  if (OF_SEVERAL.includes(fate)) return dice.between(2, 5);
  if (dice.percent(4)) return dice.between(6, 15);
  return dice.percent(75) ? 1 : dice.between(2, 3);
}

/** What is done with an order, at its hours, some minutes apart from that of others. */
function workOf(dice: Dice, order: PlannedOrder, placedMs: number): MonthStep[] {
  const midnightMs = Math.floor(placedMs / DAY_MS) * DAY_MS;
  const minutes = dice.between(0, 24);
  return FATES[order.fate].map(([verb, days, hour]): MonthStep => {
    // Its owner can cancel for an hour.
    const atMs =
      verb === 'cancel'
        ? placedMs + (8 + minutes) * MINUTE_MS
        : midnightMs + days * DAY_MS + hour * HOUR_MS + minutes * MINUTE_MS;
    return { atMs, kind: 'work', order, verb };
  });
}
