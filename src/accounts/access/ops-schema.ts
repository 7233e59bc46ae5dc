import { PERSON_ROLES, SCOPES } from '../../lib/caller.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, publicIdPattern, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '../password.ts';
import { SESSION_KINDS } from './people-sql.ts';

const REASON_CHARACTERS_MAX = 500;

const Reason = Type.String({
  minLength: 1,
  maxLength: REASON_CHARACTERS_MAX,
  pattern: '\\S',
  description: 'Why, for the audit log.',
  'x-message': `must be a text of 1 to ${REASON_CHARACTERS_MAX} characters that is not blank.`,
});

/** A body that says why. */
export const WhyBody = Type.Object({ reason: Type.Optional(Reason) }, { title: 'WithReason' });
export const SuspendBody = Type.Object({ reason: Reason }, { title: 'SuspendAccountRequest' });
export const PasswordBody = Type.Object(
  {
    password: Type.String({
      description: `The new password, ${PASSWORD_CHARACTERS_MIN} to ${PASSWORD_CHARACTERS_MAX} characters.`,
    }),
    reason: Type.Optional(Reason),
  },
  { title: 'SetUserPasswordRequest' },
);

export const AccountParams = Type.Object({ id: Type.String({ description: 'The account.' }) });
export const TokenParams = Type.Object({ id: Type.String({ description: 'The token, by its id: `tok_…`.' }) });
export const UserParams = Type.Object({ id: Type.String({ description: 'The user.' }) });
export const SessionParams = Type.Object({ id: Type.String({ description: 'The session.' }) });
export const ClientParams = Type.Object({ id: Type.String({ description: 'The app, by its `client_id`.' }) });
export const GrantParams = Type.Object({ id: Type.String({ description: 'The grant.' }) });
export const OperatorTokenParams = Type.Object({
  id: Type.String({ description: 'The token, by its id: `otk_…`.' }),
});

const LastUsed = nullable({ ...Timestamp, description: 'To within ten minutes; null when it was never used.' });
const Revoked = nullable({ ...Timestamp, description: 'Null while it is valid.' });
const Scopes = Type.Array(oneOf(SCOPES));

/** A personal token, without the token itself. */
export const AccessToken = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    scopes: Scopes,
    created_at: Timestamp,
    expires_at: nullable({ ...Timestamp, description: 'Null where it is valid until it is revoked.' }),
    last_used_at: LastUsed,
    revoked_at: Revoked,
  },
  { title: 'AccessToken' },
);
export type AccessToken = Static<typeof AccessToken>;
export const AccessTokenPage = pageSchema(AccessToken);
export const ListTokensQuery = Type.Object(pageQuery('tok'));

/** A person who may sign in for an account. */
export const User = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    name: Type.String({ description: 'Empty when the user has given none.' }),
    role: oneOf(PERSON_ROLES, { description: 'What the user may do for the account in the portal.' }),
    created_at: Timestamp,
    disabled_at: nullable({ ...Timestamp, description: 'Null while the user may sign in.' }),
  },
  { title: 'User' },
);
export type User = Static<typeof User>;
export const UserPage = pageSchema(User);
export const ListUsersQuery = Type.Object(pageQuery('user'));

