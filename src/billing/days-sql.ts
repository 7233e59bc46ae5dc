import { type Db, type Session, statement } from '../lib/db.ts';

// From when on days are those of the seller, and until when they are closed: one row.

export type SellerDayRow = { begins_at: Date; time_zone: string | null; closed_until: Date };

const COLUMNS = 'begins_at, time_zone, closed_until';

const SELLER_DAY = statement<SellerDayRow>('billing_seller_day', `select ${COLUMNS} from seller_day`);

/** Reads the row without a lock; undefined in a database without it. */
export async function findSellerDay(db: Db): Promise<SellerDayRow | undefined> {
  return db.one(SELLER_DAY, []);
}

/** Until when days are closed, read without a lock; undefined in a database without the row. */
export async function readClosedUntil(db: Db): Promise<Date | undefined> {
  return (await findSellerDay(db))?.closed_until;
}

// Its holder closes days itself, or writes postings of the past: there is nothing to wait for.
const LOCK_CLOSING_TEXT = `select ${COLUMNS} from seller_day for update skip locked`;
const LOCK_CLOSING = statement<SellerDayRow>('billing_lock_closing', LOCK_CLOSING_TEXT);

/**
 * Locks the closing of days until the transaction ends. Returns until when days are closed.
 * Undefined while another transaction holds it.
 */
export async function lockClosing(tx: Db): Promise<Date | undefined> {
  return (await tx.one(LOCK_CLOSING, []))?.closed_until;
}

/** As `lockClosing`, on a session of its own until the session closes. */
export async function lockClosingOn(session: Session): Promise<Date | undefined> {
  const [row] = await session.query<SellerDayRow>(`begin; ${LOCK_CLOSING_TEXT}`);
  return row?.closed_until;
}

const CLOSED_UNTIL = statement<never>('billing_closed_until', 'update seller_day set closed_until = $1');

/** Records until when days are closed. */
export async function setClosedUntil(tx: Db, until: Date): Promise<void> {
  await tx.all(CLOSED_UNTIL, [until]);
}

// A time zone that no closed day depends on yet can still be changed.
const RECORD_TIME_ZONE = statement<never>(
  'billing_record_time_zone',
  `update seller_day set time_zone = $1
   where time_zone is null or (time_zone <> $1 and not exists (select from closed_day))`,
);

/** Records the seller's time zone, unless days are closed by another one. */
export async function recordTimeZone(db: Db, timeZone: string): Promise<void> {
  await db.all(RECORD_TIME_ZONE, [timeZone]);
}
