import { type Actor, actAs, idOr } from '../accounts/access/act-on-access.ts';
import { actorName, refuseSamePerson } from '../accounts/access/second-person.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, noSuch } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { APPROVERS, type BooksContext } from './context.ts';
import { settledEntry } from './enter.ts';
import { type BookEntryRow, decideEntryRow, findEntry, lockEntry } from './entries-sql.ts';
import type { BookEntry } from './entry-schema.ts';
import { legsOf } from './plan.ts';
import { postLegs } from './post-entry.ts';
import { isExpired } from './read-entries.ts';

/**
 * Approves a proposed entry and posts it, as the books are now.
 * The approver is another person than the proposer, or the only one of the shop. Of two approvals, or an approval and a
 * refusal, exactly one has an effect. Throws 404 for an unknown entry; 409 for one that is decided or expired, for the
 * proposer's own where others could approve it, and for what can no longer be posted.
 */
export async function approveEntry(ctx: BooksContext, actor: Actor, id: string, reason?: string): Promise<BookEntry> {
  const entryId = idOr(noSuch('entry of the books'), 'ent', id);
  const by = actorName(actor);
  // The audit log names the order.
  const orderId = (await findEntry(ctx.database, entryId))?.order_id ?? null;
  const act = { action: 'approve_entry', orderId, subjectId: entryId, detail: { entry_id: id }, reason };
  const acted = await actAs(ctx, actor, act, async (tx, now) => {
    const entry = await lockProposed(tx, entryId);
    if (isExpired(entry, now)) {
      throw new ApiError('conflict', 'This proposal has expired. Refuse it, and enter it again if it is still right.');
    }
    const { isOwn } = await refuseSamePerson(tx, entry.proposed_by, by, APPROVERS);
    await decideEntryRow(tx, { id: entryId, state: 'posted', by, reason: reason ?? '', isOwn, now });
    const { kind, shortfall } = entry;
    const legs = legsOf(entry.plan);
    await postLegs(ctx, tx, { id: entryId, kind, reason: entry.reason, orderId, legs, shortfall, actor: by.name }, now);
  });
  return settledEntry(ctx, acted.kind === 'done' ? entryId : acted.subjectId);
}

/**
 * Refuses a proposed entry, expired or not: nothing is posted, and its reference is free again.
 * Everyone with the role may, the proposer too. Throws 404 for an unknown entry, 409 for one that is decided.
 */
export async function refuseEntry(ctx: BooksContext, actor: Actor, id: string, reason: string): Promise<BookEntry> {
  const entryId = idOr(noSuch('entry of the books'), 'ent', id);
  const by = actorName(actor);
  const act = { action: 'refuse_entry', orderId: null, subjectId: entryId, detail: { entry_id: id }, reason };
  await actAs(ctx, actor, act, async (tx, now) => {
    await lockProposed(tx, entryId);
    await decideEntryRow(tx, { id: entryId, state: 'refused', by, reason, isOwn: false, now });
  });
  return settledEntry(ctx, entryId);
}

async function lockProposed(tx: Db, id: Uuid): Promise<BookEntryRow> {
  const entry = await lockEntry(tx, id);
  if (entry === undefined) throw noSuch('entry of the books');
  if (entry.state === 'proposed') return entry;
  throw new ApiError(
    'conflict',
    `The entry ${publicId('ent', id)} is ${entry.state} already, by ${entry.decided_by_name ?? 'another person'}.`,
  );
}
