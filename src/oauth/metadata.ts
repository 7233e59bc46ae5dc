import { OAUTH_PATHS } from '../http/oauth-paths.ts';
import { SCOPES } from '../lib/caller.ts';

/**
 * The server metadata that a client library reads first.
 * Endpoints and what they take (RFC 8414 2, RFC 9207 3).
 */
export function serverMetadata(baseUrl: string): Readonly<Record<string, unknown>> {
  const methods = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer: baseUrl,
    authorization_endpoint: baseUrl + OAUTH_PATHS.authorize,
    token_endpoint: baseUrl + OAUTH_PATHS.token,
    revocation_endpoint: baseUrl + OAUTH_PATHS.revoke,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  };
}
