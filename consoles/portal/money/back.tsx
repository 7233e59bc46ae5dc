import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';

/** The provider says at once what came of its page; it is asked again in case it does not. */
const ASK_AGAIN_MS = 3_000;
const ASKED_MAX = 20;

/** A page to which the payment provider leads back, with what the address names. */
export function BackPage({
  title,
  parameter,
  unnamed,
  children,
}: {
  title: string;
  parameter: string;
  unnamed: string;
  children: (id: string, hasLeft: boolean) => ReactNode;
}) {
  const { get } = useAddressState();
  const id = get(parameter);
  return (
    <Page title={title}>
      {id === undefined ? (
        <Empty title={unnamed}>
          <ToMoney />
        </Empty>
      ) : (
        children(id, get('left') !== undefined)
      )}
    </Page>
  );
}

/** What came of the provider's page, in words. */
export function BackPanel<Seen>({
  title,
  query,
  outcome,
}: {
  title: string;
  query: UseQueryResult<Seen>;
  outcome: (seen: Seen) => ReactNode;
}) {
  return (
    <Panel title={title}>
      <div className="platen-panel-body" role="status">
        <Answer query={query} lines={2}>
          {outcome}
        </Answer>
        <Text size="sm" mt="md">
          <ToMoney />
        </Text>
      </div>
    </Panel>
  );
}

type Asked = { readonly data: { readonly state: string } | undefined; readonly dataUpdateCount: number };

/** Asks again while it is open, for a person who has not left the provider's page. */
export function askAgain(hasLeft: boolean) {
  return ({ state: { data, dataUpdateCount } }: { readonly state: Asked }): number | false =>
    data?.state === 'open' && !hasLeft && dataUpdateCount < ASKED_MAX ? ASK_AGAIN_MS : false;
}

const ToMoney = () => <Link href="/money">To your money</Link>;
