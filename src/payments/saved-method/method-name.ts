import type { PaymentMethodKind } from '../../billing/postings.ts';

/** How a sentence names a method, such as `Visa ending in 4242`. */
export function methodName({ kind, label }: { kind: PaymentMethodKind; label: string }): string {
  if (label !== '') return kind === 'card' ? label : `Direct debit from: ${label}`;
  return kind === 'card' ? 'A card' : 'A direct debit';
}
