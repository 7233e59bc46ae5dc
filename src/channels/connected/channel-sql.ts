import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { sealedColumn } from '../../lib/sealing/sealed-sql.ts';
import type { Sealed } from '../../lib/secrets.ts';
import type { LinkedPlatform } from '../platforms/port.ts';

/** The present one and one of before. */
const SECRETS_MAX = 2;

export type ChannelState = 'active' | 'paused' | 'disconnected';

/** A service of the shop, and the one of ours that it stands for. */
export type ServiceRule = { readonly theirs: string; readonly ours: string };

export type ChannelRow = {
  account_id: Uuid;
  id: Uuid;
  platform: 'signed' | LinkedPlatform;
  name: string;
  state: ChannelState;
  needs_approval: boolean;
  delay_minutes: number;
  services: ServiceRule[];
  /** Its buyers are given their money back for what is cancelled here. */
  refunds_buyers: boolean;
  /** A product without artwork is made as it is. */
  makes_blanks: boolean;
  /** An item that is not known here is made by others. */
  unknown_is_others: boolean;
  connected_at: Date;
  /** When it was connected, by the clock of the shop where that is known. */
  since: Date;
  ended_at: Date | null;
  last_order_at: Date | null;
  refused: number;
  last_refused_at: Date | null;
  is_suspended: boolean;
  /** How often what decides about its orders was changed. */
  rules_revision: number;
};

/** What is read of a channel, in a statement of that table alone. */
export const CHANNEL_COLUMNS = `account_id, id, platform, name, state, needs_approval, delay_minutes, services, refunds_buyers,
  makes_blanks, unknown_is_others, connected_at, ended_at, last_order_at, refused, last_refused_at, rules_revision,
  coalesce((select l.since from channel_link l where l.account_id = channel.account_id and l.channel_id = channel.id),
    connected_at) as since,
  (select a.suspended_at is not null from account a where a.id = channel.account_id) as is_suspended`;

const LIST = statement<ChannelRow>(
  'channels_list',
  `select ${CHANNEL_COLUMNS} from channel where account_id = $1 order by id desc limit 100`,
);

/** The channels of an account, the newest first; disconnected ones too, up to a hundred. */
export async function listChannels(db: Db, accountId: Uuid): Promise<ChannelRow[]> {
  return db.all(LIST, [accountId]);
}

const OWN = statement<ChannelRow>(
  'channels_own',
  `select ${CHANNEL_COLUMNS} from channel where account_id = $1 and id = $2`,
);

/** A channel of an account. */
export async function findOwnChannel(db: Db, accountId: Uuid, id: Uuid): Promise<ChannelRow | undefined> {
  return db.one(OWN, [accountId, id]);
}

const LOCK = statement<ChannelRow>(
  'channels_lock',
  `select ${CHANNEL_COLUMNS} from channel where account_id = $1 and id = $2 for no key update`,
);

/** As `findOwnChannel`, under a lock. */
export async function lockChannel(tx: Db, accountId: Uuid, id: Uuid): Promise<ChannelRow | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

export type ChannelSecret = {
  account_id: Uuid;
  is_suspended: boolean;
  sealed: Buffer;
  sealed_with: string | null;
};

const SECRETS = statement<ChannelSecret>(
  'channels_secrets',
  `select s.account_id, a.suspended_at is not null as is_suspended, s.sealed, s.sealed_with
   from channel_secret s join account a on a.id = s.account_id
   where s.channel_id = $1 and (s.valid_until is null or s.valid_until > $2) order by s.id desc limit ${SECRETS_MAX}`,
);

/**
 * The secrets that the shop of a channel may sign with, the newest first.
 * None where it is not connected.
 */
export async function findSecrets(db: Db, channelId: Uuid, now: Date): Promise<ChannelSecret[]> {
  return db.all(SECRETS, [channelId, now]);
}

const LOCK_ACCOUNT = statement<never>(
  'channels_lock_account',
  'select id from account where id = $1 for no key update',
);

const COUNT = statement<{ connected: number; ever: number }>(
  'channels_count',
  `select count(*) filter (where state <> 'disconnected')::integer as connected, count(*)::integer as ever
   from channel where account_id = $1`,
);

/** Locks an account; how many channels of it are connected, and how many were ever. */
export async function lockAndCountChannels(tx: Db, accountId: Uuid): Promise<{ connected: number; ever: number }> {
  await tx.all(LOCK_ACCOUNT, [accountId]);
  return (await tx.one(COUNT, [accountId])) ?? { connected: 0, ever: 0 };
}

const INSERT = statement<never>(
  'channels_connect',
  `insert into channel (account_id, id, platform, name, state, connected_at, address)
   values ($1, $2, $3, $4, 'active', $5, $6)`,
);

/** Writes a channel that was just connected. */
export async function insertChannel(
  tx: Db,
  channel: {
    accountId: Uuid;
    id: Uuid;
    platform: ChannelRow['platform'];
    name: string;
    /** Where the shop is, of one that is linked. */
    address: string | null;
    now: Date;
  },
): Promise<void> {
  const { accountId, id, platform, name, address, now } = channel;
  await tx.all(INSERT, [accountId, id, platform, name, now, address]);
}

