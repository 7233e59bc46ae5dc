import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Money } from '../../shared/values/money.tsx';
import { askAgain, BackPage, BackPanel } from './back.tsx';

/** Where the payment provider leads back to: says whether the money is there. */
export function MoneyReturnPage() {
  return (
    <BackPage title="Top-up" parameter="top_up" unnamed="This address names no top-up.">
      {(id, hasLeft) => <Returned id={id} hasLeft={hasLeft} />}
    </BackPage>
  );
}

function Returned({ id, hasLeft }: { id: string; hasLeft: boolean }) {
  const query = useQuery({ ...reading('lookAtTopUp', { path: { id } }), refetchInterval: askAgain(hasLeft) });
  return (
    <BackPanel title="Top-up by card" query={query} outcome={(topUp) => <Outcome topUp={topUp} hasLeft={hasLeft} />} />
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
