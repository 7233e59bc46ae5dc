import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, download, type Reply } from '../../../shared/api/client.ts';
import { useCommands } from '../../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../../shared/dialog/confirm.tsx';
import { Panel } from '../../../shared/layout/panel.tsx';
import { Empty } from '../../../shared/states/answer.tsx';
import { Failure } from '../../../shared/states/failure.tsx';
import { SaveCsv } from '../../../shared/table/save-csv.tsx';
import { Moment } from '../../../shared/values/moment.tsx';

type Grant = Reply<'listOwnGrants'>['data'][number];

/** Apps, of this account or others, that people of the account have let in. */
export function Grants() {
  const query = useInfiniteQuery({
    queryKey: ['listOwnGrants'],
    queryFn: ({ pageParam, signal }) => call('listOwnGrants', { query: { cursor: pageParam } }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const [question, setQuestion] = useState<Question>();
  const askToRevoke = (grant: Grant): void =>
    setQuestion({
      title: `End the access of ${grant.client_name}?`,
      label: 'End its access',
      act: async () => {
        await call('revokeOwnGrant', { path: { id: grant.id } });
        await query.refetch();
      },
    });
  const grants = query.data?.pages.flatMap(({ data }) => data);
  useCommands(
    (grants ?? []).map((grant) => ({
      id: `end-${grant.id}`,
      label: `End the access of ${grant.client_name}`,
      group: 'Apps',
      run: () => askToRevoke(grant),
    })),
  );
  return (
    <Panel
      title="Apps that may use this account"
      aside={
        <SaveCsv
          group="Apps"
          list="the apps with access"
          save={() => download('listOwnGrants', {}, { mediaType: 'text/csv', name: 'apps-with-access.csv' })}
        />
      }
    >
      {query.error === null ? null : <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {grants?.length === 0 ? (
        <Empty title="No app may use this account.">An app asks a person of the account, who allows it.</Empty>
      ) : null}
      <div className="platen-lines">
        {grants?.map((grant) => (
          <div key={grant.id} className="platen-line">
            <div className="platen-line-text">
              <Text fw={600} size="sm">
                {grant.client_name}
              </Text>
              <Text size="sm">{grant.scopes.join(', ')}</Text>
              <Text size="sm" c="dimmed" component="div">
                Allowed by {grant.email}, <Moment at={grant.created_at} />
              </Text>
            </div>
            <Button
              variant="default"
              onClick={() => askToRevoke(grant)}
              aria-label={`End the access of ${grant.client_name}`}
            >
              End its access
            </Button>
          </div>
        ))}
      </div>
      {query.hasNextPage ? (
        <div className="platen-panel-body">
          <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
            Show more
          </Button>
        </div>
      ) : null}
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">Its tokens end within two seconds. To let it in again, a person has to allow it anew.</Text>
      </Confirm>
    </Panel>
  );
}
