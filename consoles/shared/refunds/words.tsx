import type { Reply } from '../api/client.ts';
import type { Order } from '../orders/status.tsx';
import { formatMoney } from '../values/money.tsx';
import { wordsOf } from '../values/words.ts';
import { cameBack, comesBack, type GivenBack } from './given-back.ts';

/** What a person is told of their money before orders are cancelled, in sentences. */
export function comesBackWords(orders: readonly Order[]): string {
  const back = comesBack(orders);
  const isUnderWay = orders.some(({ payment_status: status }) => status === 'processing');
  return [
    ...balanceWords(back, 'goes back to the balance at once'),
    ...byHandWords(back),
    ...(isUnderWay ? ['A payment is under way: if it goes through, the print shop pays it back.'] : []),
    ...(isUnderWay || !isNothing(back)
      ? []
      : [back.isPaid ? GIVEN_BEFORE : 'Nothing was paid, so nothing is refunded.']),
  ].join(' ');
}

const GIVEN_BEFORE = 'All that was paid was refunded before, so nothing more is.';

/** What became of a cancel, in sentences; they are to be read in peace if money is still owed. */
export function cancelledWords(answer: Reply<'cancelOrder'>): { readonly words: string; readonly isOwed: boolean } {
  const back = cameBack(answer);
  const money = isNothing(back)
    ? ['Nothing is refunded.']
    : [...balanceWords(back, 'is back on the balance'), ...byHandWords(back)];
  return { words: ['Cancelled.', ...money].join(' '), isOwed: back.byHand.length > 0 };
}

function isNothing({ balancePence, byHand }: GivenBack): boolean {
  return balancePence === 0 && byHand.length === 0;
}

function balanceWords({ balancePence }: GivenBack, what: string): string[] {
  return balancePence === 0 ? [] : [`${pounds(balancePence)} ${what}.`];
}

function byHandWords({ byHand }: GivenBack): string[] {
  return byHand.map(
    ({ method, pence }) =>
      `${pounds(pence)} that was paid by ${wordsOf(method).toLowerCase()} is paid back by the print shop.`,
  );
}

function pounds(pence: number): string {
  return formatMoney(pence / 100, 'GBP');
}
