/** An amount in major units with its currency. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="platen-number">{formatMoney(amount, currency)}</span>;
}

/** One is made in the time of a hundred amounts. */
const FORMATS = new Map<string, Intl.NumberFormat>();

/** An amount with its currency, as text. */
export function formatMoney(amount: number, currency: string): string {
  let format = FORMATS.get(currency);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-GB', { style: 'currency', currency });
    FORMATS.set(currency, format);
  }
  return format.format(amount);
}
