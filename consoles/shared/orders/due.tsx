import { serviceNowMs } from '../api/client.ts';
import { formatDay, formatDays } from '../values/day.ts';
import type { Order } from './status.tsx';

/** The days between which an order is due, and whether they passed before it was sent; nothing while it has none. */
export function Due({ order: { expected_delivery: due, status } }: { order: Order }) {
  if (due === null) return null;
  const today = new Date(serviceNowMs()).toISOString().slice(0, 10);
  const isLate = status !== 'dispatched' && due.latest < today;
  return (
    <time dateTime={due.latest} className={isLate ? 'platen-overdue' : undefined}>
      {isLate ? `late: was due ${formatDay(due.latest)}` : formatDays(due)}
    </time>
  );
}
