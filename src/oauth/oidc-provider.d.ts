import 'oidc-provider';

/** What the published types, one minor version behind the library, lack. */
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
