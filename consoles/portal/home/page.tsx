import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Money } from '../../shared/values/money.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsYou } from './needs-you.tsx';
import { OrderLines, SHOWN } from './order-lines.tsx';

/** What needs the customer, what is being made, and the balance. */
export function HomePage() {
  const balance = useQuery(reading('getBalance', {}));
  const home = useQuery(reading('getHome', {}));
  const making = useQuery(reading('listOrders', { query: { status: 'in_production', limit: SHOWN } }));
  // Only then is it worth asking whether the account has placed any order at all.
  const isQuiet = home.data !== undefined && Object.values(home.data.orders).every(({ count }) => count === 0);
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
        <Tile title="Pending" status="pending" query={home} />
        <Tile title="Confirmed" status="confirmed" query={home} />
        <Tile title="In production" status="in_production" query={home} />
      </div>
      <NeedsYou />
      <Panel title="In making">
        <Answer query={making}>
          {({ data }) =>
            data.length === 0 ? <Empty title="Nothing is in production right now." /> : <OrderLines orders={data} />
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
  status: keyof Reply<'getHome'>['orders'];
  query: ReturnType<typeof useQuery<Reply<'getHome'>>>;
}) {
  return (
    <Link href={`/orders?status=${status}`} className="platen-tile">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Answer query={query} lines={1}>
        {({ orders: { [status]: of } }) => (
          <div className="platen-tile-figure">{of.is_more ? `${of.count}+` : of.count}</div>
        )}
      </Answer>
    </Link>
  );
}
