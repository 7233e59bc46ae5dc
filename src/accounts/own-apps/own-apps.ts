import type { Scope, SignedIn } from '../../lib/caller.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { findClientRow } from '../access/app-sql.ts';
import { clientView } from '../access/ops-view.ts';
import { recordAct } from '../access/record-act.ts';
import { makeOauthClient } from '../create-oauth-client.ts';
import type { SessionContext } from '../portal/open-session.ts';
import { lockPeople } from '../portal/people-sql.ts';
import { requireOwner, requireProof } from '../portal/prove.ts';
import { insertOauthClient } from '../sql.ts';
import { hashToken, newToken } from '../token.ts';
import type { NewAppSecret, RegisteredApp } from './app-schema.ts';
import { countOwnApps, lockOwnApp, removeOwnAppRow, rotateOwnApp } from './app-sql.ts';

/** As many as an account has uses for. */
const REGISTERED_MAX = 20;
/** A removed app keeps its row, since people of other accounts may have allowed it something. */
const EVER_MAX = 100;

/**
 * Registers an app of the account. The secret of one that is confidential is in this answer alone.
 * Throws 403 without a fresh proof or for who is no owner any more, 422 that names everything wrong with the app, and
 * 409 when the account has as many as it may. Locks the account's people, so that of two at once one is counted.
 */
export async function registerOwnApp(
  ctx: SessionContext,
  caller: SignedIn,
  input: { name: string; confidential: boolean; redirect_uris: readonly string[]; scopes: readonly Scope[] },
): Promise<RegisteredApp> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const { name, confidential: isConfidential, redirect_uris: redirectUris, scopes } = input;
  return ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    requireOwner(await lockPeople(tx, accountId), caller);
    const { row, secret } = makeOauthClient({ accountId, name, redirectUris, scopes, isConfidential }, now);
    const { registered, ever } = await countOwnApps(tx, accountId);
    if (registered >= REGISTERED_MAX) throw new ApiError('conflict', TOO_MANY);
    if (ever >= EVER_MAX) throw new ApiError('conflict', TOO_MANY_EVER);
    await insertOauthClient(tx, row);
    const clientId = publicId('client', row.id);
    const detail = { client_id: clientId, confidential: isConfidential, scopes: row.scopes };
    await recordAct(tx, caller, { action: 'register_own_app', subjectId: row.id, detail }, now);
    const written = await findClientRow(tx, row.id);
    if (written === undefined) throw new Error('an app that was just registered is not there');
    return { ...clientView(written), client_secret: secret ?? null };
  });
}

const TOO_MANY = `An account has at most ${REGISTERED_MAX} apps. Remove one that is not used any more.`;
const TOO_MANY_EVER = `The account has registered ${EVER_MAX} apps, removed ones included. Ask the print shop.`;

/**
 * Gives a confidential app of the account a new secret, which is in this answer alone.
 * The old one, and the access tokens that the app got with it, end within two seconds; what people have allowed it
 * stays. Throws 403 without a fresh proof or for who is no owner any more, 404 for an app of any other account, and 409
 * for one that is public or removed.
 */
export async function rotateOwnAppSecret(ctx: SessionContext, caller: SignedIn, id: Uuid): Promise<NewAppSecret> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const secret = newToken('ocs_');
  const clientId = publicId('client', id);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    requireOwner(await lockPeople(tx, accountId), caller);
    const app = await lockOwnApp(tx, accountId, id);
    if (app === undefined) throw noSuch('app');
    if (app.is_removed) throw new ApiError('conflict', 'This app is removed. Register it anew.');
    if (!app.is_confidential) throw new ApiError('conflict', 'This app is public: it has no secret.');
    await rotateOwnApp(tx, { accountId, id, secretHash: hashToken(secret), now });
    const act = { action: 'rotate_own_app_secret', subjectId: id, detail: { client_id: clientId } };
    await recordAct(tx, caller, act, now);
  });
  return { client_id: clientId, client_secret: secret };
}

/**
 * Removes an app of the account, with all that people have allowed it.
 * Within two seconds it is refused as an unknown one. There is no way back but to register it anew. Idempotent. Throws
 * 404 for an app of any other account, and 403 for who is no owner any more.
 */
export async function removeOwnApp(ctx: SessionContext, caller: SignedIn, id: Uuid): Promise<void> {
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    requireOwner(await lockPeople(tx, accountId), caller);
    const app = await lockOwnApp(tx, accountId, id);
    if (app === undefined) throw noSuch('app');
    if (app.is_removed) return;
    await removeOwnAppRow(tx, { accountId, id, now });
    const detail = { client_id: publicId('client', id) };
    await recordAct(tx, caller, { action: 'remove_own_app', subjectId: id, detail }, now);
  });
}
