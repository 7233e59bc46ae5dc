import type { Context } from '../../lib/context.ts';
import { type Route, route } from '../../lib/route.ts';
import { Type } from '../../lib/typebox.ts';
import { CHANGING_WEBHOOKS, SEEING_WEBHOOKS } from '../schema.ts';
import { subscriptionParam } from './deliveries-routes.ts';
import { ChangeReplayBody, ListReplaysQuery, Replay, ReplayBody, ReplayPage, StartedReplay } from './replay-schema.ts';
import { changeReplay, getReplay, listReplays } from './replays.ts';
import { startReplay } from './start-replay.ts';

type ReplayContext = Pick<Context, 'config' | 'database' | 'clock' | 'wake'>;

const params = Type.Object(subscriptionParam);
const replayParams = Type.Object({
  ...subscriptionParam,
  replay: Type.String({ description: 'The id of a replay, rpl_….' }),
});

/** The replays of a subscription (decisions, "Event log and recovery"). */
export const replayRoutes: readonly Route<ReplayContext>[] = [
  route({
    method: 'POST',
    path: '/webhooks/:id/replay',
    access: CHANGING_WEBHOOKS,
    operationId: 'replayWebhook',
    summary: 'Replay events',
    description: [
      'Sends the events of a span of time to this subscription again, oldest first and under their own ids: 201.',
      'With `dry_run` it only counts them: 200. A replay goes beside what happens now and leaves room for it, so it takes',
      'its time: up to some 3,000 events a minute. At most 100,000 events of the account may lie in its time, and a',
      'subscription has one replay at a time. Failures are retried as usual and do not count towards the 15. If the',
      'subscription is paused or disabled meanwhile, so is the replay.',
    ].join(' '),
    params,
    body: ReplayBody,
    errors: ['conflict'],
    replies: { 200: StartedReplay, 201: StartedReplay },
    handle: async (ctx: ReplayContext, caller, request) => {
      const started = await startReplay(ctx, caller, request.params.id, request.body);
      return { status: started.replay === null ? 200 : 201, body: started };
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/replays',
    access: SEEING_WEBHOOKS,
    operationId: 'listWebhookReplays',
    summary: 'List the replays of a subscription',
    description: 'Newest first. One that has ended is kept as long as the event log.',
    params,
    query: ListReplaysQuery,
    replies: { 200: ReplayPage },
    handle: async (ctx: ReplayContext, caller, request) => ({
      status: 200,
      body: await listReplays(ctx, caller, request.params.id, request.query),
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/replays/:replay',
    access: SEEING_WEBHOOKS,
    operationId: 'getWebhookReplay',
    summary: 'Fetch a replay',
    params: replayParams,
    replies: { 200: Replay },
    handle: async (ctx: ReplayContext, caller, request) => ({
      status: 200,
      body: await getReplay(ctx, caller, request.params),
    }),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:id/replays/:replay',
    access: CHANGING_WEBHOOKS,
    operationId: 'changeWebhookReplay',
    summary: 'Pause, resume or cancel a replay',
    description: [
      'A pause lets the few deliveries under way end. A cancel takes back what still waits for an attempt, and is final: an',
      'attempt that is under way at that moment is the last one, and is counted when it ends.',
    ].join(' '),
    params: replayParams,
    body: ChangeReplayBody,
    errors: ['conflict'],
    replies: { 200: Replay },
    handle: async (ctx: ReplayContext, caller, request) => ({
      status: 200,
      body: await changeReplay(ctx, caller, request.params, request.body),
    }),
  }),
];
