import { nullable, oneOf, Timestamp } from '../../lib/schemas.ts';
import { type Static, Type } from '../../lib/typebox.ts';

/** Why a customer asks to cancel. */
export const ASKING_REASONS = [
  'changed_mind',
  'buyer_cancelled',
  'ordered_twice',
  'wrong_item',
  'wrong_address',
  'takes_too_long',
  'other',
] as const;
export type AskingReason = (typeof ASKING_REASONS)[number];

/** A request is open until the shop answers it, its customer withdraws it, or its order ends otherwise. */
export const REQUEST_STATES = ['open', 'accepted', 'refused', 'withdrawn', 'lapsed'] as const;
export type RequestState = (typeof REQUEST_STATES)[number];

export const AskingReason = oneOf(ASKING_REASONS, {
  description:
    'buyer_cancelled: who ordered from you has cancelled. wrong_item: product, size or artwork. other: say it in text.',
});

/** A request to cancel an order, as its customer sees it. */
export const CancellationRequest = Type.Object(
  {
    id: Type.String(),
    state: oneOf(REQUEST_STATES, {
      description:
        'open until it is answered: accepted or refused. withdrawn: by you. lapsed: the order was cancelled or dispatched first.',
    }),
    reason: AskingReason,
    text: Type.String({ description: 'Empty once the personal data of the order is erased.' }),
    asked_at: Timestamp,
    answer_by: { ...Timestamp, description: 'Until when the shop means to answer.' },
    answer: nullable(Type.String({ description: 'What the shop says; null without an answer.' })),
    answered_at: nullable(Timestamp),
    ended_at: nullable({ ...Timestamp, description: 'When it was answered, withdrawn or lapsed.' }),
    actions: Type.Object({
      withdraw: Type.Object({ available: Type.Boolean({ description: 'Whether it can be withdrawn now.' }) }),
    }),
  },
  { title: 'CancellationRequest' },
);
export type CancellationRequest = Static<typeof CancellationRequest>;
