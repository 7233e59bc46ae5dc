import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { LinkedPlatform } from '../platforms/port.ts';

// Connections that were begun here and wait for a shop's consent.

const COUNT_INVITATIONS = statement<{ open: number }>(
  'channels_count_invitations',
  'select count(*)::integer as open from channel_invitation where account_id = $1 and expires_at > $2',
);

/** How many connections of a locked account wait for a shop's consent. */
export async function countInvitations(tx: Db, accountId: Uuid, now: Date): Promise<number> {
  return (await tx.one(COUNT_INVITATIONS, [accountId, now]))?.open ?? 0;
}

export type Invitation = {
  id: Uuid;
  account_id: Uuid;
  platform: LinkedPlatform;
  address: string;
  name: string;
  channel_id: Uuid | null;
};

const INSERT_INVITATION = statement<never>(
  'channels_insert_invitation',
  `insert into channel_invitation (id, account_id, platform, address, name, channel_id, state_digest, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

/** Notes that a connection waits for a shop's consent. */
export async function insertInvitation(
  tx: Db,
  invitation: Invitation & { readonly digest: Buffer; readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  const {
    id,
    account_id: accountId,
    platform,
    address,
    name,
    channel_id: channelId,
    digest,
    now,
    expiresAt,
  } = invitation;
  await tx.all(INSERT_INVITATION, [id, accountId, platform, address, name, channelId, digest, now, expiresAt]);
}

const FIND_INVITATION = statement<Invitation>(
  'channels_find_invitation',
  `select id, account_id, platform, address, name, channel_id from channel_invitation
   where state_digest = any($1) and expires_at > $2`,
);

/** The connection that a shop consents to, which stays open. */
export async function findInvitation(db: Db, digests: readonly Buffer[], now: Date): Promise<Invitation | undefined> {
  return db.one(FIND_INVITATION, [digests, now]);
}

const TAKE_INVITATION = statement<Invitation>(
  'channels_take_invitation',
  `delete from channel_invitation where state_digest = any($1) and expires_at > $2
   returning id, account_id, platform, address, name, channel_id`,
);

/** Takes the connection that a shop consents to, once. */
export async function takeInvitation(tx: Db, digests: readonly Buffer[], now: Date): Promise<Invitation | undefined> {
  return tx.one(TAKE_INVITATION, [digests, now]);
}

const DELETE_INVITATIONS = statement<{ id: Uuid }>(
  'channels_delete_ended_invitations',
  `delete from channel_invitation where ctid = any(array(
     select ctid from channel_invitation where expires_at <= $1 order by expires_at limit 100 for update skip locked)) returning id`,
);

/** Deletes connections that no shop has consented to in time; a bounded number. */
export async function deleteEndedInvitations(db: Db, now: Date): Promise<void> {
  await db.all(DELETE_INVITATIONS, [now]);
}
