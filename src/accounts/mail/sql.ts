import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Sealed } from '../../lib/secrets.ts';

/** The kind of the jobs that send mails; a job's key is the public id of its mail. */
export const MAIL_JOB = 'mail';

/** A mail to a person of a customer. */
export type NewMail = {
  readonly accountId: Uuid;
  /** What it is about, one word for lists and counts: `invitation`, `password_reset`. */
  readonly kind: string;
  /** One address, as a person of the account has it. */
  readonly to: string;
  /** From when on it is of no use; it is given up then. */
  readonly uselessAt: Date;
  /** A second mail of the account under the same key is not sent. */
  readonly onceKey?: string;
};

const INSERT = statement<{ id: Uuid }>(
  'accounts_insert_mail',
  `with new_mail as (
     insert into mail (account_id, id, kind, once_key, recipient, created_at, useless_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, once_key) do nothing returning account_id, id
   )
   insert into mail_content (account_id, mail_id, sealed, sealed_with)
   select account_id, id, $8, $9 from new_mail returning mail_id as id`,
);

/** Records a mail; returns whether it is new. */
export async function insertMail(
  db: Db,
  mail: NewMail & { readonly id: Uuid; readonly content: Sealed; readonly createdAt: Date },
): Promise<boolean> {
  const { accountId, id, kind, onceKey = null, to, content, createdAt, uselessAt } = mail;
  const row = [accountId, id, kind, onceKey, to, createdAt, uselessAt, content.bytes, content.keyId];
  return (await db.one(INSERT, row)) !== undefined;
}

const WAITING = statement<{ waiting: number }>(
  'accounts_count_waiting_mail',
  `select count(*)::integer as waiting from (
     select from mail
     where account_id = $1 and id >= $2 and ended_at is null and (kind = any($4::text[])) = $5 limit $3
   ) as w`,
);

/**
 * How many mails of some kinds, or of all others, of an account wait.
 * Of those recorded since an id, and up to a bound.
 */
export async function countWaitingMail(
  db: Db,
  of: { accountId: Uuid; since: Uuid; kinds: readonly string[]; isOfThem: boolean; max: number },
): Promise<number> {
  return (await db.one(WAITING, [of.accountId, of.since, of.max, of.kinds, of.isOfThem]))?.waiting ?? 0;
}

export type WaitingMail = {
  readonly account_id: Uuid;
  readonly id: Uuid;
  readonly recipient: string;
  readonly sealed: Buffer;
  readonly sealed_with: string | null;
  readonly useless_at: Date;
};

const FIND = statement<WaitingMail>(
  'accounts_find_waiting_mail',
  `select m.account_id, m.id, m.recipient, c.sealed, c.sealed_with, m.useless_at
   from mail m join mail_content c on c.account_id = m.account_id and c.mail_id = m.id
   where m.id = $1 and m.ended_at is null`,
);

/** A mail that is still to be sent. */
export async function findWaitingMail(db: Db, id: Uuid): Promise<WaitingMail | undefined> {
  return db.one(FIND, [id]);
}

const END = statement<never>(
  'accounts_end_mail',
  `with ended as (
     update mail set ended_at = $2, outcome = $3, last_answer = $4 where id = $1 and ended_at is null
     returning account_id, id
   )
   delete from mail_content c using ended e where c.account_id = e.account_id and c.mail_id = e.id`,
);

/** Records what became of a mail, and removes its content. */
export async function endMail(
  db: Db,
  id: Uuid,
  end: { readonly at: Date; readonly outcome: 'sent' | 'refused' | 'late'; readonly answer: string },
): Promise<void> {
  await db.all(END, [id, end.at, end.outcome, end.answer]);
}

const NOTE = statement<never>(
  'accounts_note_mail_answer',
  'update mail set last_answer = $2 where id = $1 and ended_at is null',
);

/** Notes what the mail server answered to a mail that is tried again. */
export async function noteMailAnswer(db: Db, id: Uuid, answer: string): Promise<void> {
  await db.all(NOTE, [id, answer]);
}
