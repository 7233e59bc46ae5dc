import 'oidc-provider';

/** What the published types, which lag one minor behind the library, do not have of it. */
declare module 'oidc-provider' {
  interface AccessToken {
    generateTokenId: () => string;
  }
  interface ClientCredentials {
    generateTokenId: () => string;
  }
  interface RefreshToken {
    generateTokenId: () => string;
  }
  interface Provider {
    on(event: 'error', listener: (error: unknown) => void): this;
  }
}
