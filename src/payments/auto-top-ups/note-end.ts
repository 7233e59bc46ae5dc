import { mailPeople } from '../../accounts/notices/mail-people.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ChargeEndContext } from '../context.ts';
import type { CardTopUpEnd } from '../top-ups/top-up-end.ts';
import type { CardTopUpRow } from '../top-ups/top-up-sql.ts';
import { type AutoTopUpRow, lockAutoTopUp, noteAutoTopUp } from './auto-top-up-sql.ts';

/** So many failures in a row stop it. */
export const FAILURES_MAX = 2;
/** The wait after a failure: a card that is refused now is seldom taken a moment later. */
const AFTER_FAILURE_MS = 3_600_000;

/**
 * Notes how an automatic top-up ended, in its transaction.
 * The second failure in a row stops them, with a mail. One that came to nothing because the provider was away is no
 * failure. Where they were turned off meanwhile, nothing is noted.
 */
export async function noteAutoTopUpEnd(
  ctx: ChargeEndContext,
  tx: Db,
  topUp: CardTopUpRow,
  end: CardTopUpEnd,
  now: Date,
): Promise<void> {
  const setting = await lockAutoTopUp(tx, topUp.account_id);
  if (setting?.state !== 'on') return;
  const { account_id: accountId } = setting;
  if (end.kind === 'paid') {
    await noteAutoTopUp(tx, accountId, { state: 'on', failures: 0, reason: '', notBefore: now, now });
    return;
  }
  if (end.kind === 'expired') {
    const { failures, reason } = setting;
    await noteAutoTopUp(tx, accountId, { state: 'on', failures, reason, notBefore: now, now });
    return;
  }
  // What took another amount is for people to look at, and is not tried again.
  const isOver = end.kind === 'mismatch' || setting.failures + 1 >= FAILURES_MAX;
  const reason = end.kind === 'mismatch' ? 'The payment provider took another amount.' : (end.reason ?? '');
  if (isOver) return stopAutoTopUps(ctx, tx, setting, { reason, about: topUp.id, now });
  const notBefore = new Date(now.getTime() + AFTER_FAILURE_MS);
  await noteAutoTopUp(tx, accountId, { state: 'on', failures: setting.failures + 1, reason, notBefore, now });
}

/**
 * Stops automatic top-ups of a locked setting, and says so in a mail.
 * `about` tells this stop from others.
 */
export async function stopAutoTopUps(
  ctx: ChargeEndContext,
  tx: Db,
  setting: AutoTopUpRow,
  { reason, about, now }: { readonly reason: string; readonly about: Uuid; readonly now: Date },
): Promise<void> {
  const { account_id: accountId, failures } = setting;
  await noteAutoTopUp(tx, accountId, { state: 'stopped', failures: failures + 1, reason, notBefore: now, now });
  await mailPeople(ctx, tx, { accountId, kind: 'auto_top_up_stopped', about }, () => ({
    subject: 'Automatic top-ups have stopped',
    paragraphs: [
      `The balance is not topped up by itself any more: ${reason}`,
      'Save another card or top up by hand, then turn automatic top-ups on again. Until then orders may wait for money.',
    ],
    link: { label: 'See your money', path: '/money' },
  }));
}
