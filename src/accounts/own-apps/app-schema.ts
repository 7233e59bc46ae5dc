import { SCOPES } from '../../lib/caller.ts';
import { nullable, oneOf } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { OauthClient } from '../access/ops-schema.ts';

/** Longer than what is checked, and refused, by its rules. */
const TEXT_MAX = 2_000;
const REDIRECT_URIS_MAX = 20;

/** An app to be registered. */
export const RegisterAppBody = Type.Object(
  {
    name: Type.String({ maxLength: TEXT_MAX, description: 'What people are shown when the app asks them.' }),
    confidential: Type.Boolean({
      description:
        'true for an app on a server, which keeps a secret and may act for this account by itself; false for one on devices, which has none (PKCE).',
    }),
    redirect_uris: Type.Array(Type.String({ maxLength: TEXT_MAX }), {
      maxItems: REDIRECT_URIS_MAX,
      description:
        'Where people are sent back to, compared to the letter: https, or http on 127.0.0.1, [::1] or localhost while you develop. An app that is confidential needs none to act by itself.',
    }),
    scopes: Type.Array(oneOf(SCOPES), {
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      description: 'The most that it can ever be granted.',
    }),
  },
  { title: 'RegisterAppRequest' },
);

/** A registered app with its secret. */
export const RegisteredApp = Type.Object(
  {
    ...OauthClient.properties,
    client_secret: nullable(Type.String({ description: 'Shown this once; null for an app that has none.' })),
  },
  { title: 'RegisteredApp' },
);
export type RegisteredApp = Static<typeof RegisteredApp>;

/** A new secret of an app. */
export const NewAppSecret = Type.Object(
  { client_id: Type.String(), client_secret: Type.String({ description: 'Shown this once.' }) },
  { title: 'NewAppSecret' },
);
export type NewAppSecret = Static<typeof NewAppSecret>;
