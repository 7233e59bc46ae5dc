import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { type Input, saveList } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Page } from '../../shared/layout/page.tsx';
import {
  doneText,
  kindLabel,
  type OrderProblem,
  PROBLEM_STATUSES,
  ProblemStatus,
  piecesText,
  problemStatusLabel,
} from '../../shared/problems/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { keepTable, useAddressState } from '../../shared/table/address.ts';
import { CopySelected } from '../../shared/table/copy-selected.tsx';
import { TableMenus } from '../../shared/table/menus.tsx';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { type Column, Table } from '../../shared/table/table.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { Moment } from '../../shared/values/moment.tsx';

type Filters = NonNullable<Input<'listProblems'>['query']>;

const COLUMNS: readonly Column<OrderProblem>[] = [
  {
    title: 'Order',
    cell: ({ order }) => (
      <Link href={`/orders/${order.reference}`} className="platen-link platen-number">
        {order.reference}
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status }) => <ProblemStatus status={status} /> },
  {
    title: 'Problem',
    cell: (problem) => (
      <>
        <Text size="sm">{kindLabel(problem.kind)}</Text>
        <Text size="xs" c="dimmed">
          {piecesText(problem)}
        </Text>
      </>
    ),
  },
  { title: 'Answer', isMinor: true, cell: (problem) => <Said problem={problem} /> },
  { title: 'Reported', isMinor: true, cell: (problem) => <Moment at={problem.reported_at} /> },
];

function Said({ problem }: { problem: OrderProblem }) {
  const { status, answer } = problem;
  if (status === 'open') {
    return (
      <>
        due in <Countdown until={problem.answer_due_at} />
      </>
    );
  }
  if (answer === null) return null;
  if (answer.replacement !== null) {
    return (
      <>
        made again as{' '}
        <Link href={`/orders/${answer.replacement.reference}`} className="platen-link platen-number">
          {answer.replacement.reference}
        </Link>
      </>
    );
  }
  return doneText(problem) || answer.message;
}

/** The problems that the account has reported, the newest first. */
export function ProblemsPage() {
  const { get, set } = useAddressState();
  const status = get('status') as Filters['status'];
  const query = useQuery(reading('listProblems', { query: { status, cursor: get('cursor') } }));
  useCommands([
    ...[undefined, ...PROBLEM_STATUSES].map((each) => ({
      id: `status-${each ?? 'all'}`,
      label: each === undefined ? 'Problems of every status' : `Only problems: ${problemStatusLabel(each)}`,
      group: 'Problems',
      run: () => set({ status: each }),
    })),
    { id: 'refresh', label: 'Look again', group: 'Problems', keys: 'r', run: () => void query.refetch() },
  ]);
  return (
    <Page title="Problems">
      <section className="platen-panel">
        <Group px="md" py="xs" justify="space-between" gap="sm">
          <nav className="platen-tabs" aria-label="Status">
            {[undefined, ...PROBLEM_STATUSES].map((each) => (
              <Link
                key={each ?? 'all'}
                href={keepTable(each === undefined ? '/problems' : `/problems?status=${each}`)}
                aria-current={each === status ? 'page' : undefined}
              >
                {each === undefined ? 'All' : problemStatusLabel(each)}
              </Link>
            ))}
          </nav>
          <Group gap="xs">
            <SaveCsv group="Problems" save={() => saveList('listProblems', { query: { status } }, 'problems.csv')} />
            <TableMenus page="problems" columns={COLUMNS} />
          </Group>
        </Group>
        <Answer query={query} lines={6}>
          {({ data, next_cursor: nextCursor }) =>
            data.length === 0 ? (
              <Empty title={status === undefined ? 'No problem is reported.' : 'No problem is like this.'}>
                {status === undefined ? (
                  'If something arrives damaged or not at all, open its order and report it there.'
                ) : (
                  <Button variant="subtle" onClick={() => set({ status: undefined })}>
                    Show all problems
                  </Button>
                )}
              </Empty>
            ) : (
              <Table
                label="Problems"
                rows={data}
                idOf={({ id }) => id}
                nameOf={({ order, kind }) => `${order.reference}: ${kindLabel(kind)}`}
                columns={COLUMNS}
                nextCursor={nextCursor}
                isBusy={query.isPlaceholderData}
              >
                {({ rows, clear }) => (
                  <>
                    <CopySelected
                      what="order references"
                      lines={[...new Set(rows.map(({ order }) => order.reference))]}
                    />
                    <Button size="compact-sm" variant="subtle" onClick={clear}>
                      Select none
                    </Button>
                  </>
                )}
              </Table>
            )
          }
        </Answer>
      </section>
    </Page>
  );
}
