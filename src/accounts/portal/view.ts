import { SCOPES_OF_ROLE } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { ListedSession, Session } from './schema.ts';
import type { ListedSessionRow, PortalSessionRow } from './session-sql.ts';
import { IDLE_MS, PROOF_MS } from './session-times.ts';

/** A session, which is being used now. */
export function portalSessionView(
  row: PortalSessionRow,
  { csrfToken, now }: { csrfToken: string; now: Date },
): Session {
  const idleEndsMs = Math.min(now.getTime() + IDLE_MS, row.ends_at.getTime());
  return {
    user: { id: publicId('user', row.user_id), email: row.email, name: row.name, role: row.role },
    account: { id: publicId('acct', row.account_id), name: row.account_name },
    csrf_token: csrfToken,
    expires_at: isoTime(row.ends_at),
    idle_ends_at: isoTime(new Date(idleEndsMs)),
    proven_until: isoTime(new Date(row.proven_at.getTime() + PROOF_MS)),
    second_factor: row.has_second_factor,
    scopes: [...SCOPES_OF_ROLE[row.role]],
  };
}

/** A session in the list of its owner. */
export function listedSessionView(row: ListedSessionRow, currentId: Uuid): ListedSession {
  return {
    id: publicId('ses', row.id),
    created_at: isoTime(row.created_at),
    last_seen_at: isoTime(row.last_seen_at),
    user_agent: row.user_agent,
    is_current: row.id === currentId,
  };
}
