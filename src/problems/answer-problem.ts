import { closeTasks } from '../accounts/close-task.ts';
import { mailPeople, type Notice } from '../accounts/notices/mail-people.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newIdAt, publicId, type Uuid } from '../lib/ids.ts';
import { pence, poundsText } from '../lib/money.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { actOnOrder } from '../orders/operate.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { refuseRepeatedLines, replaceLocked } from '../production/replace-pieces.ts';
import { goodwillPence, refundLocked } from '../refunds/refund-by-ops.ts';
import type { OpsProblem, RefundForProblemBody, RefuseProblemBody, ReplaceForProblemBody } from './ops-schema.ts';
import { findOpsProblem, getOpsProblem } from './read-for-ops.ts';
import { endProblem, findAnyProblem, type ProblemEnd, type ProblemRow } from './sql.ts';

// An answer and what it does are one transaction, under the lock of the order: after a crash there is both or neither,
// and of two answers at once, or an answer and a withdrawal, exactly one is given.

type Answering<Body> = { readonly id: string; readonly body: Body; readonly once: Once };

/**
 * Answers a problem by making pieces again: those that were reported, unless others are named.
 * The replacement is an order of its own, as by `POST /orders/{id}/replacement`. Throws 404, 409 when the problem is
 * not open, and what a replacement is refused with.
 */
export async function replaceForProblem(
  ctx: PaymentsContext,
  operator: Operator,
  { id, body, once }: Answering<ReplaceForProblemBody>,
): Promise<OpsProblem> {
  const { message, items } = body;
  if (items !== undefined) refuseRepeatedLines(items);
  const replacementId = newIdAt(ctx.clock.now());
  const answering = { id, once, action: 'replace_for_problem', detail: body, makes: replacementId };
  return answer(ctx, operator, answering, async (tx, order, problem, now) => {
    const reported = problem.lines.map((line) => ({
      line_id: publicId('line', line.line_id),
      quantity: line.quantity,
    }));
    const actor = actorOf(operator);
    await replaceLocked(tx, ctx, order, { id: replacementId, items: items ?? reported, actor, reason: message, now });
    return { status: 'replaced', answer: message, replacementId, refundPence: null };
  });
}

/**
 * Answers a problem by refunding a part of its order, as a goodwill.
 * Throws 404, 409 when the problem is not open, and what a refund is refused with.
 */
export async function refundForProblem(
  ctx: PaymentsContext,
  operator: Operator,
  { id, body, once }: Answering<RefundForProblemBody>,
): Promise<OpsProblem> {
  const { message, amount_gbp: amount } = body;
  const amountPence = goodwillPence(amount);
  const answering = { id, once, action: 'refund_for_problem', detail: body };
  return answer(ctx, operator, answering, async (tx, order, _problem, now) => {
    await refundLocked(tx, ctx, order, { amountPence, actor: actorOf(operator), reason: message, now });
    return { status: 'refunded', answer: message, replacementId: null, refundPence: amountPence };
  });
}

/**
 * Answers a problem with the reason why nothing is made good.
 * Throws 404, 409 when the problem is not open.
 */
export async function refuseProblem(
  ctx: PaymentsContext,
  operator: Operator,
  { id, body, once }: Answering<RefuseProblemBody>,
): Promise<OpsProblem> {
  const answering = { id, once, action: 'refuse_problem', detail: body };
  return answer(ctx, operator, answering, async () => ({
    status: 'refused',
    answer: body.message,
    replacementId: null,
    refundPence: null,
  }));
}

type Given = Pick<ProblemEnd, 'status' | 'answer' | 'replacementId' | 'refundPence'>;

/** Runs what an answer does and ends the problem with it, once per Idempotency-Key. */
async function answer(
  ctx: PaymentsContext,
  operator: Operator,
  answering: {
    readonly id: string;
    readonly once: Once;
    readonly action: string;
    readonly detail: object;
    readonly makes?: Uuid;
  },
  give: (tx: Db, order: LockedOrder, problem: ProblemRow, now: Date) => Promise<Given>,
): Promise<OpsProblem> {
  const { id, once, action, detail, makes } = answering;
  const { id: problemId, order_id: orderId } = await findOpsProblem(ctx, id);
  const act = { action, detail: { problem_id: id, ...detail }, ...(makes === undefined ? {} : { makes }) };
  await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order, now) => {
    const problem = await findAnyProblem(tx, problemId);
    if (problem === undefined) throw new Error('a problem of a locked order is gone');
    if (problem.status !== 'open') throw new ApiError('conflict', `This problem is ${problem.status} already.`);
    const given = await give(tx, order, problem, now);
    const { account_id: accountId, task_id: taskId } = problem;
    const end = { ...given, accountId, id: problemId, answeredBy: actorOf(operator), now };
    if (!(await endProblem(tx, end))) throw new Error('an open problem of a locked order could not be ended');
    await closeTasks(tx, [taskId], now);
    const to = { accountId, kind: 'problem_answered', about: publicId('prob', problemId) } as const;
    await mailPeople(ctx, tx, to, (shop) => noticeOf(order.reference, given, shop));
  });
  return getOpsProblem(ctx, id);
}

function noticeOf(reference: string, { status, answer: message, refundPence }: Given, shop: string): Notice {
  return {
    subject: `Your problem with ${reference} was answered`,
    paragraphs: [`${shop} ${didOf(status, refundPence)}`, message],
    link: { label: 'See the order', path: `/orders/${reference}` },
  };
}

function didOf(status: Given['status'], refundPence: number | null): string {
  switch (status) {
    case 'replaced':
      return 'makes the pieces again and sends them, at no cost to you:';
    case 'refunded':
      return `refunds £${poundsText(pence(refundPence ?? 0))} of the order:`;
    case 'refused':
      return 'cannot make this good, and says why:';
    case 'withdrawn':
      throw new Error('a withdrawal is no answer');
    default:
      return status satisfies never;
  }
}
