import { API_PREFIX } from './server.ts';

/** Where the endpoints of OAuth stand (decisions, "OAuth"). */
export const OAUTH_PATHS = {
  authorize: `${API_PREFIX}/oauth/authorize`,
  token: `${API_PREFIX}/oauth/token`,
  revoke: `${API_PREFIX}/oauth/revoke`,
  /** Where a person signs in and consents; a page of ours, not of the protocol. */
  consent: `${API_PREFIX}/oauth/consent`,
  /** RFC 8414 3: at the root, since the issuer is the origin. */
  metadata: '/.well-known/oauth-authorization-server',
} as const;
