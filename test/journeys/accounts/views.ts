import type { SavedView, SavedViews } from '../../../src/accounts/saved-views/saved-view-schema.ts';
import type { Uuid } from '../../../src/lib/ids.ts';
import type { PortalClient } from '../../harness/portal.ts';
import type { ErrorReply, TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

/** A view as it is sent. */
export const PENDING = { page: 'orders', name: 'To be made', filters: 'status=pending', columns: ['order', 'total'] };

/** Saves a view like `PENDING`, with what differs. */
export const save = (person: PortalClient, differs: object = {}) =>
  person.request<SavedView & ErrorReply>('POST', '/views', { body: { ...PENDING, ...differs } });

/** The views of a page that a person has. */
export async function viewsOf(person: PortalClient, page = 'orders'): Promise<SavedViews> {
  return (await person.request<SavedViews>('GET', `/views?page=${page}`)).body;
}

/** Fills an account with so many views of a person, or without one for all. */
export async function fillTo(
  service: TestService,
  of: { accountId: Uuid; userId: Uuid | null; count: number },
): Promise<void> {
  const text = `insert into saved_view (account_id, id, user_id, page, name, name_key, filters, columns, created_at, updated_at)
    select $1, gen_random_uuid(), $2, 'problems', 'n ' || n, 'n ' || n, '', '{}', $3, $3 from generate_series(1, $4) as n returning id`;
  await rows(service, text, [of.accountId, of.userId, service.ctx.clock.now(), of.count]);
}
