import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Whom the invoices of an account are addressed to.

export type BillingRow = {
  legal_name: string;
  line1: string;
  line2: string;
  city: string;
  county: string;
  postcode: string;
  country_code: string;
  company_number: string;
  contact_name: string;
  contact_email: string;
};

const COLUMNS = `legal_name, line1, line2, city, county, postcode, country_code, company_number, contact_name, contact_email`;

const FIND = statement<BillingRow>(
  'accounts_find_billing',
  `select ${COLUMNS} from account_billing where account_id = $1`,
);

/** Reads an account's billing identity; undefined while it has none. */
export async function findBilling(db: Db, accountId: Uuid): Promise<BillingRow | undefined> {
  return db.one(FIND, [accountId]);
}

const SAVE = statement<never>(
  'accounts_save_billing',
  `with known as (update account set has_billing = true where id = $1 and not has_billing)
   insert into account_billing (account_id, ${COLUMNS}, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   on conflict (account_id) do update set legal_name = excluded.legal_name, line1 = excluded.line1, line2 = excluded.line2,
     city = excluded.city, county = excluded.county, postcode = excluded.postcode, country_code = excluded.country_code,
     company_number = excluded.company_number, contact_name = excluded.contact_name,
     contact_email = excluded.contact_email, updated_at = excluded.updated_at`,
);

/** Writes the billing identity of a locked account. */
export async function saveBilling(tx: Db, accountId: Uuid, row: BillingRow, now: Date): Promise<void> {
  const { legal_name, line1, line2, city, county, postcode, country_code } = row;
  const address = [line1, line2, city, county, postcode, country_code];
  await tx.all(SAVE, [accountId, legal_name, ...address, row.company_number, row.contact_name, row.contact_email, now]);
}
