import { recordAct } from '../../accounts/access/record-act.ts';
import { lockAccount } from '../../accounts/lock-account.ts';
import { shopName } from '../../accounts/mail/shop-words.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { ApiError, noSuch, unavailable, validationFailed } from '../../lib/errors.ts';
import { newId, parseId, publicId } from '../../lib/ids.ts';
import { fromPounds, type Pence, poundsText, toPounds } from '../../lib/money.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { ChargeContext } from '../attempt.ts';
import { providerOf } from '../context.ts';
import type { PaymentProvider } from '../provider.ts';
import { endCardTopUp } from './end-top-up.ts';
import { lookAtCardTopUp, type SeenTopUp } from './look-at-top-up.ts';
import { topUpBounds } from './top-up-bounds.ts';
import type { BeginTopUpBody, CardTopUp, ListTopUpsQuery } from './top-up-schema.ts';
import {
  type CardTopUpRow,
  findCardTopUpByKey,
  findOwnCardTopUp,
  insertCardTopUp,
  listCardTopUpRows,
  storePageId,
} from './top-up-sql.ts';
import { cardTopUpView } from './top-up-view.ts';

/** Top-ups of an account that are neither paid nor over. */
const OPEN_MAX = 10;
/** How long a page can be paid. The provider takes no less than half an hour. */
const PAGE_MS = 3_600_000;
/** The provider takes a longer one, but no page shows it. */
const DESCRIPTION_CHARACTERS_MAX = 120;
/** How long a person waits for the provider. */
const PROVIDER_TIMEOUT_MS = 8_000;

/**
 * Begins a top-up by card: writes it, makes a page of the provider's, and stores the page's id.
 * The address leaves the service only once the id is stored, so every payment is found again. The same key again is
 * the same top-up as it is now. Throws 409 where no card is taken, for a key of another amount, with too many under
 * way, and when the provider refuses; 503 when it gives no answer; 422 for the amount.
 */
export async function beginTopUp(
  ctx: ChargeContext,
  caller: SignedIn,
  request: { readonly body: BeginTopUpBody; readonly key: string },
): Promise<CardTopUp> {
  const payments = providerOf(ctx);
  const amountPence = amountOf(ctx, request.body);
  const topUp = await writeOnce(ctx, caller, { amountPence, key: request.key });
  const seen =
    topUp.state === 'open' && topUp.page_id === null
      ? await openPage(ctx, payments, topUp)
      : await lookAtCardTopUp(ctx, payments, topUp, PROVIDER_TIMEOUT_MS);
  return seenView(seen);
}

/**
 * Asks the provider how a top-up of the account stands, and books what it says.
 * For the return from the page, and for later. Throws 404 for any other top-up, 503 without an answer.
 */
export async function lookAtOwnTopUp(ctx: ChargeContext, caller: SignedIn, id: string): Promise<CardTopUp> {
  const topUpId = parseId('top', id);
  const topUp = topUpId === undefined ? undefined : await findOwnCardTopUp(ctx.database, caller.accountId, topUpId);
  if (topUp === undefined) throw noSuch('top-up');
  if (topUp.state === 'paid') return cardTopUpView({ topUp, payUrl: null });
  return seenView(await lookAtCardTopUp(ctx, providerOf(ctx), topUp, PROVIDER_TIMEOUT_MS));
}

/** A page of the top-ups of the account by card, newest first. */
export async function listOwnTopUps(
  ctx: Pick<ChargeContext, 'database'>,
  caller: SignedIn,
  query: ListTopUpsQuery,
): Promise<Page<CardTopUp>> {
  const { limit, after } = readPage('top', query);
  const rows = await listCardTopUpRows(ctx.database, caller.accountId, { before: after, limit: limit + 1 });
  return toPage(
    rows,
    limit,
    (topUp) => cardTopUpView({ topUp, payUrl: null }),
    ({ id }) => id,
  );
}

function amountOf(ctx: ChargeContext, body: BeginTopUpBody): Pence {
  const amountPence = fromPounds(body.amount_gbp);
  const refuse = (code: 'decimals' | 'out_of_bounds', message: string): ApiError =>
    validationFailed([{ path: 'amount_gbp', code, message }]);
  if (amountPence === undefined) throw refuse('decimals', 'must be pounds with at most two decimals.');
  const { minPence, maxPence } = topUpBounds(ctx.config);
  if (amountPence < minPence) throw refuse('out_of_bounds', `must be at least £${poundsText(minPence)}.`);
  if (amountPence > maxPence) throw refuse('out_of_bounds', `must be at most £${poundsText(maxPence)}.`);
  return amountPence;
}

async function writeOnce(
  ctx: ChargeContext,
  caller: SignedIn,
  { amountPence, key }: { amountPence: Pence; key: string },
): Promise<CardTopUpRow> {
  const { accountId } = caller;
  const open = await ctx.database.transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const now = ctx.clock.now();
    const id = newId(now.getTime());
    const reference = publicId('top', id);
    const endsAt = new Date(now.getTime() + PAGE_MS);
    const begun = { id, accountId, reference, key, amountPence, now, endsAt, openMax: OPEN_MAX };
    const { is_new: isNew, open: before } = await insertCardTopUp(tx, begun);
    if (isNew) {
      const detail = { top_up_id: reference, amount_gbp: toPounds(amountPence) };
      await recordAct(tx, caller, { action: 'begin_top_up', subjectId: accountId, detail }, now);
    }
    return before;
  });
  const topUp = await findCardTopUpByKey(ctx.database, accountId, key);
  if (topUp === undefined) {
    if (open < OPEN_MAX) throw new Error('a top-up that was written is not there');
    throw new ApiError('conflict', `${OPEN_MAX} top-ups are under way. Pay one of them, or wait until they end.`);
  }
  if (topUp.amount_pence !== amountPence) {
    throw new ApiError('conflict', 'This Idempotency-Key was used for another amount. Use a new one for each top-up.');
  }
  return topUp;
}

async function openPage(
  ctx: ChargeContext,
  payments: PaymentProvider,
  topUp: CardTopUpRow,
): Promise<SeenTopUp | undefined> {
  const { account_id: accountId, id, reference } = topUp;
  if (ctx.clock.now() >= topUp.ends_at) return lookAtCardTopUp(ctx, payments, topUp, PROVIDER_TIMEOUT_MS);
  const back = `${ctx.config.baseUrl}/portal/money/return?top_up=${reference}`;
  const made = await payments.createPage(
    {
      key: id,
      amountPence: topUp.amount_pence,
      description: `Balance at ${shopName(ctx.config)}`.slice(0, DESCRIPTION_CHARACTERS_MAX),
      paidUrl: back,
      leftUrl: `${back}&left=yes`,
      endsAt: topUp.ends_at,
    },
    PROVIDER_TIMEOUT_MS,
  );
  if (made.kind === 'no_answer') return undefined;
  if (made.kind === 'rejected') {
    await endCardTopUp(ctx, topUp, { kind: 'failed' });
    throw new ApiError('conflict', 'The payment provider does not take this payment. Pay by bank transfer, or ask us.');
  }
  if (!(await storePageId(ctx.database, accountId, id, made.value.id))) {
    const ended = await findOwnCardTopUp(ctx.database, accountId, id);
    return { topUp: ended ?? topUp, payUrl: null };
  }
  return { topUp: { ...topUp, page_id: made.value.id }, payUrl: made.value.url };
}

function seenView(seen: SeenTopUp | undefined): CardTopUp {
  if (seen !== undefined) return cardTopUpView(seen);
  throw unavailable('The payment provider gave no answer. Try again in a moment: nothing is charged twice.');
}
