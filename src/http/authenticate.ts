import { ApiError } from '../lib/errors.ts';
import { mayAct, OPERATOR_ROLES, type Operator, type OperatorRole } from '../lib/operator.ts';

/** Finds the owner of a token; undefined when the token is not valid. */
export type Authenticate<Who> = (token: string) => Promise<Who | undefined>;

/** Longer than any token; a longer one is refused unread (bad input B32). */
const TOKEN_CHARACTERS_MAX = 512;

const INVALID_TOKEN = 'Bearer error="invalid_token"';

// RFC 9110 11.1: the scheme in any case, one space or more. RFC 6750 2.1: what a token may hold.
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Authenticates a request by its `Authorization` header; a token elsewhere is ignored.
 * Throws 401 with the challenge of RFC 6750 when the header is missing, is not one bearer token, or
 * names none that is valid (spec 5.4).
 */
export async function authenticateHeader<Who>(
  header: string | undefined,
  authenticate: Authenticate<Who>,
): Promise<Who> {
  if (header === undefined || header === '') {
    throw unauthorized('Send the header Authorization: Bearer <token>.', 'Bearer');
  }
  const token = header.length > TOKEN_CHARACTERS_MAX ? undefined : BEARER.exec(header)?.[1];
  if (token === undefined) {
    throw unauthorized('The header must be Authorization: Bearer <token>, with the whole token.', INVALID_TOKEN);
  }
  const who = await authenticate(token);
  if (who === undefined) {
    throw unauthorized('The bearer token is not valid; it may be mistyped, expired or revoked.', INVALID_TOKEN);
  }
  return who;
}

/** Throws 403 when an operator has none of the roles that may do it. */
export function requireRole(operator: Operator, roles: readonly OperatorRole[]): void {
  if (mayAct(operator, roles)) return;
  const required = rolesThatMay(roles);
  throw new ApiError('insufficient_scope', `This needs an operator with the role ${required.join(' or ')}.`, {
    extras: { required_roles: required },
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  });
}

/** The roles that may call a route: those that it names, and admin. */
export function rolesThatMay(roles: readonly OperatorRole[]): OperatorRole[] {
  return OPERATOR_ROLES.filter((role) => role === 'admin' || roles.includes(role));
}

function unauthorized(detail: string, challenge: string): ApiError {
  return new ApiError('unauthorized', detail, { headers: { 'www-authenticate': challenge } });
}
