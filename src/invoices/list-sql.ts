import { type Db, type Statement, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';

// The documents of a period, of all accounts or of one, for operators alone. Each kind is a range of its index, cut to
// a page before both are merged.

export type IssuedRow = {
  kind: 'invoice' | 'credit_note';
  number: number;
  account_id: Uuid;
  order_id: Uuid;
  credit_id: Uuid | null;
  issued_at: Date;
  issued_on: string | null;
  tax_point: string;
  order_reference: string;
  customer_name: string;
  customer_vat_number: string;
  net_pence: number;
  vat_pence: number;
  duty_pence: number;
  total_pence: number;
};

/** Where a page begins, latest first: before this document. */
export type IssuedPosition = { readonly issuedAt: Date; readonly number: number };

/** Which documents a page has. */
export type IssuedPage = {
  readonly before: IssuedPosition;
  /** Documents issued at this time or later. */
  readonly since: Date;
  readonly accountId: Uuid | undefined;
  readonly kind: 'invoice' | 'credit_note' | undefined;
  readonly limit: number;
};

/** SQL of the columns of a document in a list, before the `from` that names its own. */
export const SHOWN_OF_ISSUED = `
  select kind, number, account_id, order_id, credit_id, issued_at, document->>'issued_on' as issued_on,
    document->>'tax_point' as tax_point, document->>'order_reference' as order_reference,
    document->'customer'->>'name' as customer_name, document->'customer'->>'vat_number' as customer_vat_number,
    (document->>'net_pence')::bigint as net_pence, (document->>'vat_pence')::bigint as vat_pence,
    (document->>'duty_pence')::bigint as duty_pence, (document->>'total_pence')::bigint as total_pence`;

const pageOf = (kind: 'invoice' | 'credit_note', account: string): string => `(
  select '${kind}' as kind, number, account_id, order_id, ${kind === 'invoice' ? 'null::uuid' : 'credit_id'} as credit_id,
    document, issued_at
  from ${kind}
  where (issued_at, number) < ($1::timestamptz, $2::bigint) and issued_at >= $3 and coalesce($4, '${kind}') = '${kind}' ${account}
  order by issued_at desc, number desc limit $5
)`;

const listed = (name: string, account: string): Statement<IssuedRow> =>
  statement(
    name,
    `${SHOWN_OF_ISSUED} from (
       select * from (${pageOf('invoice', account)} union all ${pageOf('credit_note', account)}) as found
       order by issued_at desc, number desc limit $5
     ) as page order by issued_at desc, number desc`,
  );

const LIST = listed('billing_list_issued', '');
const LIST_OF_ACCOUNT = listed('billing_list_issued_of_account', 'and account_id = $6');

/** A page of the documents that were issued, latest first. */
export async function listIssuedRows(db: Db, page: IssuedPage): Promise<IssuedRow[]> {
  const { before, since, accountId, kind, limit } = page;
  const values = [before.issuedAt, before.number, since, kind ?? null, limit];
  return accountId === undefined ? db.all(LIST, values) : db.all(LIST_OF_ACCOUNT, [...values, accountId]);
}

const OF_NUMBER = statement<IssuedRow>(
  'billing_issued_of_number',
  `${SHOWN_OF_ISSUED} from (
     select 'invoice' as kind, number, account_id, order_id, null::uuid as credit_id, document, issued_at
     from invoice where number = $1
     union all
     select 'credit_note', number, account_id, order_id, credit_id, document, issued_at
     from credit_note where number = $1
   ) as found`,
);

/** The document with a number: invoices and credit notes have one series. */
export async function findIssuedRow(db: Db, number: number): Promise<IssuedRow | undefined> {
  return db.one(OF_NUMBER, [number]);
}
