import { type Static, Type } from '../../lib/typebox.ts';
import { MoneyTrouble } from '../../payments/money/money-trouble-schema.ts';
import { Subscription } from '../../webhooks/schema.ts';
import { OrderProblem } from '../schema.ts';

const Count = Type.Object(
  {
    count: Type.Integer(),
    is_more: Type.Boolean({ description: 'Whether there are more than were counted.' }),
  },
  { title: 'BoundedCount' },
);

/** What a customer looks at first. */
export const Home = Type.Object(
  {
    orders: Type.Object({ pending: Count, confirmed: Count, in_production: Count }, { title: 'HomeOrders' }),
    answered_problems: Type.Array(OrderProblem, { description: 'Answered in the last 7 days, the latest first.' }),
    has_more_answered: Type.Boolean(),
    troubled_webhooks: Type.Array(Subscription, {
      description:
        'Disabled by the service, or failed three times in a row or more, so that they are slowed. None for the role orders, which does not see webhooks.',
    }),
    money: MoneyTrouble,
  },
  { title: 'Home' },
);
export type Home = Static<typeof Home>;
