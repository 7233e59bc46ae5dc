import { ApiError, noSuch } from '../../lib/errors.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { type Page, toPage } from '../../lib/paging.ts';
import { normaliseEmail } from '../create-user.ts';
import { listOperatorRows } from '../operator-sql.ts';
import { accountExists } from '../sql.ts';
import type { AccessContext } from './act-on-access.ts';
import { findClientRow, findGrantRow, type GrantsOf, listClientRows, listGrantRows } from './app-sql.ts';
import type { AccessToken, OauthClient, OauthGrant, Operator, OperatorToken, Session, User } from './ops-schema.ts';
import {
  clientView,
  grantView,
  operatorTokenView,
  operatorView,
  sessionView,
  tokenView,
  userView,
} from './ops-view.ts';
import { findUserOfAccount, findUserRow, listSessionRows, listUserRows } from './people-sql.ts';
import { refuseUnknown } from './revoke-grants.ts';
import { findOperatorTokenRow, findTokenRow, listOperatorTokenRows, listTokenRows } from './token-sql.ts';

/** Which part of a list: from after a record, and how many at most. */
export type Part = { readonly limit: number; readonly after: Uuid | undefined };

/**
 * A page of the personal tokens of an account, revoked ones too, newest first.
 * Throws 404 for an unknown account.
 */
export async function listTokens(ctx: AccessContext, accountId: Uuid, part: Part): Promise<Page<AccessToken>> {
  await refuseUnknownAccount(ctx, accountId);
  const rows = await listTokenRows(ctx.database, { accountId, ...boundsOf(part) });
  return toPage(rows, part.limit, tokenView, ({ id }) => id);
}

/** A token by its id. Throws 404 for an unknown one. */
export async function getToken(ctx: AccessContext, id: Uuid): Promise<AccessToken> {
  const token = await findTokenRow(ctx.database, id);
  if (token === undefined) throw noSuch('token');
  return tokenView(token);
}

/** A page of the people of an account, newest first. Throws 404 for an unknown account. */
export async function listUsers(ctx: AccessContext, accountId: Uuid, part: Part): Promise<Page<User>> {
  await refuseUnknownAccount(ctx, accountId);
  const rows = await listUserRows(ctx.database, { accountId, ...boundsOf(part) });
  return toPage(rows, part.limit, userView, ({ id }) => id);
}

/** A person by their id. Throws 404 for an unknown one. */
export async function getUser(ctx: AccessContext, id: Uuid): Promise<User> {
  const user = await findUserRow(ctx.database, id);
  if (user === undefined) throw noSuch('user');
  return userView(user);
}

/** The person of an account with an address, in any case. Throws 404 for an unknown account or address. */
export async function findUserByAddress(
  ctx: AccessContext,
  accountId: Uuid,
  email: string,
): Promise<{ id: Uuid; user: User }> {
  await refuseUnknownAccount(ctx, accountId);
  const user = await findUserOfAccount(ctx.database, accountId, normaliseEmail(email));
  if (user === undefined) {
    throw new ApiError('not_found', `The account has no user with the address ${email}. Check how it is written.`);
  }
  return { id: user.id, user: userView(user) };
}

/** A page of the sessions of an account's people, newest first. Throws 404 for an unknown account. */
export async function listSessions(ctx: AccessContext, accountId: Uuid, part: Part): Promise<Page<Session>> {
  await refuseUnknownAccount(ctx, accountId);
  const rows = await listSessionRows(ctx.database, { accountId, ...boundsOf(part), now: ctx.clock.now() });
  return toPage(rows, part.limit, sessionView, ({ id }) => id);
}

/** A page of the apps that an account has registered, newest first. Throws 404 for an unknown account. */
export async function listClients(ctx: AccessContext, accountId: Uuid, part: Part): Promise<Page<OauthClient>> {
  await refuseUnknownAccount(ctx, accountId);
  const rows = await listClientRows(ctx.database, { accountId, ...boundsOf(part) });
  return toPage(rows, part.limit, clientView, (client) => client.client_id);
}

/** An app by its id. Throws 404 for an unknown one. */
export async function getClient(ctx: AccessContext, id: Uuid): Promise<OauthClient> {
  const client = await findClientRow(ctx.database, id);
  if (client === undefined) throw noSuch('app');
  return clientView(client);
}

/** A page of the grants in force, newest first. Throws 404 for an unknown account or app. */
export async function listGrants(ctx: AccessContext, of: GrantsOf, part: Part): Promise<Page<OauthGrant>> {
  await refuseUnknown(ctx, of);
  const rows = await listGrantRows(ctx.database, of, boundsOf(part));
  return toPage(rows, part.limit, grantView, ({ id }) => id);
}

/** A grant by its id. Throws 404 for an unknown one. */
export async function getGrant(ctx: AccessContext, id: Uuid): Promise<OauthGrant> {
  const grant = await findGrantRow(ctx.database, id);
  if (grant === undefined) throw noSuch('grant');
  return grantView(grant);
}

/** A page of the operators, disabled ones too, newest first. */
export async function listOperators(ctx: AccessContext, part: Part): Promise<Page<Operator>> {
  const rows = await listOperatorRows(ctx.database, boundsOf(part));
  return toPage(rows, part.limit, operatorView, ({ id }) => id);
}

/** A page of the tokens of all operators, or of the one of an address, newest first. */
export async function listOperatorTokens(
  ctx: AccessContext,
  email: string | undefined,
  part: Part,
): Promise<Page<OperatorToken>> {
  const address = email === undefined ? undefined : normaliseEmail(email);
  const rows = await listOperatorTokenRows(ctx.database, { email: address, ...boundsOf(part) });
  return toPage(rows, part.limit, operatorTokenView, ({ id }) => id);
}

/** A token of an operator by its id. Throws 404 for an unknown one. */
export async function getOperatorToken(ctx: AccessContext, id: Uuid): Promise<OperatorToken> {
  const token = await findOperatorTokenRow(ctx.database, id);
  if (token === undefined) throw noSuch('token');
  return operatorTokenView(token);
}

async function refuseUnknownAccount(ctx: AccessContext, id: Uuid): Promise<void> {
  if (!(await accountExists(ctx.database, id))) throw noSuch('account');
}

/** One row more than is shown tells whether another page follows. */
function boundsOf({ limit, after }: Part): { before: Uuid; limit: number } {
  return { before: after ?? (LAST_ID as Uuid), limit: limit + 1 };
}
