import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { BuyerRow } from '../due-sql.ts';
import { type IssuedRow, SHOWN_OF_ISSUED } from '../list-sql.ts';
import type { SummedDocument } from './statement.ts';

// The documents of an account in a period, oldest first. Each kind is a range of its index.

/** A period of an account. */
export type AccountPeriod = { readonly accountId: Uuid; readonly from: Date; readonly until: Date };

const IN_PERIOD = 'where account_id = $1 and issued_at >= $2 and issued_at < $3';

const COUNTS = statement<{ invoices: number; credit_notes: number }>(
  'billing_documents_of_period',
  `select (select count(*)::integer from (select from invoice ${IN_PERIOD} limit $4) as one) as invoices,
          (select count(*)::integer from (select from credit_note ${IN_PERIOD} limit $4) as one) as credit_notes`,
);

/** How many documents a period has of each kind, counted up to a bound. */
export async function countDocuments(
  db: Db,
  { accountId, from, until }: AccountPeriod,
  countedMax: number,
): Promise<{ invoices: number; credit_notes: number }> {
  const row = await db.one(COUNTS, [accountId, from, until, countedMax]);
  if (row === undefined) throw new Error('a count is one row');
  return row;
}

const keysOf = (kind: 'invoice' | 'credit_note'): string => `(
  select '${kind}' as kind, issued_at, number from ${kind} ${IN_PERIOD} order by issued_at, number limit $4 + $5::bigint
)`;

// What is passed over is read off the indexes alone.
const PART = statement<IssuedRow>(
  'billing_part_of_period',
  `with part as materialized (
     select kind, number from (${keysOf('invoice')} union all ${keysOf('credit_note')}) as found
     order by issued_at, number offset $4 limit $5
   )
   ${SHOWN_OF_ISSUED} from (
     select p.kind, i.number, i.account_id, i.order_id, null::uuid as credit_id, i.document, i.issued_at
     from part p join invoice i on i.number = p.number and i.account_id = $1 where p.kind = 'invoice'
     union all
     select p.kind, c.number, c.account_id, c.order_id, c.credit_id, c.document, c.issued_at
     from part p join credit_note c on c.number = p.number and c.account_id = $1 where p.kind = 'credit_note'
   ) as shown order by issued_at, number`,
);

/** Some documents of a period, after those that are passed over. */
export async function listPart(
  db: Db,
  { accountId, from, until }: AccountPeriod,
  { passed, limit }: { passed: number; limit: number },
): Promise<IssuedRow[]> {
  return db.all(PART, [accountId, from, until, passed, limit]);
}

const FIRST = statement<{ first: Date | null }>(
  'billing_first_of_account',
  `select least(
     (select created_at from posting where account_id = $1 and entry is not null order by entry limit 1),
     (select issued_at from invoice where account_id = $1 order by issued_at, number limit 1)
   ) as first`,
);

/** When an account first moved: its first entry, or its first invoice. */
export async function findFirstMovement(db: Db, accountId: Uuid): Promise<Date | undefined> {
  return (await db.one(FIRST, [accountId]))?.first ?? undefined;
}

export type SummedDocumentRow = Omit<SummedDocument, 'kind'> & { issued_at: Date; number: number };

const summed = (kind: 'invoice' | 'credit_note') =>
  statement<SummedDocumentRow>(
    `billing_summed_${kind}`,
    `select issued_at, number, (document->>'net_pence')::bigint as net_pence, (document->>'vat_pence')::bigint as vat_pence,
       (document->>'duty_pence')::bigint as duty_pence, (document->>'total_pence')::bigint as total_pence,
       document->'vat' as vat
     from ${kind} where account_id = $1 and (issued_at, number) > ($2::timestamptz, $3::bigint) and issued_at < $4
     order by issued_at, number limit $5`,
  );

const SUMMED = { invoice: summed('invoice'), credit_note: summed('credit_note') };

/** A page of the documents of a kind after one, as far as their sums need them, oldest first. */
export async function listSummedDocuments(
  db: Db,
  { accountId, until, kind }: Pick<AccountPeriod, 'accountId' | 'until'> & { kind: 'invoice' | 'credit_note' },
  { after, limit }: { after: { at: Date; number: number }; limit: number },
): Promise<SummedDocumentRow[]> {
  return db.all(SUMMED[kind], [accountId, after.at, after.number, until, limit]);
}

const BUYER_OF_ACCOUNT = statement<BuyerRow>(
  'billing_buyer_of_account',
  `select a.name, a.vat_number, to_json(b) as billing
   from account a left join account_billing b on b.account_id = a.id where a.id = $1`,
);

/** Whom the documents of an account are addressed to today. */
export async function findBuyer(db: Db, accountId: Uuid): Promise<BuyerRow | undefined> {
  return db.one(BUYER_OF_ACCOUNT, [accountId]);
}
