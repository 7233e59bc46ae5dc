import { basisPointsOf, type Pence, pence, sumPence, timesQuantity, ZERO_PENCE } from '../lib/money.ts';
import type { PriceBook } from './price-book.ts';
import { HOME_TERRITORIES, type Territory } from './territory.ts';
import { basisPoints } from './vat.ts';

type DutyRule = PriceBook['duty_rules'][number];

/** The rules of each territory, in descending order of precedence. */
export type DutyTable = ReadonlyMap<Territory, readonly DatedRule[]>;

type DatedRule = DutyRule & { readonly validFromMs: number };

/**
 * Goods of one tariff code and origin.
 * `netPence` is their declared value: what the consumer paid, or what was charged for them with their setup fees.
 */
export type CustomsGoods = { readonly hsCode: string; readonly originCountry: string; readonly netPence: Pence };

export type Consignment = {
  readonly territory: Territory;
  readonly countryCode: string;
  readonly now: Date;
  readonly parcels: number;
  readonly goods: readonly CustomsGoods[];
};

export type Duty = {
  readonly dutyPence: Pence;
  /** Some goods of the consignment are sent duty unpaid (DAP): the recipient pays duty on delivery. */
  readonly dueOnDelivery: boolean;
};

/** Tariff codes agree worldwide in their first six digits; "per group" charges count those. */
const HS_GROUP_DIGITS = 6;

/**
 * Prepares a checked price book's duty rules for look-ups.
 * They are grouped by territory, the most specific first (see `bySpecificity`).
 */
export function compileDuty(rules: readonly DutyRule[]): DutyTable {
  const dated = rules.map((rule) => ({ ...rule, validFromMs: Date.parse(rule.valid_from) }));
  return Map.groupBy(dated.toSorted(bySpecificity), (rule) => rule.territory);
}

/**
 * Duty on a consignment (domain, "Duty").
 * Each kind of goods follows the most specific rule that fits it. The value band is that of the declared value of the
 * whole consignment. Of the rules that apply, DDP rules charge: their share of the value, rounded half up once a rule;
 * their amount for each HS group; and for each parcel once, the dearest of their amounts. DAP rules charge nothing.
 * Inside the home territories there is no border.
 */
export function dutyOn(table: DutyTable, consignment: Consignment): Duty {
  if (HOME_TERRITORIES.includes(consignment.territory)) return { dutyPence: ZERO_PENCE, dueOnDelivery: false };
  const declared = sumPence(consignment.goods.map(({ netPence }) => netPence));
  const rules = table.get(consignment.territory) ?? [];
  const candidates = rules.filter((rule) => isInForce(rule, consignment, declared));
  const goodsByRule = Map.groupBy(consignment.goods, (goods) => ruleFor(candidates, goods));
  const charges: Pence[] = [];
  let parcelPence = ZERO_PENCE;
  let dueOnDelivery = false;
  for (const [rule, goods] of goodsByRule) {
    if (rule.incoterm === 'DAP') {
      dueOnDelivery = true;
      continue;
    }
    const value = sumPence(goods.map(({ netPence }) => netPence));
    const groups = new Set(goods.map(({ hsCode }) => hsCode.slice(0, HS_GROUP_DIGITS)));
    charges.push(basisPointsOf(value, basisPoints(rule.ad_valorem_bp)));
    charges.push(timesQuantity(pence(rule.per_hs_group_pence), groups.size));
    parcelPence = pence(Math.max(parcelPence, rule.per_parcel_pence));
  }
  return { dutyPence: sumPence([...charges, timesQuantity(parcelPence, consignment.parcels)]), dueOnDelivery };
}

/**
 * Whether whatever is sent pays the same duty in two countries of a territory.
 * It does where no rule is for one of them alone, in force or not: a book may begin one at any time.
 */
export function hasSameDuty(table: DutyTable, territory: Territory, one: string, other: string): boolean {
  if (one === other || HOME_TERRITORIES.includes(territory)) return true;
  const rules = table.get(territory) ?? [];
  return !rules.some(({ country_code: country }) => country === one || country === other);
}

/**
 * Orders rules by precedence.
 * Country before territory, then the longer tariff prefix, a stated origin, the narrower band, the higher one, the
 * later rule. It is a total order for the rules of a checked book, in which no two have all of these equal and fit the
 * same goods.
 */
function bySpecificity(a: DatedRule, b: DatedRule): number {
  return (
    Number(b.country_code !== undefined) - Number(a.country_code !== undefined) ||
    (b.hs_prefix ?? '').length - (a.hs_prefix ?? '').length ||
    Number(b.origin_country !== undefined) - Number(a.origin_country !== undefined) ||
    bandWidth(a) - bandWidth(b) ||
    (b.declared_over_pence ?? 0) - (a.declared_over_pence ?? 0) ||
    b.validFromMs - a.validFromMs
  );
}

function bandWidth(rule: DutyRule): number {
  return (rule.declared_up_to_pence ?? Number.MAX_SAFE_INTEGER) - (rule.declared_over_pence ?? 0);
}

function isInForce(rule: DatedRule, consignment: Consignment, declared: Pence): boolean {
  return (
    (rule.country_code ?? consignment.countryCode) === consignment.countryCode &&
    rule.validFromMs <= consignment.now.getTime() &&
    (rule.declared_over_pence === undefined || declared > rule.declared_over_pence) &&
    (rule.declared_up_to_pence === undefined || declared <= rule.declared_up_to_pence)
  );
}

function ruleFor(candidates: readonly DutyRule[], goods: CustomsGoods): DutyRule {
  const rule = candidates.find(
    ({ hs_prefix, origin_country }) =>
      goods.hsCode.startsWith(hs_prefix ?? '') && (origin_country ?? goods.originCountry) === goods.originCountry,
  );
  if (rule === undefined)
    throw new Error(`the price book has no duty rule for ${goods.hsCode} from ${goods.originCountry}`);
  return rule;
}
