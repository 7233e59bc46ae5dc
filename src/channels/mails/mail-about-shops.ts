import { timeInMail } from '../../accounts/mail/shop-words.ts';
import { mailPeople, type Notice, type NoticeContext } from '../../accounts/notices/mail-people.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { messageOf } from '../../lib/error-message.ts';
import { every, type Worker } from '../../lib/every.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { COUNTED_ORDERS_MAX, countWaiting } from '../inbox/inbox-list-sql.ts';
import type { InboxReason, WaitReason } from '../inbox/reasons.ts';
import { ASKING_WORDS, asksPeople } from './ask-people.ts';
import { type FaultyShop, listFaultyShops, noteFaultMail } from './faulty-sql.ts';
import { endWaitingMail, listDueMails, lockDueMail } from './waiting-sql.ts';

const POLL_MS = 60_000;
/** Channels of one statement; a round goes on until there are no more. */
const PAGE = 100;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A shop that fails for less mends itself more often than not. */
export const FAILING_MS = HOUR_MS;
const REMINDED_MS = 7 * DAY_MS;

type MailContext = NoticeContext & Pick<Context, 'database'>;

/**
 * One round: mails people about shops that fail, and about orders that wait for them.
 * Each is a transaction, in which the mail is queued and noted: a worker that dies has done both or neither. Any number
 * of workers may run.
 */
export async function mailAboutShops(ctx: MailContext): Promise<void> {
  await mailAboutWaiting(ctx);
  await mailAboutFaults(ctx);
}

async function mailAboutWaiting(ctx: MailContext): Promise<void> {
  const now = ctx.clock.now();
  for (let page = PAGE; page === PAGE; ) {
    const due = await listDueMails(ctx.database, now, PAGE);
    let ended = 0;
    for (const { account_id: accountId, id: channelId } of due) {
      const isEnded = await tried(ctx, channelId, (tx) => mailOfWaiting(ctx, tx, { accountId, channelId }));
      if (isEnded) ended += 1;
    }
    // Those that another has, or that fail, are listed again.
    page = ended === 0 ? 0 : due.length;
  }
}

async function mailOfWaiting(
  ctx: MailContext,
  tx: Db,
  of: { readonly accountId: Uuid; readonly channelId: Uuid },
): Promise<boolean> {
  const now = ctx.clock.now();
  const { accountId, channelId } = of;
  const channel = await lockDueMail(tx, of, now, COUNTED_ORDERS_MAX);
  if (channel === undefined) return false;
  const counted = await countWaiting(tx, [{ account_id: accountId, id: channelId }]);
  const waiting = counted.filter(({ reason }) => asksPeople(reason));
  const isNone = channel.state === 'disconnected' || (waiting.length === 0 && channel.failed_reports === 0);
  await endWaitingMail(tx, of, isNone ? null : now);
  if (isNone) return true;
  const about = `${publicId('chan', channelId)} ${isoTime(now)}`;
  await mailPeople(ctx, tx, { accountId, kind: 'shop_orders_wait', about }, () => waitingNotice(channel, waiting));
  return true;
}

function waitingNotice(
  { name, failed_reports: refused }: { readonly name: string; readonly failed_reports: number },
  waiting: readonly { readonly reason: InboxReason; readonly orders: number }[],
): Notice {
  const orders = waiting.reduce((sum, one) => sum + one.orders, 0);
  const lines = waiting
    .toSorted((one, other) => other.orders - one.orders)
    .map((one) => `${counted(one.orders)} ${ASKING_WORDS[one.reason as WaitReason]}`);
  if (refused > 0)
    lines.push(
      `${counted(refused)} of which ${name} takes no news: mend what each says there, then have it reported again`,
    );
  return {
    subject:
      orders === 0
        ? `${name} takes no news of its orders`
        : `${capital(counted(orders))} of ${name} ${orders === 1 ? 'waits' : 'wait'} for you`,
    paragraphs: [
      `${lines.join('; ')}.`.replace(/^./, (first) => first.toUpperCase()),
      ...(orders === 0 ? [] : ['They are not made before you answer. What has no answer for ninety days is ended.']),
      'The next mail about this shop comes tomorrow at the earliest, if another order waits then.',
    ],
    link: { label: 'See the orders', path: orders === 0 ? '/shop-orders?reason=report_refused' : '/shop-orders' },
  };
}

function counted(orders: number): string {
  if (orders === 1) return 'one order';
  return orders >= COUNTED_ORDERS_MAX ? `${COUNTED_ORDERS_MAX} orders or more` : `${orders} orders`;
}

function capital(text: string): string {
  return text.replace(/^./, (first) => first.toUpperCase());
}

async function mailAboutFaults(ctx: MailContext): Promise<void> {
  const now = ctx.clock.now();
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  const times = { failingSince: before(FAILING_MS), mailedBefore: before(DAY_MS), remindedBefore: before(REMINDED_MS) };
  let after: { fault_since: Date; channel_id: Uuid } | undefined;
  do {
    const faulty = await listFaultyShops(ctx.database, times, { after, limit: PAGE });
    for (const { account_id: accountId, channel_id: channelId } of faulty) {
      await tried(ctx, channelId, async (tx) => {
        const shop = await noteFaultMail(tx, times, { accountId, channelId, now });
        if (shop === undefined) return false;
        const about = `${publicId('chan', channelId)} ${isoTime(now)}`;
        await mailPeople(ctx, tx, { accountId, kind: 'shop_faulty', about }, () => faultNotice(shop));
        return true;
      });
    }
    after = faulty.length < PAGE ? undefined : faulty.at(-1);
  } while (after !== undefined);
}

function faultNotice({ channel_id: id, name, address, fault, fault_since: since }: FaultyShop): Notice {
  return {
    subject: `${name} has failed since ${timeInMail(since)}`,
    paragraphs: [
      `The connected shop ${name} (${hostOf(address)}) fails since ${timeInMail(since)}: ${fault}`,
      'Until that is mended no order is taken from it, and no parcel is entered in it. It is asked again and again, and what came meanwhile is caught up with.',
      'The page of the shop says what to do. Where it does not let us in any more, connect it again: nothing is lost by that.',
    ],
    link: { label: 'See the shop', path: `/shops/${publicId('chan', id)}` },
  };
}

/** The path of an address may say more than is to be read on the way. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}

/** Runs one of many in a transaction of its own; those that come after it are not to wait behind it. */
async function tried(ctx: MailContext, channelId: Uuid, act: (tx: Db) => Promise<boolean>): Promise<boolean> {
  try {
    return await ctx.database.transaction(act);
  } catch (error) {
    const fields = { channel: publicId('chan', channelId), error: messageOf(error) };
    ctx.log.warn(fields, 'people could not be mailed about their shop');
    return false;
  }
}

/** Starts the worker that mails people about their connected shops; undefined without a mail server. */
export function startMailingAboutShops(ctx: MailContext): Worker | undefined {
  if (ctx.config.mail === undefined) return undefined;
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'people could not be mailed about their shops',
    run: async () => {
      await mailAboutShops(ctx);
      return undefined;
    },
  });
}
