import { Fragment } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../api/client.ts';
import { useSession } from '../session/session.tsx';
import { wordsOf } from '../values/words.ts';

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
  const blocks = [...new Set(order.blocked_by.map(blockLabel))];
  return (
    <>
      <Mark {...(STATUSES[order.status] ?? { label: order.status, tone: 'still' })} />
      {blocks.map((label) => (
        <Fragment key={label}>
          {' '}
          <Mark label={label} tone="bad" />
        </Fragment>
      ))}
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

type Block = Order['blocked_by'][number];

const BLOCKS: Readonly<Record<string, string>> = { payment: 'Unpaid', hold: 'On hold', artwork: 'No artwork' };

/** What a person calls a reason that keeps an order from going on. */
export function blockLabel({ kind }: Pick<Block, 'kind'>): string {
  return BLOCKS[kind] ?? wordsOf(kind);
}

/** The reasons that keep an order from going on, each in words and with what helps. */
export function Blocks({ order }: { order: Order }) {
  return (
    <>
      {order.blocked_by.map((block) => (
        <div key={`${block.kind} ${block.line_ids.join(' ')}`} className="platen-blocked">
          {block.reason} <Cure order={order} block={block} />
        </div>
      ))}
    </>
  );
}

/** What a person can do about a block, as a link; nothing where only the shop can, or others of their account. */
export function Cure({ order, block }: { order: Order; block: Block }) {
  const { role } = useSession().session.user;
  if (block.cure === 'pay') {
    return (
      <Link href="/money" className="platen-link">
        Top up the balance
      </Link>
    );
  }
  if (role === 'reader') return null;
  // It has waited for too long to be paid by itself.
  if (block.kind === 'payment') {
    return (
      <Link href={`/new-order?from=${order.reference}`} className="platen-link">
        Order again
      </Link>
    );
  }
  if (block.cure !== 'replace_artwork') return null;
  return (
    <Link href={`/orders/${order.reference}?replace=${block.line_ids[0] ?? ''}`} className="platen-link">
      Replace the artwork
    </Link>
  );
}

/** How many pieces an order has. */
export function piecesOf(order: Order): number {
  return order.items.reduce((sum, { qty }) => sum + qty, 0);
}
