import { publicId } from '../../lib/ids.ts';
import type { CancellationRequest } from '../../orders/asking/request-schema.ts';
import { requestView } from '../../orders/asking/request-view.ts';
import type { OpsCancellationRequest } from './ops-schema.ts';
import type { AskedRow } from './sql.ts';

/** A stored request as its customer sees it. */
export function askedView(row: AskedRow): CancellationRequest {
  return requestView({
    ...row,
    asked_at: row.asked_at.toISOString(),
    answer_due_at: row.answer_due_at.toISOString(),
    ended_at: row.ended_at === null ? null : row.ended_at.toISOString(),
  });
}

/** A stored request as the shop sees it. */
export function opsAskedView(row: AskedRow): OpsCancellationRequest {
  return {
    ...askedView(row),
    order: { id: publicId('ord', row.order_id), reference: row.order_reference },
    account_id: publicId('acct', row.account_id),
    answered_by: row.answered_by ?? '',
  };
}
