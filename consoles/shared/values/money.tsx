/** An amount in major units with its currency. */
export function Money({ amount, currency }: { amount: number; currency: string }) {
  return <span className="platen-number">{formatMoney(amount, currency)}</span>;
}

/** An amount with its currency, as text. */
export function formatMoney(amount: number, currency: string): string {
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency }).format(amount);
}
