import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { CHANNEL_COLUMNS, type ChannelRow } from './channel-sql.ts';

// Connected shops of all accounts: for operators.

/** A page of shops, from before one. */
export type ShopsPage = { readonly before: Uuid; readonly limit: number };

const ALL = statement<ChannelRow>(
  'channels_ops_all',
  `select ${CHANNEL_COLUMNS} from channel where id < $1 order by id desc limit $2`,
);

/** A page of the shops of all accounts, the newest first; disconnected ones too. */
export async function listAllChannels(db: Db, { before, limit }: ShopsPage): Promise<ChannelRow[]> {
  return db.all(ALL, [before, limit]);
}

// An account has a hundred at most.
const OF_ACCOUNT = statement<ChannelRow>(
  'channels_ops_of_account',
  `select ${CHANNEL_COLUMNS} from channel where account_id = $1 and id < $2
     and (not $4::boolean or exists (
       select from channel_link l where l.account_id = channel.account_id and l.channel_id = channel.id and l.fault is not null)
     or exists (
       select from channel_product p where p.account_id = channel.account_id and p.channel_id = channel.id
         and p.failing_since is not null))
   order by id desc limit $3`,
);

/** As `listAllChannels`, of one account: all, or those in trouble as of `listFaultyChannels`. */
export async function listChannelsOf(
  db: Db,
  of: { readonly accountId: Uuid; readonly isFaulty: boolean },
  { before, limit }: ShopsPage,
): Promise<ChannelRow[]> {
  return db.all(OF_ACCOUNT, [of.accountId, before, limit, of.isFaulty]);
}

// Shop by shop through the indexes of faults and of refused products, of which there are few. A shop may refuse a
// thousand: each step finds the next shop, not the next product.
const FAULTY = statement<ChannelRow>(
  'channels_ops_faulty',
  `with recursive refusing(channel_id) as (
     (select channel_id from channel_product where failing_since is not null and channel_id < $1
      order by channel_id desc limit 1)
     union all
     select (select p.channel_id from channel_product p where p.failing_since is not null and p.channel_id < refusing.channel_id
             order by p.channel_id desc limit 1)
     from refusing where refusing.channel_id is not null
   )
   select ${CHANNEL_COLUMNS} from channel where id in (
     (select channel_id from channel_link where fault is not null and channel_id < $1 order by channel_id desc limit $2)
     union
     (select channel_id from refusing where channel_id is not null limit $2))
   order by id desc limit $2`,
);

/** As `listAllChannels`, of those whose last sync ended with a fault, and those that refuse a product. */
export async function listFaultyChannels(db: Db, { before, limit }: ShopsPage): Promise<ChannelRow[]> {
  return db.all(FAULTY, [before, limit]);
}

const ANY = statement<ChannelRow>('channels_ops_any', `select ${CHANNEL_COLUMNS} from channel where id = $1`);

/** A shop of any account. */
export async function findAnyChannel(db: Db, id: Uuid): Promise<ChannelRow | undefined> {
  return db.one(ANY, [id]);
}

const ASK_NOW = statement<{ channel_id: Uuid }>(
  'channels_ask_now',
  `update channel_link set retry_at = null, next_sync_at = $3, set_up_at = null
   where account_id = $1 and channel_id = $2 returning channel_id`,
);

/**
 * Has a linked shop synchronised at once, whatever it failed by, and set up anew.
 * False for one that sends its orders itself.
 */
export async function askNow(tx: Db, accountId: Uuid, channelId: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(ASK_NOW, [accountId, channelId, now])) !== undefined;
}