const INSERT_SECRET = statement<never>(
  'channels_insert_secret',
  'insert into channel_secret (id, account_id, channel_id, sealed, sealed_with) values ($1, $2, $3, $4, $5)',
);

/** Adds a secret to a locked channel. */
export async function insertSecret(
  tx: Db,
  secret: { id: Uuid; accountId: Uuid; channelId: Uuid; sealed: Sealed },
): Promise<void> {
  const { id, accountId, channelId, sealed } = secret;
  await tx.all(INSERT_SECRET, [id, accountId, channelId, sealed.bytes, sealed.keyId]);
}

const CHANGE = statement<never>(
  'channels_change',
  `update channel set name = $3, state = $4, needs_approval = $5, delay_minutes = $6, services = $7, refunds_buyers = $8,
     makes_blanks = $9, unknown_is_others = $10, rules_revision = rules_revision + 1
   where account_id = $1 and id = $2`,
);

/** What a person sets of a channel besides its name. */
export type ChannelRules = Pick<
  ChannelRow,
  'needs_approval' | 'delay_minutes' | 'services' | 'refunds_buyers' | 'makes_blanks' | 'unknown_is_others'
>;

/** Writes the settings of a locked channel. */
export async function changeChannel(
  tx: Db,
  channel: Pick<ChannelRow, 'account_id' | 'id' | 'name' | 'state'> & ChannelRules,
): Promise<void> {
  const { account_id: accountId, id, name, state, needs_approval: approval, delay_minutes: delay, services } = channel;
  const { refunds_buyers: refunds, makes_blanks: blanks, unknown_is_others: others } = channel;
  const rules = [approval, delay, JSON.stringify(services), refunds, blanks, others];
  await tx.all(CHANGE, [accountId, id, name, state, ...rules]);
}

const END_OLDER = statement<never>(
  'channels_end_older_secrets',
  'delete from channel_secret where channel_id = $1 and valid_until is not null',
);
const END_PRESENT = statement<never>(
  'channels_end_present_secret',
  'update channel_secret set valid_until = $2 where channel_id = $1 and valid_until is null',
);

/** Lets the present secret of a locked channel end at a time; one that ended before goes at once. */
export async function endSecret(tx: Db, channelId: Uuid, until: Date): Promise<void> {
  await tx.all(END_OLDER, [channelId]);
  await tx.all(END_PRESENT, [channelId, until]);
}

const DELETE_ENDED = statement<{ id: Uuid }>(
  'channels_delete_ended_secrets',
  `delete from channel_secret where id = any(array(
     select id from channel_secret where valid_until <= $1 order by valid_until limit 100 for update skip locked)) returning id`,
);

/** Deletes secrets that have ended; a bounded number. */
export async function deleteEndedSecrets(db: Db, now: Date): Promise<void> {
  await db.all(DELETE_ENDED, [now]);
}

const END = statement<never>(
  'channels_disconnect',
  `update channel set state = 'disconnected', ended_at = $3, rules_revision = rules_revision + 1
   where account_id = $1 and id = $2`,
);
const DELETE_SECRETS = statement<never>('channels_delete_secrets', 'delete from channel_secret where channel_id = $1');

/** Ends a locked channel; its secrets are gone at once. */
export async function endChannel(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(END, [accountId, id, now]);
  await tx.all(DELETE_SECRETS, [id]);
}

const NOTE_RULES = statement<never>(
  'channels_note_rules',
  'update channel set rules_revision = rules_revision + 1 where account_id = $1 and id = $2',
);

/** Notes for a locked channel that its items were changed. */
export async function noteRules(tx: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await tx.all(NOTE_RULES, [accountId, id]);
}

const HOLD_RULES = statement<Pick<ChannelRow, 'rules_revision'>>(
  'channels_hold_rules',
  'select rules_revision from channel where account_id = $1 and id = $2 for share',
);

/** How often the rules of a channel were changed. Until the transaction ends, they are not. */
export async function holdRules(tx: Db, accountId: Uuid, id: Uuid): Promise<number | undefined> {
  return (await tx.one(HOLD_RULES, [accountId, id]))?.rules_revision;
}

const NOTE_REFUSED = statement<never>(
  'channels_note_refused',
  'update channel set refused = refused + 1, last_refused_at = $2 where id = $1',
);

/** Counts a request with a wrong signature. */
export async function noteRefused(db: Db, id: Uuid, now: Date): Promise<void> {
  await db.all(NOTE_REFUSED, [id, now]);
}

const NOTE_ORDER = statement<never>(
  'channels_note_order',
  'update channel set last_order_at = $3 where account_id = $1 and id = $2',
);

/** Notes that an order came, under the lock of the channel. */
export async function noteOrder(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(NOTE_ORDER, [accountId, id, now]);
}

/** The secrets that shops sign with. */
export const SEALED_CHANNELS = sealedColumn({
  kind: 'channel secrets',
  slice: 'channels',
  table: 'channel_secret',
  sealed: 'sealed',
  sealedWith: 'sealed_with',
  key: 'id',
  keyAsText: 'id::text',
  keyFromText: 'name::uuid',
  order: 'id',
});
