import type { ChargeContext } from '../attempt.ts';
import type { PaymentProvider } from '../provider.ts';
import { endSaving, type SavingEnd } from './end-saving.ts';
import { findOwnSaving, type SavingRow } from './saving-sql.ts';

/** A saving as it is now, and where it can still be completed. */
export type SeenSaving = { readonly saving: SavingRow; readonly pageUrl: string | null };

/**
 * Asks the provider how a saving stands, and ends it accordingly.
 * A page past its time is ended there first, so that it saves nothing after its row has ended. Undefined if the
 * provider gave no answer. One that is saved is not asked about.
 */
export async function lookAtSaving(
  ctx: ChargeContext,
  payments: PaymentProvider,
  saving: SavingRow,
  timeoutMs: number,
): Promise<SeenSaving | undefined> {
  if (saving.state === 'saved') return { saving, pageUrl: null };
  const found = await findEnd(ctx, payments, saving, timeoutMs);
  if (found === 'no answer') return undefined;
  if ('pageUrl' in found) return { saving, pageUrl: found.pageUrl };
  await endSaving(ctx, saving, found);
  const ended = await findOwnSaving(ctx.database, saving.account_id, saving.id);
  return { saving: ended ?? saving, pageUrl: null };
}

async function findEnd(
  ctx: ChargeContext,
  payments: PaymentProvider,
  saving: SavingRow,
  timeoutMs: number,
): Promise<SavingEnd | { readonly pageUrl: string | null } | 'no answer'> {
  const isPast = ctx.clock.now() >= saving.ends_at;
  // Its address has not left the service, if there is a page: it ends by itself.
  if (saving.page_id === null) return isPast ? { kind: 'ended' } : { pageUrl: null };
  const read = await payments.readMethodPage(saving.page_id, timeoutMs);
  // The page exists, since its id is stored: a refusal to read it is temporary.
  if (read.kind !== 'ok') return 'no answer';
  let page = read.value;
  if (page.state === 'open' && isPast) {
    await payments.endPage(saving.page_id, timeoutMs);
    // It may be completed at the same moment: its state after the call counts.
    const after = await payments.readMethodPage(saving.page_id, timeoutMs);
    if (after.kind !== 'ok' || after.value.state === 'open') return 'no answer';
    page = after.value;
  }
  if (page.state === 'saved') return { kind: 'saved', method: page.method };
  return page.state === 'ended' ? { kind: 'ended' } : { pageUrl: page.url };
}
