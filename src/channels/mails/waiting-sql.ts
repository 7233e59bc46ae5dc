import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ChannelState } from '../connected/channel-sql.ts';

// Mails about what of a channel waits for its people: at most one of a channel in a day.

const MAKE_DUE = statement<never>(
  'channels_make_mail_due',
  `update channel set mail_due_at = greatest($3::timestamptz, mailed_at + interval '1 day')
   where account_id = $1 and id = $2 and mail_due_at is null and state <> 'disconnected'`,
);

/**
 * Has the people of a channel mailed at a time, or a day after their last mail.
 * Called before, or with, what waits for them is written: one that finds nothing is dropped. Writes nothing while a
 * mail is due already.
 */
export async function makeMailDue(db: Db, of: { accountId: Uuid; channelId: Uuid }, at: Date): Promise<void> {
  await db.all(MAKE_DUE, [of.accountId, of.channelId, at]);
}

const DUE = statement<{ account_id: Uuid; id: Uuid }>(
  'channels_due_mails',
  'select account_id, id from channel where mail_due_at <= $1 order by mail_due_at, id limit $2',
);

/** Channels whose people are to be mailed, a bounded number. */
export async function listDueMails(db: Db, now: Date, limit: number): Promise<{ account_id: Uuid; id: Uuid }[]> {
  return db.all(DUE, [now, limit]);
}

type MailedChannel = { name: string; state: ChannelState; failed_reports: number };

const LOCK = statement<MailedChannel>(
  'channels_lock_due_mail',
  `select name, state, (select count(*)::integer from (
       select from channel_report r where r.account_id = $1 and r.channel_id = $2 and r.failed_at is not null limit $4
     ) as f) as failed_reports
   from channel where account_id = $1 and id = $2 and mail_due_at <= $3
   for no key update skip locked`,
);

/**
 * Locks a channel whose people are to be mailed; undefined where another does it.
 * With how many of its reports its shop refuses, counted up to a bound.
 */
export async function lockDueMail(
  tx: Db,
  of: { accountId: Uuid; channelId: Uuid },
  now: Date,
  max: number,
): Promise<MailedChannel | undefined> {
  return tx.one(LOCK, [of.accountId, of.channelId, now, max]);
}

const END = statement<never>(
  'channels_end_mail',
  'update channel set mail_due_at = null, mailed_at = coalesce($3, mailed_at) where account_id = $1 and id = $2',
);

/** Notes that the people of a locked channel were mailed, or that nothing waits for them. */
export async function endWaitingMail(
  tx: Db,
  of: { accountId: Uuid; channelId: Uuid },
  mailedAt: Date | null,
): Promise<void> {
  await tx.all(END, [of.accountId, of.channelId, mailedAt]);
}
