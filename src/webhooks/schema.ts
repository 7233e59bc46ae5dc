import { nullable, oneOf, pageSchema, Timestamp, Warnings } from '../lib/schemas.ts';
import { type Static, Type } from '../lib/typebox.ts';
import { EVENT_NAMES } from './events.ts';

// A webhook sends all that happens to an address, and its secret is as good as a token. So among people it is for those
// whom tokens are for; who places orders has no page of webhooks.
export const SEEING_WEBHOOKS = { scope: 'orders:read', rolesOfPeople: ['owner', 'manager', 'reader'] } as const;
export const CHANGING_WEBHOOKS = { scope: 'orders:write', rolesOfPeople: ['owner', 'manager'] } as const;

const URL_MAX = 2_048;
/** Far above the number of events there are; repeated names count. */
const EVENTS_MAX = 100;
const EVENT_NAME_MAX = 100;
/** Spec 2.8; lengths count Unicode code points (decisions, "Bounds"). */
const DESCRIPTION_MAX = 200;

const Url = Type.String({ minLength: 1, maxLength: URL_MAX, description: 'Where deliveries are posted to; https.' });
const Description = Type.String({ maxLength: DESCRIPTION_MAX, description: 'A label of your own.' });

// Not an enumeration: the refusal of an unknown name carries the list at the top level of its body too (spec 4.5).
const Events = Type.Array(Type.String({ maxLength: EVENT_NAME_MAX }), {
  maxItems: EVENTS_MAX,
  description: `Which events to send, of ${EVENT_NAMES.join(', ')}. An empty list means all, future ones included.`,
});

/** The body of `POST /webhooks` (spec 4.5). */
export const CreateSubscriptionBody = Type.Object(
  { url: Url, events: Type.Optional(Events), description: Type.Optional(Description) },
  { title: 'CreateSubscriptionBody' },
);
export type CreateSubscriptionBody = Static<typeof CreateSubscriptionBody>;

/**
 * The body of `PATCH /webhooks/{id}`.
 * Only what is sent changes, and null is not a value of any member.
 */
export const ChangeSubscriptionBody = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    active: Type.Optional(Type.Boolean({ description: 'false pauses; true resumes and resets the failure count.' })),
  },
  { title: 'ChangeSubscriptionBody' },
);
export type ChangeSubscriptionBody = Static<typeof ChangeSubscriptionBody>;

const subscriptionMembers = {
  id: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String(), { description: 'Empty means all events, future ones included.' }),
  description: Type.String(),
  active: Type.Boolean(),
  disabled_reason: nullable(Type.String({ description: 'Why the service disabled the subscription; null otherwise.' })),
  failing_since: nullable({
    ...Timestamp,
    description: 'Since when attempts have failed, one after the other; null while the last one succeeded.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** A subscription as lists show it; its creation, change and single read show more. */
export const Subscription = Type.Object(subscriptionMembers, { title: 'WebhookSubscription' });
export type Subscription = Static<typeof Subscription>;

export const SubscriptionPage = pageSchema(Subscription);

/** The reply of `POST /webhooks`, the only one with the secret. */
export const CreatedSubscription = Type.Object(
  {
    ...subscriptionMembers,
    secret: Type.String({ description: 'The key of svc-signature. It is shown this once.' }),
    warnings: Warnings,
  },
  { title: 'CreatedWebhookSubscription' },
);
export type CreatedSubscription = Static<typeof CreatedSubscription>;

/** The reply of `PATCH /webhooks/{id}`. */
export const ChangedSubscription = Type.Object(
  { ...subscriptionMembers, warnings: Warnings },
  { title: 'ChangedWebhookSubscription' },
);
export type ChangedSubscription = Static<typeof ChangedSubscription>;

const RecentDelivery = Type.Object(
  {
    id: Type.String({ description: 'The same as the header svc-delivery-id.' }),
    event: Type.String(),
    status: oneOf(['pending', 'retrying', 'succeeded', 'abandoned', 'cancelled']),
    attempts: Type.Integer(),
    response_code: nullable(Type.Integer({ description: 'Null when no answer came.' })),
    error: nullable(Type.String()),
    delivered_at: Timestamp,
  },
  { title: 'RecentDelivery' },
);

/** The reply of `GET /webhooks/{id}` (spec 2.8). */
export const SubscriptionDetail = Type.Object(
  {
    ...subscriptionMembers,
    failure_count: Type.Integer({ description: 'Consecutive failed attempts, over all deliveries.' }),
    previous_secret_until: nullable({
      ...Timestamp,
      description:
        'After a rotation: until when deliveries are signed with both secrets; null when there is one secret.',
    }),
    recent_deliveries: Type.Array(RecentDelivery, {
      description: 'The last attempts, newest first, at most 20.',
    }),
  },
  { title: 'WebhookSubscriptionDetail' },
);
export type SubscriptionDetail = Static<typeof SubscriptionDetail>;
