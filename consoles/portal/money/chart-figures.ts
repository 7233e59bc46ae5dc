/** What is drawn of a day, in the order of the bars from zero outwards. Refunds hang below it. */
export const PARTS = [
  ['products', 'Products'],
  ['setup', 'Setup'],
  ['shipping', 'Shipping'],
  ['vat', 'VAT'],
  ['duty', 'Import duty'],
  ['refunds', 'Refunds'],
] as const;
export type Part = (typeof PARTS)[number][0];

/** What was spent in a period, as far as it is drawn: the days with a document. */
export type Spent = {
  readonly from: string;
  readonly to: string;
  readonly data: readonly (Readonly<Record<Part | 'total', number>> & { readonly day: string })[];
};

/** A day or a month of the chart. */
export type Column = Readonly<Record<Part, number>> & { readonly name: string; readonly total: number };

/** A column for each day of a period, or for each of its months, also where nothing was spent. Whole pence add up. */
export function columnsOf({ from, to, data }: Spent, by: 'day' | 'month'): Column[] {
  const length = by === 'day' ? 10 : 7;
  const pence = new Map<string, Record<Part | 'total', number>>();
  for (let day = from; day <= to; day = dayAfter(day)) {
    const name = day.slice(0, length);
    if (!pence.has(name)) pence.set(name, { ...NOTHING });
  }
  for (const spent of data) {
    const sum = pence.get(spent.day.slice(0, length));
    if (sum === undefined) continue;
    for (const part of NAMES) sum[part] += Math.round(spent[part] * 100);
  }
  return [...pence].map(([name, sum]) => {
    const pounds = (part: Part | 'total'): number => sum[part] / 100;
    return {
      name,
      products: pounds('products'),
      setup: pounds('setup'),
      shipping: pounds('shipping'),
      vat: pounds('vat'),
      duty: pounds('duty'),
      refunds: pounds('refunds'),
      total: pounds('total'),
    };
  });
}

const NOTHING = { products: 0, setup: 0, shipping: 0, vat: 0, duty: 0, refunds: 0, total: 0 };
const NAMES = [...PARTS.map(([part]) => part), 'total'] as const;

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

/** The scale beside a chart: round amounts from the lowest to the highest, about four steps. */
export type Scale = { readonly low: number; readonly high: number; readonly ticks: readonly number[] };

/** A scale that holds every column, with zero on it. */
export function scaleOf(columns: readonly Column[]): Scale {
  const high = Math.max(1, ...columns.map(({ total, refunds }) => total + refunds));
  const low = Math.max(0, ...columns.map(({ refunds }) => refunds));
  const step = roundUp((high + low) / 4);
  const [above, below] = [Math.ceil(high / step), Math.ceil(low / step)];
  const ticks = Array.from({ length: above + below + 1 }, (_, at) => (above - at) * step);
  return { low: -below * step || 0, high: above * step, ticks };
}

/** The next of 1, 2 and 5 times a power of ten. */
function roundUp(amount: number): number {
  const power = 10 ** Math.floor(Math.log10(amount));
  const step = [1, 2, 5, 10].find((times) => times * power >= amount) ?? 10;
  return step * power;
}
