import { isoTime } from '../../lib/clock.ts';
import { publicId } from '../../lib/ids.ts';
import type { OperatorRow } from '../operator-sql.ts';
import type { ListedClientRow, ListedGrantRow } from './app-sql.ts';
import type { AccessToken, OauthClient, OauthGrant, Operator, OperatorToken, Session, User } from './ops-schema.ts';
import type { ListedUserRow, SessionRow } from './people-sql.ts';
import type { ListedTokenRow, OperatorTokenRow } from './token-sql.ts';

const timeOrNull = (time: Date | null): string | null => time && isoTime(time);

/** A personal token. */
export function tokenView(token: ListedTokenRow): AccessToken {
  return {
    id: publicId('tok', token.id),
    name: token.name,
    scopes: token.scopes,
    created_at: isoTime(token.created_at),
    expires_at: timeOrNull(token.expires_at),
    last_used_at: timeOrNull(token.last_used_at),
    revoked_at: timeOrNull(token.revoked_at),
  };
}

/** A person of an account. */
export function userView(user: ListedUserRow): User {
  return {
    id: publicId('user', user.id),
    email: user.email,
    name: user.name,
    role: user.role,
    created_at: isoTime(user.created_at),
    disabled_at: timeOrNull(user.disabled_at),
  };
}

/** A session of a person. */
export function sessionView(session: SessionRow): Session {
  return {
    id: publicId('ses', session.id),
    kind: session.kind,
    user_id: publicId('user', session.user_id),
    email: session.email,
    created_at: isoTime(session.created_at),
    expires_at: isoTime(session.expires_at),
  };
}

/** An app. */
export function clientView(client: ListedClientRow): OauthClient {
  return {
    client_id: publicId('client', client.id),
    name: client.name,
    confidential: client.is_confidential,
    redirect_uris: client.redirect_uris,
    scopes: client.scopes,
    created_at: isoTime(client.created_at),
    rotated_at: timeOrNull(client.rotated_at),
    removed_at: timeOrNull(client.removed_at),
  };
}

/** What a person has allowed an app. */
export function grantView(grant: ListedGrantRow): OauthGrant {
  return {
    id: publicId('gnt', grant.id),
    account_id: publicId('acct', grant.account_id),
    user_id: publicId('user', grant.user_id),
    email: grant.email,
    client_id: publicId('client', grant.client_id),
    client_name: grant.client_name,
    scopes: grant.scopes,
    created_at: isoTime(grant.created_at),
    revoked_at: timeOrNull(grant.revoked_at),
  };
}

/** An operator. */
export function operatorView(operator: OperatorRow): Operator {
  return {
    id: publicId('op', operator.id),
    email: operator.email,
    role: operator.role,
    created_at: isoTime(operator.created_at),
    disabled_at: timeOrNull(operator.disabled_at),
  };
}

/** A token of an operator. */
export function operatorTokenView(token: OperatorTokenRow): OperatorToken {
  return {
    id: publicId('otk', token.id),
    operator_id: publicId('op', token.operator_id),
    email: token.email,
    role: token.role,
    created_at: isoTime(token.created_at),
    last_used_at: timeOrNull(token.last_used_at),
    revoked_at: timeOrNull(token.revoked_at),
  };
}
