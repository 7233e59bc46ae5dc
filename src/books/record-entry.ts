import type { Actor } from '../accounts/access/act-on-access.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { fromPounds, ZERO_PENCE } from '../lib/money.ts';
import type { BooksContext } from './context.ts';
import { enter } from './enter.ts';
import { amountIn, customerIn, valueDayOf } from './entry-input.ts';
import { formProblems, HOUSE_KINDS, type HouseKind, houseLegs } from './entry-kinds.ts';
import type { BookEntry, EntryBody } from './entry-schema.ts';

/** What is wrong with an entry for its kind; the schema finds the rest. */
export function entryProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const kind = HOUSE_KINDS.find((known) => known === (body as { kind?: unknown }).kind);
  return kind === undefined ? [] : formProblems({ ...body, kind });
}

/**
 * Records a line of a statement of the shop: a payout, fees, bank charges, VAT, duty and so on.
 * It is posted now; `value_day` is the day on the statement. Throws 422 for members that do not fit the kind, 404 for
 * an unknown account, 409 for a reference that an entry of the kind has used.
 */
export async function recordEntry(ctx: BooksContext, actor: Actor, body: EntryBody): Promise<BookEntry> {
  const problems = entryProblems(body);
  if (problems.length > 0) throw validationFailed(problems);
  const amountPence = amountIn(body.amount_gbp, 'amount_gbp');
  const feesPence = body.fees_gbp === undefined ? ZERO_PENCE : fromPounds(body.fees_gbp);
  if (feesPence === undefined || feesPence > amountPence) {
    const message = 'must be pounds with at most two decimals, at most amount_gbp, which is the payout before fees.';
    throw validationFailed([{ path: 'fees_gbp', code: 'out_of_bounds', message }]);
  }
  const valueDay = await valueDayOf(ctx, body.value_day);
  const customerId = body.account_id === undefined ? null : customerIn(body.account_id);
  const { reference, reason } = body;
  const kind: HouseKind = body.kind;
  const legs = houseLegs({
    kind,
    amountPence,
    feesPence,
    method: body.method,
    through: body.through,
    vatRate: body.vat_rate === undefined ? undefined : basisPointsIn(body.vat_rate),
    account: body.account,
    side: body.side,
    debit: body.debit,
    credit: body.credit,
    customerId: customerId ?? undefined,
    reference,
  });
  const draft = { kind, valueDay, reference, reason, customerId, orderId: null, legs, shortfall: 'refuse' as const };
  return enter(ctx, actor, { action: 'record_entry', orderId: null, detail: body }, async () => draft);
}

function basisPointsIn(perCent: number): number {
  const rate = fromPounds(perCent);
  if (rate !== undefined && rate <= 10_000) return rate;
  const message = 'must be per cent from 0 to 100 with at most two decimals.';
  throw validationFailed([{ path: 'vat_rate', code: 'out_of_bounds', message }]);
}
