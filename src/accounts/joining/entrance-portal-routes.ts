import type { Context } from '../../lib/context.ts';
import { type OpenRoute, route } from '../../lib/route.ts';
import { shopName } from '../mail/shop-words.ts';
import { Session } from '../portal/schema.ts';
import { setSessionCookie } from '../portal/session-cookie.ts';
import { Entrance, PasswordResetBody } from './entrance-schema.ts';
import { requestPasswordReset } from './request-reset.ts';
import { confirmSignUp, readSignUp, requestSignUp } from './sign-up.ts';
import { ConfirmSignUpBody, ReadSignUpBody, SignUp, SignUpBody, WaitingSignUp } from './sign-up-schema.ts';

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
      body: { shop: shopName(config), sign_up: config.signUp, password_reset: config.mail !== undefined },
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
  route({
    method: 'POST',
    path: '/sign-ups',
    access: { anyone: true },
    operationId: 'requestSignUp',
    summary: 'Sign up for an account',
    description: [
      'Mails a link that confirms the address. The answer is the same for every address. What is not confirmed is deleted',
      'within a day. 409 where accounts are not opened so.',
    ].join(' '),
    body: SignUpBody,
    errors: ['conflict', 'unavailable'],
    replies: { 202: null },
    handle: async (ctx, { body, browser }) => {
      await requestSignUp(ctx, browser, body);
      return { status: 202 };
    },
  }),
  route({
    method: 'POST',
    path: '/sign-ups/read',
    access: { anyone: true },
    operationId: 'readSignUp',
    summary: 'Read what a sign-up is for',
    description: [
      'Does not use its link. One that cannot be used any more is answered as one that never was. A POST, since what stands',
      'in an address is kept in the logs of proxies.',
    ].join(' '),
    body: ReadSignUpBody,
    errors: ['not_found'],
    replies: { 200: SignUp },
    handle: async (ctx, { body }) => ({ status: 200, body: await readSignUp(ctx, body.token) }),
  }),
  route({
    method: 'POST',
    path: '/sign-ups/confirm',
    access: { anyone: true },
    operationId: 'confirmSignUp',
    summary: 'Confirm a sign-up',
    description: [
      'With the password that the person will sign in with. 201: the account is open, and they are signed in as its owner.',
      '202: the print shop decides, and they get a mail.',
    ].join(' '),
    body: ConfirmSignUpBody,
    errors: ['not_found'],
    replies: { 201: Session, 202: WaitingSignUp },
    replyHeaders: { 201: ['Set-Cookie'] },
    handle: async (ctx, { body, browser }) => {
      const opened = await confirmSignUp(ctx, browser, body);
      if (opened === 'waits') return { status: 202, body: { state: 'waiting' } };
      const headers = { 'set-cookie': setSessionCookie(ctx.config.baseUrl, opened.secret) };
      return { status: 201, body: opened.session, headers };
    },
  }),
];
