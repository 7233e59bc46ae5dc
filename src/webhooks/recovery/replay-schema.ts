import { pageQuery } from '../../lib/paging.ts';
import { nullable, oneOf, pageSchema, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** The body of `POST /webhooks/{id}/replay`. */
export const ReplayBody = Type.Object(
  {
    since: {
      ...Timestamp,
      description: 'Replays events created at this time or later. What is older than the event log is left out.',
    },
    until: Type.Optional({ ...Timestamp, description: 'And before this time; now when left out or later.' }),
    dry_run: Type.Optional(Type.Boolean({ description: 'true only counts the events.' })),
  },
  { title: 'ReplayWebhookBody' },
);
export type ReplayBody = Static<typeof ReplayBody>;

const span = {
  since: { ...Timestamp, description: 'From when on events are sent.' },
  until: { ...Timestamp, description: 'Before when events are sent.' },
  events: Type.Integer({ description: 'How many events of the subscription there were when this was counted.' }),
};

/** A replay. */
export const Replay = Type.Object(
  {
    id: Type.String(),
    status: oneOf(['running', 'paused', 'completed', 'cancelled']),
    paused_reason: nullable(Type.String({ description: 'Why the service paused it; null when you did.' })),
    ...span,
    sent: Type.Integer({ description: 'How many deliveries it has made.' }),
    succeeded: Type.Integer(),
    failed: Type.Integer({ description: 'Given up after the last retry, or cancelled.' }),
    expired: Type.Integer({
      description:
        'Events that had left the event log before their turn came, so that no delivery was made. Counted when it is completed.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
    ended_at: nullable(Timestamp),
  },
  { title: 'WebhookReplay' },
);
export type Replay = Static<typeof Replay>;

/** The reply of `POST /webhooks/{id}/replay`. */
export const StartedReplay = Type.Object(
  { ...span, replay: nullable(Replay) },
  { title: 'StartedWebhookReplay', description: '`replay` is null when the events were only counted.' },
);
export type StartedReplay = Static<typeof StartedReplay>;

export const ReplayPage = pageSchema(Replay);

export const ListReplaysQuery = Type.Object(pageQuery('rpl'));
export type ListReplaysQuery = Static<typeof ListReplaysQuery>;

/** The body of `PATCH /webhooks/{id}/replays/{replay}`. */
export const ChangeReplayBody = Type.Object(
  { status: oneOf(['running', 'paused', 'cancelled'], { description: 'running resumes a paused replay.' }) },
  { title: 'ChangeWebhookReplayBody' },
);
export type ChangeReplayBody = Static<typeof ChangeReplayBody>;
