import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import {
  ChangeSavedViewBody,
  ListSavedViewsQuery,
  SavedView,
  SavedViewParams,
  SavedViews,
  SaveViewBody,
} from './saved-view-schema.ts';
import { VIEWS_MAX } from './saved-view-sql.ts';
import { changeSavedView, listSavedViews, removeSavedView, saveView } from './saved-views.ts';

/** Lists of the portal as people have narrowed them. */
export const savedViewPortalRoutes: readonly PersonRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/views',
    access: { people: PERSON_ROLES },
    operationId: 'listSavedViews',
    summary: 'List the views of a page',
    description: 'Your own, and those for all of the account.',
    query: ListSavedViewsQuery,
    replies: { 200: SavedViews },
    handle: async (ctx, person, { query }) => ({ status: 200, body: await listSavedViews(ctx, person, query.page) }),
  }),
  route({
    method: 'POST',
    path: '/views',
    access: { people: PERSON_ROLES },
    operationId: 'saveView',
    summary: 'Save a view of a page',
    description: [
      `For yourself, or for all of the account, which only an owner or a manager may. At most ${VIEWS_MAX} of your own and`,
      `${VIEWS_MAX} for all, over all pages. What the filters and columns mean is for the page to say.`,
    ].join(' '),
    body: SaveViewBody,
    replies: { 201: SavedView },
    handle: async (ctx, person, { body }) => ({ status: 201, body: await saveView(ctx, person, body) }),
  }),
  route({
    method: 'PATCH',
    path: '/views/:id',
    access: { people: PERSON_ROLES },
    operationId: 'changeSavedView',
    summary: 'Change a view',
    description: [
      'What is sent changes. Of two who change it at once, the last one wins. One for all is changed by an owner or a manager;',
      'made an own one, it is of the person who did that, and no one else has it any more.',
    ].join(' '),
    params: SavedViewParams,
    body: ChangeSavedViewBody,
    replies: { 200: SavedView },
    handle: async (ctx, person, { params, body }) => ({
      status: 200,
      body: await changeSavedView(ctx, person, params.id, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/views/:id',
    access: { people: PERSON_ROLES },
    operationId: 'removeSavedView',
    summary: 'Delete a view',
    description: 'One for all is deleted by an owner or a manager. Addresses that were sent of it still work.',
    params: SavedViewParams,
    replies: { 204: null },
    handle: async (ctx, person, { params }) => {
      await removeSavedView(ctx, person, params.id);
      return { status: 204 };
    },
  }),
];
