import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';

/** The provider says at once whether it was saved; it is asked again in case it does not. */
const ASK_AGAIN_MS = 3_000;
const ASKED_MAX = 20;

/** Where the payment provider leads back to after a method: says whether it is saved. */
export function MethodSavedPage() {
  const { get } = useAddressState();
  const id = get('saving');
  return (
    <Page title="Payment method">
      {id === undefined ? (
        <Empty title="This address names no payment method.">
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
    ...reading('lookAtSaving', { path: { id } }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      data?.state === 'open' && !hasLeft && dataUpdateCount < ASKED_MAX ? ASK_AGAIN_MS : false,
  });
  return (
    <Panel title="Payment method">
      <div className="platen-panel-body" role="status">
        <Answer query={query} lines={2}>
          {(saving) => <Outcome saving={saving} hasLeft={hasLeft} />}
        </Answer>
        <Text size="sm" mt="md">
          <Link href="/money">To your money</Link>
        </Text>
      </div>
    </Panel>
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
