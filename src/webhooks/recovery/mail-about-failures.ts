import { mailPeople, type Notice, type NoticeContext } from '../../accounts/notices/mail-people.ts';
import type { Db } from '../../lib/db.ts';
import { publicId } from '../../lib/ids.ts';
import type { CountedSubscription, Outcome } from '../delivery-sql.ts';

/** From this many failures in a row on, managers are warned: two thirds of what disables. */
const WARNED_FROM = 10;

/**
 * Records mails about subscriptions whose run of failures has come to ten, or has disabled them.
 * In the transaction that counts, so that there is a mail exactly if the count is kept. One of a run, and of a
 * subscription that fails and recovers over and over one a day; each disabling has its own.
 */
export async function mailAboutFailures(
  ctx: NoticeContext,
  tx: Db,
  counted: readonly CountedSubscription[],
  outcomes: readonly Outcome[],
  disabledFrom: number,
): Promise<void> {
  for (const subscription of counted) {
    const hasCome = subscription.was < WARNED_FROM && subscription.failure_count >= WARNED_FROM;
    if (subscription.active && !hasCome) continue;
    const { account_id: accountId, active, generation } = subscription;
    const id = publicId('whk', subscription.id);
    const last = outcomes.findLast((outcome) => outcome.subscription === subscription.id && !outcome.succeeded);
    const matter = { id, subscription, error: last?.error ?? '', disabledFrom };
    if (active) {
      const day = ctx.clock.now().toISOString().slice(0, 10);
      await mailPeople(ctx, tx, { accountId, kind: 'webhook_failing', about: `${id} ${day}` }, () => failing(matter));
    } else {
      const about = `${id} ${generation}`;
      await mailPeople(ctx, tx, { accountId, kind: 'webhook_disabled', about }, () => disabled(matter));
    }
  }
}

type Matter = {
  readonly id: string;
  readonly subscription: CountedSubscription;
  readonly error: string;
  readonly disabledFrom: number;
};

function failing({ id, subscription, error, disabledFrom }: Matter): Notice {
  return {
    subject: `Your webhook at ${hostOf(subscription)} fails`,
    paragraphs: [
      `${subscription.failure_count} deliveries in a row to ${named(id, subscription)} have failed. The last one: ${error}`,
      `After ${disabledFrom} failures in a row the subscription is disabled, and events are no longer sent to it.`,
      `Repair the receiver, and try it out with POST /webhooks/${id}/test. Failed deliveries are tried again by themselves.`,
    ],
    link: linkOf(id),
  };
}

function disabled({ id, subscription, error, disabledFrom }: Matter): Notice {
  return {
    subject: `Your webhook at ${hostOf(subscription)} was disabled`,
    paragraphs: [
      `${disabledFrom} deliveries in a row to ${named(id, subscription)} have failed, so nothing is sent to it any more. The last one: ${error}`,
      `Repair the receiver, try it out with POST /webhooks/${id}/test, and set active to true with PATCH /webhooks/${id}.`,
      `Events from the time in between are not sent by themselves: have them sent with POST /webhooks/${id}/replay.`,
    ],
    link: linkOf(id),
  };
}

function linkOf(id: string): NonNullable<Notice['link']> {
  return { label: 'See the webhook', path: `/developers/webhooks/${id}` };
}

/** The path of an address may hold a secret of the customer, and a mail is read on the way. */
function hostOf({ url }: CountedSubscription): string {
  return URL.canParse(url) ? new URL(url).host : 'an address';
}

function named(id: string, subscription: CountedSubscription): string {
  const { description } = subscription;
  return `${hostOf(subscription)} (${description === '' ? id : `${description}, ${id}`})`;
}
