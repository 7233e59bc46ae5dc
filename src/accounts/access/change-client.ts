import { ApiError, noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { hashToken, newToken } from '../token.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';
import { findClientRow, type ListedClientRow, removeClientRow, rotateClientRow } from './app-sql.ts';

/**
 * Gives a confidential app a new secret.
 * The old one, and every access token that the app got with it, end within a second on every node. Refresh tokens stay,
 * and need the new secret, so no person has to allow the app again. Returns the secret this once; undefined for a
 * repeat of an operator's request under its key. Throws 404 for an unknown app, and 409 for one that is public or
 * removed.
 */
export async function rotateClient(
  ctx: AccessContext,
  actor: Actor,
  id: Uuid,
  reason?: string,
): Promise<string | undefined> {
  const client = await findClient(ctx, id);
  const secret = newToken('ocs_');
  const act = { action: 'rotate_oauth_client', subjectId: id, detail: detailOf(client), reason };
  return actOnAccess(ctx, actor, act, async (tx, now) => {
    if (!(await rotateClientRow(tx, id, hashToken(secret), now))) throw await refusalOf(ctx, id);
    return secret;
  });
}

/**
 * Removes an app: it answers as an unknown one does, and all that people have allowed it is over.
 * There is no way back but to register it anew. Idempotent. Throws 404 for an unknown app.
 */
export async function removeClient(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const client = await findClient(ctx, id);
  const act = { action: 'remove_oauth_client', subjectId: id, detail: detailOf(client), reason };
  await actOnAccess(ctx, actor, act, (tx, now) => removeClientRow(tx, id, now));
}

async function findClient(ctx: AccessContext, id: Uuid): Promise<ListedClientRow> {
  const client = await findClientRow(ctx.database, id);
  if (client === undefined) throw noSuch('app');
  return client;
}

async function refusalOf(ctx: AccessContext, id: Uuid): Promise<ApiError> {
  const { removed_at: removedAt } = await findClient(ctx, id);
  return new ApiError(
    'conflict',
    removedAt === null ? 'This app is public: it has no secret.' : 'This app is removed. Register it anew.',
  );
}

function detailOf(client: ListedClientRow): { account_id: string; client_id: string } {
  return { account_id: publicId('acct', client.account_id), client_id: publicId('client', client.id) };
}
