import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { requestStateText } from '../../shared/orders/request-words.ts';
import type { Order } from '../../shared/orders/status.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { wordsOf } from '../../shared/values/words.ts';

type OrderEvent = Reply<'listEvents'>['data'][number];
type Entry = { readonly key: string; readonly at: string; readonly text: string };

/** What happened to an order, the latest first: its events, charges, refunds and parcels. */
export function Timeline({ order }: { order: Order }) {
  const query = useQuery(reading('listEvents', { query: { order: order.id, limit: 100 } }));
  return (
    <Answer query={query}>
      {({ data }) => (
        <ol className="platen-timeline">
          {entriesOf(order, data).map(({ key, at, text }) => (
            <li key={key}>
              {text}
              <Text size="xs" c="dimmed">
                <Moment at={at} />
              </Text>
            </li>
          ))}
        </ol>
      )}
    </Answer>
  );
}

function entriesOf(order: Order, events: readonly OrderEvent[]): Entry[] {
  const placed = { key: 'placed', at: order.created_at, text: 'Placed' };
  const happened = events
    // Said better by what the order itself has.
    .filter(({ event }) => event !== 'order.created' && event !== 'order.shipment_created')
    .map((event) => ({ key: event.id, at: event.created_at, text: textOf(event) }));
  const charges = order.charges.map(({ payment_id: id, amount, currency, method, charged_at: at }) => ({
    key: `charge ${id ?? 'balance'} ${method} ${at}`,
    at,
    text: `${formatMoney(amount, currency)} charged to ${METHODS[method] ?? method}`,
  }));
  const refunds = order.refunds.map(({ id, amount, currency, status, created_at: at }) => ({
    key: id,
    at,
    text: `${formatMoney(amount, currency)} ${status === 'pending' ? 'to be refunded' : 'refunded'}`,
  }));
  const shipments = order.shipments.map(({ id, carrier, tracking_number: number, shipped_at: at }) => ({
    key: id,
    at,
    text: `Parcel sent with ${carrier}, ${number}`,
  }));
  const replaced = order.items.flatMap(({ id, name, artwork }) =>
    (artwork?.areas ?? []).flatMap(({ print_area: area, replaced_at: at }) =>
      at === null ? [] : [{ key: `artwork ${id} ${area}`, at, text: `Artwork replaced: ${name}, ${wordsOf(area)}` }],
    ),
  );
  const asked = askedOf(order);
  const later = [...charges, ...happened, ...refunds, ...replaced, ...asked, ...shipments].toSorted((a, b) =>
    b.at.localeCompare(a.at),
  );
  return [...later, placed];
}

function askedOf({ cancellation_request: request }: Order): Entry[] {
  if (request === null) return [];
  const { id, asked_at: at, ended_at: endedAt } = request;
  const asked = { key: `${id} asked`, at, text: 'You asked the shop to cancel' };
  if (endedAt === null) return [asked];
  return [asked, { key: `${id} ended`, at: endedAt, text: requestStateText(request) }];
}

const METHODS: Readonly<Record<string, string>> = {
  balance: 'the balance',
  card: 'the card',
  direct_debit: 'the direct debit',
};

const EVENTS: Readonly<Record<string, string>> = {
  'order.payment_failed': 'The payment failed',
  'order.in_production': 'In production',
  'order.dispatched': 'Dispatched: the last parcel is on its way',
  'order.cancelled': 'Cancelled',
  'order.on_hold': 'Put on hold',
};

function textOf({ event }: OrderEvent): string {
  return EVENTS[event] ?? event;
}
