import { countryCodeOf, countryName } from '../countries.ts';
import { ConfigError, type VatRegistration } from './forms.ts';

/** The seller as its documents name it; empty where the operator has not set it. */
export type Seller = {
  readonly name: string;
  readonly addressLines: readonly string[];
  readonly vatNumber: string;
  /** Unset counts as registered: VAT is charged. */
  readonly vatRegistration: VatRegistration | undefined;
  /** By whose days documents are dated and the days of the books closed. */
  readonly timeZone: string;
};

/**
 * The address of the seller, its country apart: the English name of the country that ends the address.
 * Undefined if none does.
 */
export function sellerAddress(seller: Seller): { readonly lines: readonly string[]; readonly country?: string } {
  const code = countryCodeOf(seller.addressLines.at(-1) ?? '');
  if (code === undefined) return { lines: seller.addressLines };
  return { lines: seller.addressLines.slice(0, -1), country: countryName(code) };
}

/** Whether a seller is registered for VAT at a time, so that VAT is charged. */
export function isVatRegistered(registration: VatRegistration | undefined, at: Date): boolean {
  if (registration === undefined || registration === 'yes') return true;
  return registration !== 'no' && at.getTime() >= registration.from.getTime();
}

/** The seller's VAT number as documents of a time show it: `""` before the seller is registered. */
export function vatNumberAt(seller: Seller, at: Date): string {
  return isVatRegistered(seller.vatRegistration, at) ? seller.vatNumber : '';
}

/**
 * Refuses a VAT number without a registration, and a registration without a number.
 * Throws a `ConfigError`. A registration from a day on is checked by `refuseUnnumbered`, once the time is known.
 */
export function refuseSeller(seller: Seller): void {
  if (seller.vatRegistration === 'no' && seller.vatNumber !== '') {
    throw new ConfigError('SELLER_VAT_NUMBER does nothing with SELLER_VAT_REGISTERED=no; unset it');
  }
  if (seller.vatRegistration === 'yes' && seller.vatNumber === '') {
    throw new ConfigError('SELLER_VAT_NUMBER is missing: SELLER_VAT_REGISTERED=yes needs it');
  }
}

/** Whether a seller's day of registration has come at a time without a VAT number. */
export function isUnnumbered({ vatRegistration, vatNumber }: Seller, at: Date): boolean {
  return typeof vatRegistration === 'object' && vatNumber === '' && isVatRegistered(vatRegistration, at);
}

/**
 * Refuses a seller whose day of registration has come and who has no VAT number.
 * Throws a `ConfigError`.
 */
export function refuseUnnumbered(seller: Seller, now: Date): void {
  const { vatRegistration } = seller;
  if (typeof vatRegistration !== 'object' || !isUnnumbered(seller, now)) return;
  throw new ConfigError(
    `SELLER_VAT_NUMBER is missing: SELLER_VAT_REGISTERED=${vatRegistration.day} has come and needs it`,
  );
}

/** What of the seller is not set, as one line for the log; undefined when nothing is missing. */
export function missingOfSeller(seller: Seller): string | undefined {
  const { name, addressLines, vatNumber, vatRegistration } = seller;
  const needsNumber = vatNumber === '' && vatRegistration !== 'no';
  const missing = [
    ...(name === '' ? ['SELLER_NAME'] : []),
    ...(addressLines.length === 0 ? ['SELLER_ADDRESS'] : []),
    ...(needsNumber ? ['SELLER_VAT_NUMBER'] : []),
  ];
  if (missing.length === 0) return undefined;
  const lacking = `invoices lack ${missing.join(', ')}, and an issued invoice never changes`;
  return needsNumber ? `${lacking}; ${numberMissing(vatRegistration)}` : lacking;
}

function numberMissing(registration: VatRegistration | undefined): string {
  return typeof registration === 'object'
    ? `the VAT number is needed from ${registration.day} on, when VAT is charged`
    : 'VAT is charged, but without the VAT number they are not VAT invoices; SELLER_VAT_REGISTERED=no charges none';
}