/** A browser in which a person of an account is signed in. */
export const Session = Type.Object(
  {
    id: Type.String(),
    kind: oneOf(SESSION_KINDS, { description: 'At the consent page of an app, or at the portal.' }),
    user_id: Type.String(),
    email: Type.String(),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;
export const SessionPage = pageSchema(Session);
export const ListSessionsQuery = Type.Object(pageQuery('ses'));
export const RevokedSession = Type.Object(
  { id: Type.String(), revoked: Type.Boolean({ description: 'Always true.' }) },
  { title: 'RevokedSession' },
);

export const PasswordLink = Type.Object(
  {
    id: Type.String({ description: 'The user.' }),
    url: nullable(
      Type.String({
        description:
          'Shown this once; null when it was mailed, and when the request repeats an earlier one under its key.',
      }),
    ),
    mailed: Type.Boolean({ description: 'Whether the link is on its way to the user by mail.' }),
    expires_at: nullable(Timestamp),
  },
  { title: 'PasswordLink' },
);

const clientFields = {
  client_id: Type.String(),
  name: Type.String(),
  confidential: Type.Boolean({ description: 'Whether it has a secret.' }),
  redirect_uris: Type.Array(Type.String()),
  scopes: Scopes,
  created_at: Timestamp,
  rotated_at: nullable({ ...Timestamp, description: 'When its secret was last rotated.' }),
  removed_at: nullable({ ...Timestamp, description: 'Null while it is registered.' }),
};

/** An app that an account has registered. */
export const OauthClient = Type.Object(clientFields, { title: 'OauthClient' });
export type OauthClient = Static<typeof OauthClient>;
export const OauthClientPage = pageSchema(OauthClient);
export const ListClientsQuery = Type.Object(pageQuery('client'));
export const RotatedClient = Type.Object(
  {
    client_id: Type.String(),
    client_secret: nullable(
      Type.String({ description: 'Shown this once; null when the request repeats an earlier one under its key.' }),
    ),
  },
  { title: 'RotatedOauthClient' },
);

/** What a person has allowed an app. */
export const OauthGrant = Type.Object(
  {
    id: Type.String(),
    account_id: Type.String({ description: 'The account that the app may act for.' }),
    user_id: Type.String({ description: 'Who has allowed it.' }),
    email: Type.String(),
    client_id: Type.String(),
    client_name: Type.String(),
    scopes: Scopes,
    created_at: Timestamp,
    revoked_at: Revoked,
  },
  { title: 'OauthGrant' },
);
export type OauthGrant = Static<typeof OauthGrant>;
export const OauthGrantPage = pageSchema(OauthGrant);

const accountFilter = Type.String({
  pattern: publicIdPattern('acct'),
  description: 'Grants of the users of this account.',
});
const clientFilter = Type.String({ pattern: publicIdPattern('client'), description: 'Grants to this app.' });
export const ListGrantsQuery = Type.Object({
  ...pageQuery('gnt'),
  account: Type.Optional(accountFilter),
  client: Type.Optional(clientFilter),
});
export const RevokeGrantsBody = Type.Object(
  { account: Type.Optional(accountFilter), client: Type.Optional(clientFilter), reason: Type.Optional(Reason) },
  { title: 'RevokeOauthGrantsRequest' },
);
export const RevokedGrants = Type.Object(
  {
    revoked: Type.Integer({ description: 'How many were in force.' }),
    has_more: Type.Boolean({ description: 'True when there are more: send another such request.' }),
  },
  { title: 'RevokedOauthGrants' },
);

/** A person who runs the shop over the operations API. */
export const Operator = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: oneOf(OPERATOR_ROLES),
    created_at: Timestamp,
    disabled_at: nullable({ ...Timestamp, description: 'Null while the operator may work.' }),
  },
  { title: 'Operator' },
);
export type Operator = Static<typeof Operator>;
export const OperatorPage = pageSchema(Operator);
export const ListOperatorsQuery = Type.Object(pageQuery('op'));

/** A token of an operator, without the token itself. */
export const OperatorToken = Type.Object(
  {
    id: Type.String(),
    operator_id: Type.String(),
    email: Type.String(),
    role: oneOf(OPERATOR_ROLES),
    created_at: Timestamp,
    last_used_at: LastUsed,
    revoked_at: Revoked,
  },
  { title: 'OperatorToken' },
);
export type OperatorToken = Static<typeof OperatorToken>;
export const OperatorTokenPage = pageSchema(OperatorToken);
export const ListOperatorTokensQuery = Type.Object({
  ...pageQuery('otk'),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'Only tokens of the operator with this address.' })),
});
export const DisableOperatorBody = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }), reason: Type.Optional(Reason) },
  { title: 'DisableOperatorRequest' },
);
export const DisabledOperator = Type.Object(
  { email: Type.String(), disabled: Type.Boolean({ description: 'Always true.' }) },
  { title: 'DisabledOperator' },
);
export const EnableOperatorBody = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 254 }), reason: Type.Optional(Reason) },
  { title: 'EnableOperatorRequest' },
);
export const EnabledOperator = Type.Object(
  { email: Type.String(), disabled: Type.Boolean({ description: 'Always false.' }) },
  { title: 'EnabledOperator' },
);
