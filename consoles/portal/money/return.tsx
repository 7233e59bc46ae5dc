import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Money } from '../../shared/values/money.tsx';

/** The provider says at once whether it was paid; it is asked again in case it does not. */
const ASK_AGAIN_MS = 3_000;
const ASKED_MAX = 20;

/** Where the payment provider leads back to: says whether the money is there. */
export function MoneyReturnPage() {
  const { get } = useAddressState();
  const id = get('top_up');
  return (
    <Page title="Top-up">
      {id === undefined ? (
        <Empty title="This address names no top-up.">
          <Link href="/money">To your money</Link>
        </Empty>
      ) : (
        <Returned id={id} hasLeft={get('left') !== undefined} />
      )}
    </Page>
  );
}

function Returned({ id, hasLeft }: { id: string; hasLeft: boolean }) {
  const query = useQuery({
    ...reading('lookAtTopUp', { path: { id } }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.state === 'open' && !hasLeft && dataUpdateCount < ASKED_MAX ? ASK_AGAIN_MS : false,
  });
  return (
    <Panel title="Top-up by card">
      <div className="platen-panel-body" role="status">
        <Answer query={query} lines={2}>
          {(topUp) => <Outcome topUp={topUp} hasLeft={hasLeft} />}
        </Answer>
        <Text size="sm" mt="md">
          <Link href="/money">To your money</Link>
        </Text>
      </div>
    </Panel>
  );
}

function Outcome({ topUp, hasLeft }: { topUp: Reply<'lookAtTopUp'>; hasLeft: boolean }) {
  const amount = <Money amount={topUp.amount} currency={topUp.currency} />;
  if (topUp.state === 'paid')
    return <Text>{amount} is on your balance. Orders that it covers go on by themselves.</Text>;
  if (topUp.state !== 'open') return <Text>Nothing was taken, and the page for this payment has ended.</Text>;
  if (!hasLeft)
    return <Text>The payment of {amount} is not confirmed yet. It is on your balance as soon as it is.</Text>;
  return (
    <Text>
      You have left the page, and nothing was taken.{' '}
      {topUp.pay_url === null ? null : <Anchor href={topUp.pay_url}>Pay {amount} after all</Anchor>}
    </Text>
  );
}
