/** The part of the protocol library that is used here; it brings no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** What the library stores of a model and wants back as it was. */
  export type Payload = Record<string, unknown>;

  /** Where the library keeps what one model remembers. `id` is the secret itself. */
  export type Adapter = {
    upsert: (id: string, payload: Payload, expiresInSeconds: number) => Promise<void>;
    find: (id: string) => Promise<Payload | undefined>;
    findByUid: (uid: string) => Promise<Payload | undefined>;
    consume: (id: string) => Promise<void>;
    destroy: (id: string) => Promise<void>;
    revokeByGrantId: (grantId: string) => Promise<void>;
  };

  export type Client = {
    readonly clientId: string;
    readonly clientAuthMethod: string;
    readonly clientSecret: string | undefined;
    readonly scope: string | undefined;
    readonly grantTypeAllowed: (grantType: string) => boolean;
  };

  export type Session = { readonly accountId?: string; readonly destroy: () => Promise<void> };

  /** A request in the library's own server. */
  export type Context = {
    body: unknown;
    readonly oidc: {
      readonly client: Client;
      readonly params: Record<string, unknown>;
      readonly session: Session;
      readonly account: { readonly accountId: string } | undefined;
      readonly result?: { readonly consent?: { readonly grantId?: string } };
    };
  };

  /** An authorization request that waits for a person. */
  export type Interaction = {
    readonly uid: string;
    readonly prompt: { readonly name: string };
    readonly params: Record<string, unknown>;
    readonly session?: { readonly accountId: string };
  };

  export type InteractionResult =
    | { readonly login: { readonly accountId: string; readonly remember: boolean } }
    | { readonly consent: { readonly grantId: string } }
    | { readonly error: string; readonly error_description: string };

  type Issued = { readonly save: () => Promise<string>; readonly expiration: number };
  type TokenModel = { readonly prototype: { generateTokenId: (this: object) => string } };

  export type Provider = {
    proxy: boolean;
    readonly callback: () => (request: IncomingMessage, response: ServerResponse) => void;
    readonly createContext: (request: IncomingMessage, response: ServerResponse) => Context;
    readonly registerGrantType: (
      name: string,
      handler: (ctx: Context) => Promise<void>,
      parameters: readonly string[],
    ) => void;
    readonly interactionDetails: (request: IncomingMessage, response: ServerResponse) => Promise<Interaction>;
    /** Records what the person decided; returns the address where the authorization goes on. */
    readonly interactionResult: (
      request: IncomingMessage,
      response: ServerResponse,
      result: InteractionResult,
    ) => Promise<string>;
    on(event: 'server_error', listener: (ctx: unknown, error: unknown) => void): unknown;
    on(event: 'error', listener: (error: unknown) => void): unknown;
    readonly AccessToken: TokenModel;
    readonly RefreshToken: TokenModel;
    readonly ClientCredentials: TokenModel & (new (input: { client: Client; scope: string }) => Issued);
    readonly Client: { readonly prototype: { compareClientSecret: (this: Client, given: string) => boolean } };
    readonly Grant: { readonly find: (id: string) => Promise<object | undefined> };
    readonly Session: { readonly get: (ctx: Context) => Promise<Session> };
  };

  export const Provider: new (issuer: string, settings: object) => Provider;

  type OauthError = new (description?: string, scope?: string) => Error;
  export const errors: {
    readonly InvalidScope: OauthError;
    readonly UnauthorizedClient: OauthError;
    readonly SessionNotFound: OauthError;
  };

  export const interactionPolicy: { readonly base: () => unknown[] };
}
