import { PERSON_ROLES } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type PersonRoute, route } from '../../lib/route.ts';
import { Home } from './home-schema.ts';
import { getHome } from './read-home.ts';

/** The first page. */
export const firstPagePortalRoutes: readonly PersonRoute<Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>>[] =
  [
    route({
      method: 'GET',
      path: '/home',
      access: { people: PERSON_ROLES },
      operationId: 'getHome',
      summary: 'Count orders, and read what needs a person',
      description:
        'How many orders are in each status that is not over, counted up to 50, which problems the shop has answered lately, which webhooks are disabled or fail, and whether the balance is low or is topped up by itself no longer. What blocks orders is in GET /orders?blocked_by=anything.',
      replies: { 200: Home },
      handle: async (ctx, person) => ({ status: 200, body: await getHome(ctx, person) }),
    }),
  ];
