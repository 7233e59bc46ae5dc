import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { noSuch } from '../../lib/errors.ts';
import { readPage } from '../../lib/paging.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { idOr } from '../access/act-on-access.ts';
import { changeNotices, readNotices } from './choices.ts';
import { ChangeNoticesBody, NoticeMatrix, NoticeParams, NoticeRecipient, NoticesQuery } from './choices-schema.ts';

/** Which mails people get. */
export const noticePortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/notifications',
    access: { people: PERSON_ROLES },
    operationId: 'getNotifications',
    summary: 'Read who gets which mails',
    description:
      'Owners and managers see everyone, others themselves; who asks stands on every page. Mails about the own sign-in are always sent, and stand not here.',
    query: NoticesQuery,
    replies: { 200: NoticeMatrix },
    handle: async (ctx, person, { query }) => ({
      status: 200,
      body: await readNotices(ctx, person, readPage('user', query)),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/notifications/:id',
    access: { people: PERSON_ROLES },
    operationId: 'changeNotifications',
    summary: 'Choose which mails a person gets',
    description: 'Everyone chooses for themselves, and owners for others. A kind that is left out stays.',
    params: NoticeParams,
    body: ChangeNoticesBody,
    replies: { 200: NoticeRecipient },
    handle: async (ctx, person, { params, body }) => {
      const id = idOr(noSuch('user'), 'user', params.id);
      return { status: 200, body: await changeNotices(ctx, person, id, body.wants) };
    },
  }),
];
