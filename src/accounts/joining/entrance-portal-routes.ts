import type { Context } from '../../lib/context.ts';
import { type OpenRoute, route } from '../../lib/route.ts';
import { shopName } from '../mail/shop-words.ts';
import { Entrance, PasswordResetBody } from './entrance-schema.ts';
import { requestPasswordReset } from './request-reset.ts';

/** What people can do before they have signed in. */
export const entrancePortalRoutes: readonly OpenRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/entrance',
    access: { anyone: true },
    operationId: 'getEntrance',
    summary: 'Read how people come in',
    replies: { 200: Entrance },
    handle: async ({ config }) => ({
      status: 200,
      body: { shop: shopName(config), password_reset: config.mail !== undefined },
    }),
  }),
  route({
    method: 'POST',
    path: '/password-resets',
    access: { anyone: true },
    operationId: 'requestPasswordReset',
    summary: 'Have a link to a new password mailed',
    description: [
      'If a person signs in with the address, they get a mail with a link that works once, within an hour. The answer is',
      'the same for every address. Three an hour for an address. 409 where no mail is sent.',
    ].join(' '),
    body: PasswordResetBody,
    errors: ['conflict'],
    replies: { 202: null },
    handle: async (ctx, { body, browser }) => {
      await requestPasswordReset(ctx, browser, body.email);
      return { status: 202 };
    },
  }),
];
