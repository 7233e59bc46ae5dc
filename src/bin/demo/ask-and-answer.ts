import type { AppContext } from '../../app/context.ts';
import type { Once } from '../../lib/operator.ts';
import { getOrder } from '../../orders/read-orders.ts';
import { refundForProblem, refuseProblem } from '../../problems/answer-problem.ts';
import { listOrderProblems } from '../../problems/read-problems.ts';
import { reportProblem } from '../../problems/report-problem.ts';
import { acceptRequest, refuseRequest } from '../../refunds/asking/answer-request.ts';
import { askToCancel } from '../../refunds/asking/ask-to-cancel.ts';
import type { Cast, PlacedOrder } from './cast.ts';

// What the customer of the demo month asks of the shop, and what the shop answers.

type Asked = { readonly ctx: AppContext; readonly cast: Cast; readonly placed: PlacedOrder };

const REPORTS = [
  { kind: 'print_fault', text: 'The print is a finger’s breadth too low, and it is crooked.' },
  { kind: 'damaged', text: 'The parcel was wet, and the colours have run.' },
  { kind: 'missing', text: 'The parcel had one piece fewer than the slip says.' },
] as const;

/** Reports the first piece of a sent order; what was reported before is not reported again. */
export async function reportInMonth({ ctx, cast, placed }: Asked): Promise<void> {
  const { data, actions } = await listOrderProblems(ctx, cast.customer, placed.reference);
  const [first] = actions.report.items;
  if (data.length > 0 || first === undefined) return;
  const report = REPORTS[Number(placed.number.slice(-1)) % REPORTS.length] ?? REPORTS[0];
  await reportProblem(ctx, cast.customer, {
    idOrReference: placed.reference,
    body: { ...report, items: [{ line_id: first.line_id, quantity: 1 }], external_reference: placed.number },
    signal: new AbortController().signal,
  });
}

/** Refunds a part of what was reported. */
export async function refundInMonth(asked: Asked, once: Once): Promise<void> {
  const body = { amount_gbp: 4.5, message: 'We are sorry: here is a part of it back.' };
  await refundForProblem(asked.ctx, asked.cast.office, { id: await problemOf(asked), body, once });
}

/** Says why nothing of what was reported is made good. */
export async function refuseInMonth(asked: Asked, once: Once): Promise<void> {
  const body = { message: 'By what you write the print lies within the 5 mm that we promise.' };
  await refuseProblem(asked.ctx, asked.cast.office, { id: await problemOf(asked), body, once });
}

async function problemOf({ ctx, cast, placed }: Asked): Promise<string> {
  const [problem] = (await listOrderProblems(ctx, cast.customer, placed.reference)).data;
  if (problem === undefined) throw new Error(`nothing was reported of ${placed.number}`);
  return problem.id;
}

/** Asks to cancel an order after its window; once, whatever was answered. */
export async function askInMonth({ ctx, cast, placed }: Asked): Promise<void> {
  const { cancellation_request: before } = await getOrder(ctx, cast.customer, placed.reference);
  if (before !== null) return;
  const body = {
    reason: 'buyer_cancelled',
    text: 'Our buyer wrote this morning that it was ordered by mistake.',
  } as const;
  await askToCancel(ctx, cast.customer, placed.reference, body);
}

/** Cancels as was asked. */
export async function acceptInMonth(asked: Asked, once: Once): Promise<void> {
  const body = { message: 'It had not been started: it is cancelled and refunded.' };
  await acceptRequest(asked.ctx, asked.cast.office, { id: await requestOf(asked), body, once });
}

/** Goes on with an order that was asked to be cancelled. */
export async function declineInMonth(asked: Asked, once: Once): Promise<void> {
  const body = { message: 'It was printed this morning and leaves today, so it can no longer be cancelled.' };
  await refuseRequest(asked.ctx, asked.cast.office, { id: await requestOf(asked), body, once });
}

async function requestOf({ ctx, cast, placed }: Asked): Promise<string> {
  const { cancellation_request: request } = await getOrder(ctx, cast.customer, placed.reference);
  if (request === null) throw new Error(`nothing was asked about ${placed.number}`);
  return request.id;
}
