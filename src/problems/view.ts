import { pictureUrl } from '../artwork/proof/proof-url.ts';
import { signedUrl } from '../artwork/signed-url.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import type { OpsProblem } from './ops-schema.ts';
import type { OrderProblem } from './schema.ts';
import type { ProblemRow } from './sql.ts';

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

/** Twice what a page shows. */
const THUMBNAIL_PX = 192;

/** A problem as its customer sees it. */
export function problemView(ctx: ViewContext, problem: ProblemRow): OrderProblem {
  const { secrets, config } = ctx;
  const now = ctx.clock.now();
  return {
    id: publicId('prob', problem.id),
    order: { id: publicId('ord', problem.order_id), reference: problem.order_reference },
    kind: problem.kind,
    status: problem.status,
    text: problem.text,
    items: problem.lines.map((line) => ({
      line_id: publicId('line', line.line_id),
      variant_sku: line.sku,
      name: line.name,
      quantity: line.quantity,
    })),
    photos: problem.photos.map((hash) => ({
      url: signedUrl(secrets, config.baseUrl, hash, now),
      thumbnail_url: pictureUrl(secrets, config.baseUrl, { hash, widthPx: THUMBNAIL_PX }, now),
    })),
    external_reference: problem.external_reference ?? '',
    reported_at: isoTime(problem.reported_at),
    answer_due_at: isoTime(problem.answer_due_at),
    ended_at: problem.ended_at && isoTime(problem.ended_at),
    answer: answerView(problem),
    actions: { withdraw: { available: problem.status === 'open' } },
  };
}

function answerView(problem: ProblemRow): OrderProblem['answer'] {
  if (problem.answered_by === null) return null;
  const { replacement_id: id, replacement_reference: reference, refund_pence: refundPence } = problem;
  return {
    message: problem.answer,
    replacement: id === null || reference === null ? null : { id: publicId('ord', id), reference },
    refund_gbp: refundPence === null ? null : toPounds(pence(refundPence)),
  };
}

/** A problem as the shop sees it. */
export function opsProblemView(ctx: ViewContext, problem: ProblemRow): OpsProblem {
  return {
    ...problemView(ctx, problem),
    account_id: publicId('acct', problem.account_id),
    answered_by: problem.answered_by ?? '',
  };
}
