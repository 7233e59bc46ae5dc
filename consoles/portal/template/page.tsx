import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { Page } from '../../shared/layout/page.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Designer } from './designer.tsx';

/** The designer of a personalised product. */
export function TemplatePage({ id }: { id: string }) {
  const { role } = useSession().session.user;
  const [loads, setLoads] = useState(0);
  // What was saved is in the designer alone; coming back reads it anew.
  const query = useQuery({
    queryKey: ['getTemplate', id, loads],
    queryFn: ({ signal }) => call('getTemplate', { path: { id } }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const mayChange = (role === 'owner' || role === 'manager') && query.data?.status !== 'archived';
  if (query.data === undefined) {
    return (
      <Page title="Personalised product">
        <Answer query={query} lines={8}>
          {() => null}
        </Answer>
      </Page>
    );
  }
  const { data: template } = query;
  if (template.areas.length === 0) {
    return (
      <Page title={template.name}>
        <Empty title="There is nothing to print on.">The base product has no print area.</Empty>
      </Page>
    );
  }
  return (
    <Designer
      key={loads}
      template={template}
      mayChange={mayChange}
      onLoadAgain={() => setLoads((before) => before + 1)}
    />
  );
}
