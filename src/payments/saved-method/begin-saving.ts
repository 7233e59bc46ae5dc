import { recordAct } from '../../accounts/access/record-act.ts';
import { lockAccount } from '../../accounts/lock-account.ts';
import type { SessionContext } from '../../accounts/portal/open-session.ts';
import { requireProof } from '../../accounts/portal/prove.ts';
import type { PaymentMethodKind } from '../../billing/postings.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { ApiError, noSuch, unavailable } from '../../lib/errors.ts';
import { newId, parseId, publicId } from '../../lib/ids.ts';
import type { ChargeContext } from '../attempt.ts';
import { providerOf } from '../context.ts';
import { readCustomerOf } from '../method-sql.ts';
import type { PaymentProvider } from '../provider.ts';
import { endSaving } from './end-saving.ts';
import { lookAtSaving, type SeenSaving } from './look-at-saving.ts';
import type { MethodSaving } from './saving-schema.ts';
import { findOwnSaving, findSavingByKey, insertSaving, type SavingRow, storeSavingPage } from './saving-sql.ts';

/** Savings of an account that have not ended. */
const OPEN_MAX = 10;
/** How long a page can be used. The provider takes no less than half an hour. */
const PAGE_MS = 3_600_000;
/** How long a person waits for the provider. */
const PROVIDER_TIMEOUT_MS = 8_000;

type SavingContext = ChargeContext & SessionContext;

/**
 * Begins to save a card or direct debit on a page of the provider's.
 * Writes the row, makes the page, and stores its id. The address leaves the service only once the id is stored, so
 * every saved method is found again. The same key again is the same saving as it is now. Throws 403 without a fresh
 * proof; 409 where no card is taken, for a key of another kind, with too many under way, and when the provider
 * refuses; 503 when it gives no answer.
 */
export async function beginSaving(
  ctx: SavingContext,
  caller: SignedIn,
  { kind, key }: { readonly kind: PaymentMethodKind; readonly key: string },
): Promise<MethodSaving> {
  const payments = providerOf(ctx);
  await requireProof(ctx, caller);
  const saving = await writeOnce(ctx, caller, { kind, key });
  const seen =
    saving.state === 'open' && saving.page_id === null
      ? await openPage(ctx, payments, saving)
      : await lookAtSaving(ctx, payments, saving, PROVIDER_TIMEOUT_MS);
  return seenView(seen);
}

/**
 * Asks the provider how a saving of the account stands, and sets the method that it saved.
 * For the return from the page, and for later. Throws 404 for any other saving, 503 without an answer.
 */
export async function lookAtOwnSaving(ctx: ChargeContext, caller: SignedIn, id: string): Promise<MethodSaving> {
  const savingId = parseId('sav', id);
  const saving = savingId === undefined ? undefined : await findOwnSaving(ctx.database, caller.accountId, savingId);
  if (saving === undefined) throw noSuch('saving');
  if (saving.state === 'saved') return savingView({ saving, pageUrl: null });
  return seenView(await lookAtSaving(ctx, providerOf(ctx), saving, PROVIDER_TIMEOUT_MS));
}

async function writeOnce(
  ctx: ChargeContext,
  caller: SignedIn,
  { kind, key }: { kind: PaymentMethodKind; key: string },
): Promise<SavingRow> {
  const { accountId, person } = caller;
  const open = await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const now = ctx.clock.now();
    const id = newId(now.getTime());
    const endsAt = new Date(now.getTime() + PAGE_MS);
    const begun = { id, accountId, userId: person.userId, key, kind, now, endsAt, openMax: OPEN_MAX };
    const { is_new: isNew, open: before } = await insertSaving(tx, begun);
    if (isNew) {
      const detail = { saving_id: publicId('sav', id), kind };
      await recordAct(tx, caller, { action: 'begin_saving_method', subjectId: accountId, detail }, now);
    }
    return before;
  });
  const saving = await findSavingByKey(ctx.database, accountId, key);
  if (saving === undefined) {
    if (open < OPEN_MAX) throw new Error('a saving that was written is not there');
    throw new ApiError(
      'conflict',
      `${OPEN_MAX} pages to save a payment method are open. Use one of them, or wait an hour.`,
    );
  }
  if (saving.kind !== kind) {
    throw new ApiError('conflict', 'This Idempotency-Key was used for another kind. Use a new one for each.');
  }
  return saving;
}

async function openPage(
  ctx: ChargeContext,
  payments: PaymentProvider,
  saving: SavingRow,
): Promise<SeenSaving | undefined> {
  const { account_id: accountId, id, kind } = saving;
  if (ctx.clock.now() >= saving.ends_at) return lookAtSaving(ctx, payments, saving, PROVIDER_TIMEOUT_MS);
  const back = `${ctx.config.baseUrl}/portal/money/saved?saving=${publicId('sav', id)}`;
  const made = await payments.createMethodPage(
    {
      key: id,
      method: kind,
      customer: await readCustomerOf(ctx.database, accountId),
      savedUrl: back,
      leftUrl: `${back}&left=yes`,
      endsAt: saving.ends_at,
    },
    PROVIDER_TIMEOUT_MS,
  );
  if (made.kind === 'no_answer') return undefined;
  if (made.kind === 'rejected') {
    await endSaving(ctx, saving, { kind: 'ended' });
    const other = kind === 'card' ? 'a direct debit' : 'a card';
    throw new ApiError('conflict', `The payment provider does not take this kind here. Save ${other}, or ask us.`);
  }
  if (!(await storeSavingPage(ctx.database, accountId, id, made.value.id))) {
    const ended = await findOwnSaving(ctx.database, accountId, id);
    return { saving: ended ?? saving, pageUrl: null };
  }
  return { saving: { ...saving, page_id: made.value.id }, pageUrl: made.value.url };
}

function seenView(seen: SeenSaving | undefined): MethodSaving {
  if (seen !== undefined) return savingView(seen);
  throw unavailable('The payment provider gave no answer. Try again in a moment: nothing is charged by this.');
}

function savingView({ saving, pageUrl }: SeenSaving): MethodSaving {
  const { id, kind, state, ends_at: endsAt } = saving;
  return { id: publicId('sav', id), kind, state, page_url: pageUrl, ends_at: isoTime(endsAt) };
}
