import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, notFound, validationFailed } from '../../lib/errors.ts';
import { newId, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { lockAccount } from '../lock-account.ts';
import { SESSION_CHALLENGE } from '../portal/open-session.ts';
import type { ChangeSavedViewBody, SavedView, SavedViews, SaveViewBody } from './saved-view-schema.ts';
import {
  countSavedViews,
  findSavedView,
  findSavedViewByName,
  listSavedViewRows,
  removeSavedViewRow,
  type SavedViewContent,
  type SavedViewRow,
  VIEWS_MAX,
  writeSavedView,
} from './saved-view-sql.ts';

type ViewsContext = Pick<Context, 'database' | 'clock'>;

/** The views of a page that a person has: their own, and those for all of the account. */
export async function listSavedViews(
  ctx: ViewsContext,
  caller: SignedIn,
  page: SavedViewRow['page'],
): Promise<SavedViews> {
  const rows = await listSavedViewRows(ctx.database, { ...ownerOf(caller), page });
  return { data: rows.map((row) => viewOf(row, caller)), may_share: mayShare(caller) };
}

/**
 * Saves a view of a page, for the person or for all of the account.
 * Throws 403 for one for all by a person who may not make such, and 422 for a name that is taken or one view too many.
 * Locks the account, so that bound and names hold in a race.
 */
export async function saveView(ctx: ViewsContext, caller: SignedIn, body: SaveViewBody): Promise<SavedView> {
  const isForAll = body.is_for_all === true;
  if (isForAll) requireSharing(caller);
  const { accountId, userId } = ownerOf(caller);
  return ctx.database.transaction(async (tx) => {
    const { page, name, filters, columns } = body;
    const content = { user_id: isForAll ? null : userId, page, ...namesOf(name), filters, columns };
    await lockAccount(tx, accountId);
    await refuseFull(tx, accountId, content.user_id);
    await refuseTaken(tx, accountId, content, undefined);
    const now = ctx.clock.now();
    return viewOf(await write(tx, { accountId, id: newId(now.getTime()), content, now }), caller);
  });
}

/**
 * Changes what was sent of a view; of two who change it at once, the last one wins.
 * Throws 404 for a view that the person does not have, 403 for one that they only see, and 422 as `saveView` does.
 * A view that is for all no longer is that of the person who changed it so. Locks the account.
 */
export async function changeSavedView(
  ctx: ViewsContext,
  caller: SignedIn,
  viewId: string,
  change: ChangeSavedViewBody,
): Promise<SavedView> {
  const { accountId, userId } = ownerOf(caller);
  return ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const before = await findOwn(tx, caller, viewId);
    const isForAll = change.is_for_all ?? before.user_id === null;
    if (isForAll || before.user_id === null) requireSharing(caller);
    const { page } = before;
    const content = {
      user_id: isForAll ? null : userId,
      page,
      ...namesOf(change.name ?? before.name),
      filters: change.filters ?? before.filters,
      columns: change.columns ?? before.columns,
    };
    if (content.user_id !== before.user_id) await refuseFull(tx, accountId, content.user_id);
    await refuseTaken(tx, accountId, content, before.id);
    return viewOf(await write(tx, { accountId, id: before.id, content, now: ctx.clock.now() }), caller);
  });
}

/**
 * Deletes a view.
 * Throws 404 for one that the person does not have, and 403 for one that they only see.
 */
export async function removeSavedView(ctx: ViewsContext, caller: SignedIn, viewId: string): Promise<void> {
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const { id, user_id: userId } = await findOwn(tx, caller, viewId);
    if (userId === null) requireSharing(caller);
    if (!(await removeSavedViewRow(tx, accountId, id))) throw notFound();
  });
}

async function findOwn(tx: Db, caller: SignedIn, viewId: string): Promise<SavedViewRow> {
  const id = parseId('view', viewId);
  const row = id === undefined ? undefined : await findSavedView(tx, { ...ownerOf(caller), id });
  if (row === undefined) throw notFound();
  return row;
}

async function refuseFull(tx: Db, accountId: Uuid, userId: Uuid | null): Promise<void> {
  if ((await countSavedViews(tx, accountId, userId)) < VIEWS_MAX) return;
  const [who, which] = userId === null ? ['An account', 'views for all'] : ['You', 'views of your own'];
  const message = `${who} can have at most ${VIEWS_MAX} ${which}. Delete one first.`;
  throw validationFailed([{ path: '', code: 'too_many', message }]);
}

async function refuseTaken(
  tx: Db,
  accountId: Uuid,
  { page, user_id: userId, nameKey }: SavedViewContent,
  own: Uuid | undefined,
): Promise<void> {
  const other = await findSavedViewByName(tx, { accountId, page, userId, nameKey });
  if (other === undefined || other === own) return;
  const message = `The view ${publicId('view', other)} of this page has this name already. Give this one another name.`;
  throw validationFailed([{ path: 'name', code: 'name_taken', message }]);
}

async function write(tx: Db, of: Parameters<typeof writeSavedView>[1]): Promise<SavedViewRow> {
  const row = await writeSavedView(tx, of);
  if (row === undefined) throw new Error('a view was written without a row');
  return row;
}

function requireSharing(caller: SignedIn): void {
  if (mayShare(caller)) return;
  throw new ApiError('insufficient_scope', 'Only an owner or a manager makes and changes views for all.', {
    extras: { required_roles: ['owner', 'manager'] },
    headers: { 'www-authenticate': SESSION_CHALLENGE },
  });
}

function mayShare({ person }: SignedIn): boolean {
  return person.role === 'owner' || person.role === 'manager';
}

function ownerOf({ accountId, person }: SignedIn): { accountId: Uuid; userId: Uuid } {
  return { accountId, userId: person.userId };
}

function namesOf(text: string): { name: string; nameKey: string } {
  const name = text.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
  return { name, nameKey: name.toLowerCase() };
}

function viewOf(row: SavedViewRow, caller: SignedIn): SavedView {
  const isForAll = row.user_id === null;
  return {
    id: publicId('view', row.id),
    page: row.page,
    name: row.name,
    filters: row.filters,
    columns: row.columns,
    is_for_all: isForAll,
    may_change: !isForAll || mayShare(caller),
    updated_at: isoTime(row.updated_at),
  };
}
