import type { Reply } from '../../shared/api/client.ts';
import { serviceNowMs } from '../../shared/api/client.ts';
import { Countdown } from '../../shared/values/countdown.tsx';

export type TopUp = Reply<'listTopUps'>['data'][number];

/** Whether a person can still pay it on its page. One that is charged by itself has none. */
export function isPayable({ state, ends_at: until, is_automatic: isAutomatic }: TopUp): boolean {
  return state === 'open' && !isAutomatic && Date.parse(until) > serviceNowMs();
}

/** How a top-up stands, in words. */
export function TopUpState({ topUp }: { topUp: TopUp }) {
  const { state, ends_at: until, is_automatic: isAutomatic } = topUp;
  if (state === 'paid') return 'On your balance';
  if (state === 'expired') return 'Not paid in its time: nothing was taken';
  if (state === 'failed') return isAutomatic ? 'The card was declined: nothing was taken' : 'Failed: nothing was taken';
  if (isAutomatic) return 'The saved card is being charged';
  if (!isPayable(topUp)) return 'Its time is over';
  return (
    <>
      Not paid yet, can be paid for <Countdown until={until} />
    </>
  );
}
