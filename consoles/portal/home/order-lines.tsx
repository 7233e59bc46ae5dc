import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Due } from '../../shared/orders/due.tsx';
import { Blocks, type Order, OrderStatus, piecesOf } from '../../shared/orders/status.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';

/** So many orders of each panel are shown. */
export const SHOWN = 8;

/** Orders, each with what stands in its way and until when it can be cancelled. */
export function OrderLines({ orders }: { orders: readonly Order[] }) {
  return (
    <div className="platen-lines">
      {orders.slice(0, SHOWN).map((order) => (
        <div key={order.id} className="platen-line">
          <Picture url={order.items[0]?.thumbnail_url ?? null} alt={order.items[0]?.name ?? 'Order'} size={44} />
          <div style={{ flex: 1, minWidth: 0 }}>
            <Group gap="xs">
              <Link href={`/orders/${order.reference}`} className="platen-link platen-number">
                {order.reference}
              </Link>
              <OrderStatus order={order} />
            </Group>
            <Text size="sm" c="dimmed" className="platen-reference">
              {piecesOf(order)} {piecesOf(order) === 1 ? 'piece' : 'pieces'} for {order.shipping_address.contact_name} ·{' '}
              {[order.shop_number, order.items.map(({ name }) => name).join(', ')]
                .filter((text) => text !== '')
                .join(' · ')}
            </Text>
            <Text size="sm" component="div">
              <Blocks order={order} />
            </Text>
          </div>
          <div className="platen-order-aside">
            <Money amount={order.total} currency={order.currency} />
            <Text size="xs" c="dimmed">
              {order.actions.cancel.available ? (
                <>
                  can be cancelled for <Countdown until={order.actions.cancel.until} />
                </>
              ) : (
                <Moment at={order.created_at} />
              )}
              {order.expected_delivery === null ? null : (
                <div>
                  due <Due order={order} />
                </div>
              )}
            </Text>
          </div>
        </div>
      ))}
    </div>
  );
}
