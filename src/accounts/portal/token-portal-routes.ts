import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { readPage } from '../../lib/paging.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { AccessTokenPage, ListTokensQuery, TokenParams } from '../access/ops-schema.ts';
import { listOwnTokens, mintOwnToken, revokeOwnToken } from './own-tokens.ts';
import { MintedToken, MintTokenBody } from './token-schema.ts';

/** The tokens of an account, for its own people. */
export const tokenPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/tokens',
    access: { people: ['owner', 'manager'] },
    operationId: 'listOwnTokens',
    summary: 'List your tokens',
    description: 'The personal tokens of the account, newest first, revoked ones too; never the token itself.',
    query: ListTokensQuery,
    replies: { 200: AccessTokenPage },
    csv: 'data',
    handle: async (ctx, person, { query }) => ({
      status: 200,
      body: await listOwnTokens(ctx, person, readPage('tok', query)),
    }),
  }),
  route({
    method: 'POST',
    path: '/tokens',
    access: { people: ['owner', 'manager'] },
    operationId: 'mintOwnToken',
    summary: 'Mint a token',
    description:
      'The token is in this answer alone: what is stored is a hash. Needs a password given in the last 15 minutes.',
    body: MintTokenBody,
    errors: ['proof_required'],
    replies: { 201: MintedToken },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await mintOwnToken(ctx, person, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/tokens/:id',
    access: { people: ['owner', 'manager'] },
    operationId: 'revokeOwnToken',
    summary: 'Revoke one of your tokens',
    description: 'Within two seconds no node accepts it. A second time is 204, too.',
    params: TokenParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await revokeOwnToken(ctx, person, idOr(noSuch('token'), 'tok', params.id));
      return { status: 204 };
    },
  }),
];
