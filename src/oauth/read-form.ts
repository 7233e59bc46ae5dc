import type { IncomingMessage } from 'node:http';
import { hasBody, readBody } from '../http/body.ts';

/** The largest form that is read; the longest valid one has a code, a verifier and a secret in it. */
const FORM_BYTES_MAX = 65_536;

/** A refusal in OAuth's own form (RFC 6749 5.2). */
export type OauthRefusal = {
  readonly status: 400 | 401;
  readonly error: string;
  readonly error_description: string;
};

/**
 * Reads a form-encoded body (spec 1.2).
 * Any other encoding is a refusal (bad input L179); a body over 64 KiB throws 413. No body is an empty
 * form.
 */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | OauthRefusal> {
  if (!hasBody(request)) return new URLSearchParams();
  const type = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const bytes = await readBody(request, FORM_BYTES_MAX);
  if (type[0]?.trim() !== 'application/x-www-form-urlencoded' || encoding !== 'identity') {
    return invalidRequest('Send the parameters as application/x-www-form-urlencoded.');
  }
  return new URLSearchParams(bytes.toString('utf8'));
}

const TOKEN_PARAMETERS = [
  'grant_type',
  'client_id',
  'client_secret',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
] as const;

const REVOKE_PARAMETERS = ['client_id', 'client_secret', 'token', 'token_type_hint'] as const;

const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token', 'client_credentials'];

/**
 * The parameters of a token request for the library, as a form; or its refusal.
 * Unknown parameters are ignored (RFC 6749 3.2). A request that the library would refuse under another
 * name than the standard's is refused here.
 */
export function readTokenForm(
  form: URLSearchParams,
  authorization: string | undefined,
): { readonly form: string } | OauthRefusal {
  const read = pick(form, TOKEN_PARAMETERS, authorization);
  if ('error' in read) return read;
  const grantType = read.get('grant_type');
  if (grantType === null) return invalidRequest('grant_type is missing.');
  if (!GRANT_TYPES.includes(grantType)) {
    const error_description = `grant_type must be one of ${GRANT_TYPES.join(', ')}.`;
    return { status: 400, error: 'unsupported_grant_type', error_description };
  }
  // A malformed verifier cannot match either: left out, it is the same invalid_grant (bad input L182).
  if (!/^[\w.~-]{43,128}$/.test(read.get('code_verifier') ?? '')) read.delete('code_verifier');
  return { form: read.toString() };
}

/** The parameters of a revocation request for the library, as a form; or its refusal (RFC 7009 2.1). */
export function readRevokeForm(
  form: URLSearchParams,
  authorization: string | undefined,
): { readonly form: string } | OauthRefusal {
  const read = pick(form, REVOKE_PARAMETERS, authorization);
  return 'error' in read ? read : { form: read.toString() };
}

/**
 * The parameters of these names that have a value.
 * One that is given twice is refused, and so is a request without a client.
 */
function pick(
  form: URLSearchParams,
  names: readonly string[],
  authorization: string | undefined,
): URLSearchParams | OauthRefusal {
  const twice = names.filter((name) => form.getAll(name).length > 1);
  if (twice.length > 0) return invalidRequest(`${twice.join(', ')} must be given once.`);
  const picked = new URLSearchParams();
  for (const name of names) {
    const value = form.get(name);
    if (value !== null && value !== '') picked.set(name, value);
  }
  if (authorization === undefined && !picked.has('client_id')) {
    return { status: 401, error: 'invalid_client', error_description: 'The request names no client.' };
  }
  return picked;
}

/** A request that cannot be understood (RFC 6749 5.2). */
export function invalidRequest(description: string): OauthRefusal {
  return { status: 400, error: 'invalid_request', error_description: description };
}
