import type { Uuid } from '../../lib/ids.ts';
import type { AskingReason, RequestState } from './request-schema.ts';

/** The latest request to cancel an order, with how often it was asked. */
export type RequestRow = {
  id: Uuid;
  state: RequestState;
  reason: AskingReason;
  text: string;
  asked_at: string;
  answer_due_at: string;
  ended_at: string | null;
  answer: string;
  answered_by: string | null;
  asked: number;
};

/** SQL of the latest request to cancel an order `o`; null when its customer has not asked. */
export const LATEST_REQUEST = `(
    select json_build_object('id', r.id, 'state', r.state, 'reason', r.reason, 'text', r.text, 'asked_at', r.asked_at,
      'answer_due_at', r.answer_due_at, 'ended_at', r.ended_at, 'answer', r.answer, 'answered_by', r.answered_by,
      'asked', (select count(*) from cancellation_request n where n.order_id = o.id and n.account_id = o.account_id))
    from cancellation_request r where r.order_id = o.id and r.account_id = o.account_id order by r.id desc limit 1
  )`;
