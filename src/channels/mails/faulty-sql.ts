import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';

// Shops that fail: what their people are mailed about, and what operators see of them all.

export type FaultyShop = {
  account_id: Uuid;
  channel_id: Uuid;
  name: string;
  address: string;
  fault: string;
  fault_since: Date;
};

/** How long a shop has to fail before its people are mailed, and how long until they are again. */
type FaultTimes = { readonly failingSince: Date; readonly mailedBefore: Date; readonly remindedBefore: Date };

// A fault is mailed once, and again as long as it lasts. One that comes and goes is mailed once a day.
const TO_MAIL = `l.fault_since <= $1 and c.state <> 'disconnected'
     and (l.fault_mailed_at is null or l.fault_mailed_at < $2 and (l.fault_mailed_at < l.fault_since or l.fault_mailed_at < $3))`;

const LIST = statement<{ account_id: Uuid; channel_id: Uuid; fault_since: Date }>(
  'channels_list_faulty',
  `select l.account_id, l.channel_id, l.fault_since
   from channel_link l join channel c on c.account_id = l.account_id and c.id = l.channel_id
   where l.fault_since is not null and ${TO_MAIL} and (l.fault_since, l.channel_id) > ($4, $5)
   order by l.fault_since, l.channel_id limit $6`,
);

/** A page of the shops whose people are to be mailed, those that fail longest first, after one. */
export async function listFaultyShops(
  db: Db,
  { failingSince, mailedBefore, remindedBefore }: FaultTimes,
  page: { after: { fault_since: Date; channel_id: Uuid } | undefined; limit: number },
): Promise<{ account_id: Uuid; channel_id: Uuid; fault_since: Date }[]> {
  const { fault_since: since = new Date(0), channel_id: id = FIRST_ID } = page.after ?? {};
  return db.all(LIST, [failingSince, mailedBefore, remindedBefore, since, id, page.limit]);
}

const NOTE = statement<FaultyShop>(
  'channels_note_fault_mail',
  `update channel_link l set fault_mailed_at = $4
   from channel c
   where c.account_id = l.account_id and c.id = l.channel_id and l.account_id = $5 and l.channel_id = $6 and ${TO_MAIL}
   returning l.account_id, l.channel_id, c.name, l.address, l.fault, l.fault_since`,
);

/** Notes that the people of a shop are mailed; undefined where the fault is over, or they were. */
export async function noteFaultMail(
  tx: Db,
  { failingSince, mailedBefore, remindedBefore }: FaultTimes,
  of: { accountId: Uuid; channelId: Uuid; now: Date },
): Promise<FaultyShop | undefined> {
  return tx.one(NOTE, [failingSince, mailedBefore, remindedBefore, of.now, of.accountId, of.channelId]);
}

export type FaultyCount = { faulty: number; linked: number; since: Date | null };

const COUNT = statement<FaultyCount>(
  'channels_count_faulty',
  `select count(*)::integer as faulty, min(f.fault_since) as since,
     (select count(*)::integer from (select from channel_link limit $2) as l) as linked
   from (select l.fault_since from channel_link l join channel c on c.account_id = l.account_id and c.id = l.channel_id
         where l.fault_since <= $1 and c.state <> 'disconnected' order by l.fault_since, l.channel_id limit $2) as f`,
);

/** How many linked shops fail since before a time, of how many, and since when. */
export async function countFaulty(db: Db, before: Date, max: number): Promise<FaultyCount> {
  return (await db.one(COUNT, [before, max])) ?? { faulty: 0, linked: 0, since: null };
}
