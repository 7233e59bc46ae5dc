import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { requestStateText } from '../../shared/orders/request-words.ts';
import type { Order } from '../../shared/orders/status.tsx';
import { kindLabel, type OrderProblem, problemStatusLabel } from '../../shared/problems/words.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { wordsOf } from '../../shared/values/words.ts';

type History = Reply<'getOrderHistory'>;
type Move = History['data'][number];
type Entry = { readonly key: string; readonly at: string; readonly text: string };

/** What happened to an order, the latest first: its history, charges, refunds, parcels and problems. */
export function Timeline({ order }: { order: Order }) {
  const query = useQuery(reading('getOrderHistory', { path: { id: order.id } }));
  // The panel of problems asks for them, too; before something was sent there are none.
  const isSent = order.shipments.length > 0;
  const problems = useQuery({ ...reading('listOrderProblems', { path: { id: order.id } }), enabled: isSent });
  return (
    <Answer query={query}>
      {(history) => (
        <>
          <ol className="platen-timeline">
            {entriesOf(order, history, problems.data?.data ?? []).map(({ key, at, text }) => (
              <li key={key}>
                {text}
                <Text size="xs" c="dimmed">
                  <Moment at={at} />
                </Text>
              </li>
            ))}
          </ol>
          {history.is_whole ? null : (
            <Text size="xs" c="dimmed">
              What happened before is left out.
            </Text>
          )}
        </>
      )}
    </Answer>
  );
}

function entriesOf(order: Order, { data }: History, problems: readonly OrderProblem[]): Entry[] {
  const names = new Map(order.items.map(({ id, name }) => [id, name]));
  const happened = data.map((move, index) => ({
    key: `${move.at} ${move.kind} ${index}`,
    at: move.at,
    text: textOf(move, names),
  }));
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
  const erased =
    order.erased_at === null ? [] : [{ key: 'erased', at: order.erased_at, text: 'Personal details erased' }];
  const [placed, later] = [happened.slice(-1), happened.slice(0, -1)];
  const all = [...later, ...charges, ...refunds, ...ended(order), ...shipments, ...problems.flatMap(problemEntries)];
  return [...[...all, ...erased].toSorted((a, b) => b.at.localeCompare(a.at)), ...placed];
}

/** How the request to cancel ended, where no step of the order says so. */
function ended({ cancellation_request: request }: Order): Entry[] {
  if (request === null || request.ended_at === null) return [];
  if (request.state !== 'accepted' && request.state !== 'lapsed') return [];
  return [{ key: request.id, at: request.ended_at, text: requestStateText(request) }];
}

function problemEntries({ id, kind, status, reported_at: at, ended_at: endedAt }: OrderProblem): Entry[] {
  const reported = { key: `${id} reported`, at, text: `You reported a problem: ${kindLabel(kind)}` };
  if (endedAt === null) return [reported];
  return [reported, { key: `${id} ended`, at: endedAt, text: `Problem: ${problemStatusLabel(status)}` }];
}

const METHODS: Readonly<Record<string, string>> = {
  balance: 'the balance',
  card: 'the card',
  direct_debit: 'the direct debit',
};

const TEXTS: Readonly<Record<Move['kind'], string>> = {
  placed: 'Placed',
  payment_failed: 'The payment failed',
  payment_tried: 'The payment was tried again',
  paid: 'Paid: the order goes on',
  held: 'Put on hold',
  resumed: 'Taken off hold',
  confirmed: 'Confirmed: the shop has the garments for it',
  in_production: 'In production',
  line_held: 'A line was put on hold',
  line_resumed: 'A line goes on',
  artwork_replaced: 'Artwork replaced',
  address_changed: 'Delivery address changed',
  pieces_cancelled: 'Some pieces were cancelled',
  tracking_corrected: 'Tracking corrected',
  remade: 'Pieces are made again, at no cost',
  dispatched: 'Dispatched: the last parcel is on its way',
  cancel_asked: 'You asked the shop to cancel',
  cancel_withdrawn: 'You withdrew your request to cancel',
  cancel_refused: 'The shop does not cancel this order',
  cancelled: 'Cancelled',
};

/** Moves of which it matters who made them. */
const BY_EITHER: readonly Move['kind'][] = ['address_changed', 'pieces_cancelled', 'cancelled'];
const BY: Readonly<Record<Move['by'], string>> = { customer: ' by you', shop: ' by the shop', system: '' };

function textOf(
  { kind, by, reason, line_id: line, print_area: area }: Move,
  names: ReadonlyMap<string, string>,
): string {
  const about = [
    ...(line === null ? [] : [names.get(line) ?? line]),
    ...(area === null ? [] : [wordsOf(area)]),
    ...(reason === '' ? [] : [reason]),
  ];
  const text = `${TEXTS[kind]}${BY_EITHER.includes(kind) ? BY[by] : ''}`;
  return about.length === 0 ? text : `${text}: ${about.join(', ')}`;
}
