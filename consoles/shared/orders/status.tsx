import type { Reply } from '../api/client.ts';

export type Order = Reply<'getOrder'>;
export type OrderLine = Order['items'][number];

type Tone = 'good' | 'wait' | 'bad' | 'busy' | 'still';
type Shown = { readonly label: string; readonly tone: Tone };

const STATUSES: Readonly<Record<string, Shown>> = {
  pending: { label: 'Pending', tone: 'wait' },
  confirmed: { label: 'Confirmed', tone: 'busy' },
  in_production: { label: 'In production', tone: 'busy' },
  dispatched: { label: 'Dispatched', tone: 'good' },
  delivered: { label: 'Delivered', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'still' },
};

const LINE_STATUSES: Readonly<Record<string, Shown>> = {
  queued: { label: 'Queued', tone: 'still' },
  printing: { label: 'Printing', tone: 'busy' },
  part_shipped: { label: 'Part shipped', tone: 'busy' },
  shipped: { label: 'Shipped', tone: 'good' },
  cancelled: { label: 'Cancelled', tone: 'still' },
};

/** The statuses of an order as the list can be narrowed to, in the order of its life. */
export const ORDER_STATUSES = Object.keys(STATUSES);

/** What a person calls a status; one that is newer than this page is shown as the service writes it. */
export function statusLabel(status: string): string {
  return STATUSES[status]?.label ?? status;
}

/** Where an order stands, and beside it what stops it. */
export function OrderStatus({ order }: { order: Order }) {
  const trouble = troubleOf(order);
  return (
    <>
      <Mark {...(STATUSES[order.status] ?? { label: order.status, tone: 'still' })} />
      {trouble === undefined ? null : (
        <>
          {' '}
          <Mark label={trouble.label} tone="bad" />
        </>
      )}
    </>
  );
}

/** Where a line stands. */
export function LineStatus({ status }: { status: string }) {
  return <Mark {...(LINE_STATUSES[status] ?? { label: status, tone: 'still' })} />;
}

function Mark({ label, tone }: Shown) {
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}

/** What keeps an order from going on, as the service says it; undefined when nothing does. */
export function troubleOf(order: Order): { readonly label: string; readonly reason: string } | undefined {
  if (order.status === 'cancelled') return undefined;
  if (order.payment_status === 'failed') return { label: 'Unpaid', reason: 'The order waits until it is paid.' };
  const hold = order.hold ?? order.items.find((line) => line.hold !== null)?.hold;
  return hold === undefined || hold === null ? undefined : { label: 'On hold', reason: hold.reason };
}

/** How many pieces an order has. */
export function piecesOf(order: Order): number {
  return order.items.reduce((sum, { qty }) => sum + qty, 0);
}
