import type { BillingIdentity } from './schema.ts';
import type { BillingRow } from './sql.ts';

/** Shows whom the invoices of an account are addressed to. */
export function billingView(row: BillingRow): BillingIdentity {
  const { legal_name, line1, line2, city, county, postcode, country_code, company_number } = row;
  return {
    legal_name,
    address: { line1, line2, city, county, postcode, country_code },
    company_number,
    contact: row.contact_email === '' ? null : { name: row.contact_name, email: row.contact_email },
  };
}
