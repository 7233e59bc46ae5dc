import { Group, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { type Order, OrderStatus, piecesOf, troubleOf } from '../../shared/orders/status.tsx';
import {
  inboxOf,
  isForPerson,
  manyOrders,
  reasonWords,
  type Shop,
  waitingForPerson,
} from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Money } from '../../shared/values/money.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { FirstSteps } from './first-steps.tsx';

/** The orders of a status that are looked at; beyond them, the tile says "more than". */
const LOOKED_AT = 50;
const SHOWN = 8;

/** What needs the customer, what is being made, and the balance. */
export function HomePage() {
  const balance = useQuery(reading('getBalance', {}));
  const pending = useQuery(reading('listOrders', { query: { status: 'pending', limit: LOOKED_AT } }));
  const confirmed = useQuery(reading('listOrders', { query: { status: 'confirmed', limit: LOOKED_AT } }));
  const making = useQuery(reading('listOrders', { query: { status: 'in_production', limit: LOOKED_AT } }));
  const shops = useQuery(reading('listChannels', {}));
  // Only then is it worth asking whether the account has placed any order at all.
  const isQuiet = [pending, confirmed, making].every(({ data }) => data?.data.length === 0);
  return (
    <Page title="Home">
      {isQuiet && balance.data !== undefined ? <FirstSteps hasBalance={balance.data.balance > 0} /> : null}
      <div className="platen-tiles">
        <div className="platen-tile">
          <Text size="sm" c="dimmed">
            Balance
          </Text>
          <Answer query={balance} lines={1}>
            {(value) => (
              <div className="platen-tile-figure">
                <Money amount={value.balance} currency={value.currency} />
              </div>
            )}
          </Answer>
        </div>
        <Tile title="Pending" status="pending" query={pending} />
        <Tile title="Confirmed" status="confirmed" query={confirmed} />
        <Tile title="In production" status="in_production" query={making} />
      </div>
      <Panel title="Needs you">
        <Answer query={pending}>
          {({ data }) => {
            const troubled = data.filter((order) => troubleOf(order) !== undefined);
            const waiting = (shops.data?.data ?? []).filter((shop) => waitingForPerson(shop) > 0);
            if (troubled.length + waiting.length === 0) return <Empty title="Nothing waits for you." />;
            return (
              <>
                {waiting.length === 0 ? null : <Shops shops={waiting} />}
                {troubled.length === 0 ? null : <Orders orders={troubled} />}
              </>
            );
          }}
        </Answer>
      </Panel>
      <Panel title="In making">
        <Answer query={making}>
          {({ data }) =>
            data.length === 0 ? <Empty title="Nothing is in production right now." /> : <Orders orders={data} />
          }
        </Answer>
      </Panel>
    </Page>
  );
}

function Tile({
  title,
  status,
  query,
}: {
  title: string;
  status: string;
  query: ReturnType<typeof useQuery<Reply<'listOrders'>>>;
}) {
  return (
    <Link href={`/orders?status=${status}`} className="platen-tile">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Answer query={query} lines={1}>
        {({ data, has_more: hasMore }) => (
          <div className="platen-tile-figure">{hasMore ? `${data.length}+` : data.length}</div>
        )}
      </Answer>
    </Link>
  );
}

/** Connected shops with orders that wait for a person, and why. */
function Shops({ shops }: { shops: readonly Shop[] }) {
  return (
    <div className="platen-lines">
      {shops.map((shop) => (
        <div key={shop.id} className="platen-line">
          <IconInbox size={28} aria-hidden className="platen-line-icon" />
          <div className="platen-line-text">
            <Link href={inboxOf(shop.id, 'waiting')} className="platen-link">
              {manyOrders(waitingForPerson(shop))} of {shop.name}
            </Link>
            {shop.waiting
              .filter(({ reason }) => isForPerson(reason))
              .map(({ reason, orders }) => (
                <Text key={reason} size="sm" c="dimmed">
                  {orders} × {reasonWords(reason)}
                </Text>
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function Orders({ orders }: { orders: readonly Order[] }) {
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
            <Text size="sm" c="dimmed">
              {piecesOf(order)} {piecesOf(order) === 1 ? 'piece' : 'pieces'} for {order.shipping_address.contact_name} ·{' '}
              {troubleOf(order)?.reason ?? order.items.map(({ name }) => name).join(', ')}
            </Text>
          </div>
          <div style={{ textAlign: 'end' }}>
            <Money amount={order.total} currency={order.currency} />
            <Text size="xs" c="dimmed">
              {order.actions.cancel.available ? (
                <>
                  can be cancelled for <Countdown until={order.actions.cancel.until} />
                </>
              ) : (
                <Moment at={order.created_at} />
              )}
            </Text>
          </div>
        </div>
      ))}
    </div>
  );
}
