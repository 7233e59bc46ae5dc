import type { PaymentMethodKind } from '../billing/postings.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

const SET_METHOD = statement<{ account_id: Uuid }>(
  'billing_set_payment_method',
  `insert into payment_method (account_id, kind, provider_reference, provider_customer, label, expires_on, updated_at)
   select id, $2, $3, $4, $5, $6::date, $7 from account where id = $1
   on conflict (account_id) do update set kind = excluded.kind, provider_reference = excluded.provider_reference,
     provider_customer = excluded.provider_customer, label = excluded.label, expires_on = excluded.expires_on,
     updated_at = excluded.updated_at
   returning account_id`,
);

/** Sets the method that pays what an account's balance does not; false for an unknown account. */
export async function upsertPaymentMethod(
  db: Db,
  method: {
    accountId: Uuid;
    kind: PaymentMethodKind;
    reference: string;
    customer: string;
    label: string;
    /** The last day on which a card is good. */
    expiresOn: string | null;
    now: Date;
  },
): Promise<boolean> {
  const { accountId, kind, reference, customer, label, expiresOn, now } = method;
  return (await db.one(SET_METHOD, [accountId, kind, reference, customer, label, expiresOn, now])) !== undefined;
}

const CUSTOMER = statement<{ provider_customer: string }>(
  'billing_provider_customer',
  'select provider_customer from payment_method where account_id = $1 and provider_reference = $2',
);

/** The provider's customer id of a method's owner; `""` until the provider was asked. */
export async function readProviderCustomer(db: Db, accountId: Uuid, reference: string): Promise<string> {
  return (await db.one(CUSTOMER, [accountId, reference]))?.provider_customer ?? '';
}

const ANY_CUSTOMER = statement<{ provider_customer: string }>(
  'payments_customer_of_account',
  'select provider_customer from payment_method where account_id = $1',
);

/** The provider's customer id of an account, `""` while none is known. */
export async function readCustomerOf(db: Db, accountId: Uuid): Promise<string> {
  return (await db.one(ANY_CUSTOMER, [accountId]))?.provider_customer ?? '';
}

const STORE_CUSTOMER = statement<never>(
  'billing_keep_provider_customer',
  'update payment_method set provider_customer = $3 where account_id = $1 and provider_reference = $2',
);

/** Stores the provider's customer id of a method's owner. */
export async function storeProviderCustomer(
  db: Db,
  accountId: Uuid,
  reference: string,
  customer: string,
): Promise<void> {
  await db.all(STORE_CUSTOMER, [accountId, reference, customer]);
}
