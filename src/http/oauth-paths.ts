import { API_PREFIX } from './server.ts';

/** The paths of the OAuth endpoints (decisions, "OAuth"). */
export const OAUTH_PATHS = {
  authorize: `${API_PREFIX}/oauth/authorize`,
  token: `${API_PREFIX}/oauth/token`,
  revoke: `${API_PREFIX}/oauth/revoke`,
  /** The page where a person signs in and consents; it is ours and no part of the protocol. */
  consent: `${API_PREFIX}/oauth/consent`,
  /** RFC 8414 3: at the root, since the issuer is the origin. */
  metadata: '/.well-known/oauth-authorization-server',
} as const;
