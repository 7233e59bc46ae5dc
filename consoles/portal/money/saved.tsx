import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { askAgain, BackPage, BackPanel } from './back.tsx';

/** Where the payment provider leads back to after a method: says whether it is saved. */
export function MethodSavedPage() {
  return (
    <BackPage title="Payment method" parameter="saving" unnamed="This address names no payment method.">
      {(id, hasLeft) => <Returned id={id} hasLeft={hasLeft} />}
    </BackPage>
  );
}

function Returned({ id, hasLeft }: { id: string; hasLeft: boolean }) {
  const query = useQuery({ ...reading('lookAtSaving', { path: { id } }), refetchInterval: askAgain(hasLeft) });
  return (
    <BackPanel
      title="Payment method"
      query={query}
      outcome={(saving) => <Outcome saving={saving} hasLeft={hasLeft} />}
    />
  );
}

function Outcome({ saving, hasLeft }: { saving: Reply<'lookAtSaving'>; hasLeft: boolean }) {
  const what = saving.kind === 'card' ? 'card' : 'direct debit';
  if (saving.state === 'saved') return <Text>Your {what} is saved. Orders that waited are charged to it.</Text>;
  if (saving.state === 'ended') return <Text>Nothing was saved, and the page for it has ended.</Text>;
  if (!hasLeft) return <Text>The payment provider has not confirmed your {what} yet.</Text>;
  return (
    <Text>
      You have left the page, and nothing was saved.{' '}
      {saving.page_url === null ? null : <Anchor href={saving.page_url}>Save it after all</Anchor>}
    </Text>
  );
}
