import { mailPeople, type NoticeContext } from '../../accounts/notices/mail-people.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { messageOf } from '../../lib/error-message.ts';
import { every, type Worker } from '../../lib/every.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { pence, poundsText } from '../../lib/money.ts';
import {
  type ComparedRow,
  compareBalance,
  type LowBalanceRow,
  listMovedBalances,
  lockLowBalanceMail,
  noteLowBalance,
} from './low-balance-sql.ts';

const POLL_MS = 30_000;
/** Accounts of one statement; a round goes on until there are no more. */
const PAGE = 200;
const DAY_MS = 86_400_000;

type LookContext = NoticeContext & Pick<Context, 'database'>;

/**
 * One round: looks at each account with a threshold whose balance has moved since the last.
 * Each is a transaction, in which the mail is queued and the look is written: a worker that dies has done both or
 * neither. Any number of them may run.
 */
export async function lookAtBalances(ctx: LookContext): Promise<void> {
  let after: Uuid | undefined;
  do {
    const moved = await listMovedBalances(ctx.database, { after, now: ctx.clock.now(), limit: PAGE });
    for (const accountId of moved) {
      try {
        await ctx.database.transaction((tx) => lookAtBalance(ctx, tx, accountId));
      } catch (error) {
        // Those that come after it are not to wait behind it.
        const fields = { account: publicId('acct', accountId), error: messageOf(error) };
        ctx.log.warn(fields, 'a balance could not be compared with its threshold');
      }
    }
    after = moved.length < PAGE ? undefined : moved.at(-1);
  } while (after !== undefined);
}

async function lookAtBalance(ctx: LookContext, tx: Db, accountId: Uuid): Promise<void> {
  const setting = await lockLowBalanceMail(tx, accountId);
  if (setting === undefined) return;
  const { threshold_pence: thresholdPence, seen_entries: seenEntries } = setting;
  const found = await compareBalance(tx, accountId, { seenEntries, thresholdPence });
  if (found === undefined) throw new Error('an account with a threshold has no balance');
  const now = ctx.clock.now();
  const next = nextOf(setting, found, now);
  if (next === 'mail') {
    await mailPeople(ctx, tx, { accountId, kind: 'low_balance', about: now.toISOString() }, () =>
      noticeOf(found.balance_pence, thresholdPence),
    );
  }
  await noteLowBalance(tx, accountId, {
    state: next === 'mail' ? 'notified' : next,
    seenEntries: found.entries,
    notBefore: next === 'mail' ? new Date(now.getTime() + DAY_MS) : setting.not_before,
  });
}

/**
 * What becomes of a threshold.
 * A fall below it is mailed once, and again only after the balance was at the threshold or above, if only between two
 * looks.
 * A mail that may not leave yet stays due: on the day of another, while the balance is topped up by itself, and while
 * the account is suspended.
 */
export function nextOf(
  setting: Pick<LowBalanceRow, 'threshold_pence' | 'state' | 'not_before'>,
  found: Pick<ComparedRow, 'balance_pence' | 'was_above' | 'is_topped_up' | 'is_suspended'>,
  now: Date,
): 'armed' | 'notified' | 'mail' {
  if (found.balance_pence >= setting.threshold_pence) return 'armed';
  if (setting.state === 'notified' && !found.was_above) return 'notified';
  if (found.is_topped_up || found.is_suspended || setting.not_before > now) return 'armed';
  return 'mail';
}

function noticeOf(balancePence: number, thresholdPence: number) {
  return {
    subject: `The balance is below £${poundsText(pence(thresholdPence))}`,
    paragraphs: [
      `The balance is £${poundsText(pence(balancePence))}, below the threshold of £${poundsText(pence(thresholdPence))}.`,
      'Orders that it does not cover wait for money. The next mail comes once the balance has been above and falls again.',
    ],
    link: { label: 'See your money', path: '/money' },
  };
}

/** Starts the worker that mails people about balances that have fallen below their thresholds. */
export function startLookingAtBalances(ctx: LookContext): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'balances could not be compared with their thresholds',
    run: async () => {
      await lookAtBalances(ctx);
      return undefined;
    },
  });
}
