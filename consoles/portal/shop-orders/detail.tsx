import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { type ShopOrder, ShopOrderReason, ShopOrderState } from '../../shared/shops/words.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { notifyOf } from '../../shared/states/notify.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import type { AnswerKind } from './answers.ts';
import { CorrectAddress } from './correct-address.tsx';
import { IgnoreEntries } from './ignore-entries.tsx';
import { Problems } from './problems.tsx';

// Most items have none of it.
const Entered = lazy(async () => ({ default: (await import('./entered.tsx')).Entered }));

/** While it is being looked at. */
const LOOK_AGAIN_MS = 1_000;
/** While a report is due: it is made within seconds, or takes as long as the shop is away. */
const REPORTED_AGAIN_MS = 5_000;

const ITEMS: Readonly<Record<string, string>> = {
  ours: 'made here',
  missing: 'not known yet',
  others: 'made by others',
};

/** An order of a shop whole: what was ordered, for whom, and what became of it. */
export function Detail({
  id,
  mayAnswer,
  mayChange,
  onAnswer,
  onCorrected,
}: {
  id: string;
  mayAnswer: boolean;
  /** Whether this person says what items are. */
  mayChange: boolean;
  onAnswer: (kind: AnswerKind, order: ShopOrder) => void;
  onCorrected: () => void;
}) {
  const [isCorrecting, setCorrecting] = useState(false);
  const query = useQuery({
    ...reading('getShopOrder', { path: { id } }),
    refetchInterval: ({ state: { data } }) => {
      if (data?.state === 'new') return LOOK_AGAIN_MS;
      return data?.reported?.is_known === false && data.reported.problem === null ? REPORTED_AGAIN_MS : false;
    },
  });
  return (
    <Answer query={query} lines={5}>
      {(order) => (
        <>
          <Text size="sm" component="div">
            <ShopOrderState order={order} /> <ShopOrderReason order={order} />
          </Text>
          <Problems order={order} />
          <dl className="platen-facts platen-below">
            {order.order === null ? null : (
              <>
                <dt>Order here</dt>
                <dd>
                  <Link href={`/orders/${order.order.reference}`} className="platen-link platen-number">
                    {order.order.reference}
                  </Link>
                </dd>
              </>
            )}
            <dt>Shop</dt>
            <dd>
              <Link href={`/shops/${order.channel.id}`} className="platen-link">
                {order.channel.name}
              </Link>
            </dd>
            {order.recipient === null ? null : (
              <>
                <dt>For</dt>
                <dd>{recipientText(order.recipient)}</dd>
              </>
            )}
            {order.reported === null ? null : (
              <>
                <dt>In the shop</dt>
                <dd>
                  {order.reported.problem ??
                    (order.reported.is_known ? 'It knows all of this' : 'A report is due to it')}
                  {order.reported.problem !== null && !order.reported.is_known && mayAnswer ? (
                    <>
                      {' '}
                      <ReportAgain id={id} onDone={() => void query.refetch()} />
                    </>
                  ) : null}
                  {order.reported.at === null ? null : (
                    <>
                      {' '}
                      · <Moment at={order.reported.at} />
                    </>
                  )}
                </dd>
              </>
            )}
            <dt>The shop’s id</dt>
            <dd className="platen-code">{order.shop_order_id}</dd>
            <dt>Ordered</dt>
            <dd>
              <Moment at={order.ordered_at} />
            </dd>
            <dt>Received</dt>
            <dd>
              <Moment at={order.received_at} />
            </dd>
          </dl>
          <ul className="platen-waiting">
            {order.items.map((item) => (
              <li key={item.id} data-tone={item.state === 'missing' ? 'wait' : undefined}>
                {item.quantity} × {item.title}
                {ITEMS[item.state] === undefined ? '' : ` · ${ITEMS[item.state]}`}
                {item.entered.length === 0 && (order.order === null || item.line === null) ? null : (
                  <Suspense fallback={null}>
                    <Entered item={item} order={order.order} mayPreview={mayAnswer} />
                  </Suspense>
                )}
              </li>
            ))}
          </ul>
          {isCorrecting && order.shipping_address !== null ? (
            <CorrectAddress
              order={{ ...order, shipping_address: order.shipping_address }}
              onDone={() => {
                setCorrecting(false);
                onCorrected();
              }}
              onClose={() => setCorrecting(false)}
            />
          ) : mayAnswer && (order.actions.place || order.actions.ignore) ? (
            <div className="platen-buttons platen-below">
              {order.actions.place ? <Button onClick={() => onAnswer('place', order)}>Place now</Button> : null}
              {mayChange && order.actions.ignore_entries ? <IgnoreEntries order={order} onDone={onCorrected} /> : null}
              {order.actions.ignore ? (
                <Button variant="default" onClick={() => onAnswer('ignore', order)}>
                  Ignore
                </Button>
              ) : null}
              {order.actions.correct_address ? (
                <Button variant="default" onClick={() => setCorrecting(true)}>
                  Correct the address
                </Button>
              ) : null}
            </div>
          ) : null}
        </>
      )}
    </Answer>
  );
}

/** Has the shop hear of it once more, once what it refused is mended there. */
function ReportAgain({ id, onDone }: { id: string; onDone: () => void }) {
  const report = useMutation({
    mutationFn: () => call('reportShopOrderAgain', { path: { id } }),
    onSuccess: () => {
      notifyOf('It is reported to the shop again.');
      onDone();
    },
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={report.isPending} onClick={() => report.mutate()}>
        Report it again
      </Button>
      {report.error === null ? null : (
        <Text size="sm" role="alert" className="platen-note" component="div">
          {report.error.message}
        </Text>
      )}
    </>
  );
}

function recipientText({ name, city, postcode, country }: NonNullable<ShopOrder['recipient']>): string {
  return [name, city, postcode, country].filter((part) => part !== '').join(', ');
}
