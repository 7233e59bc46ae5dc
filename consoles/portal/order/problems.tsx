import { Button, Modal, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Confirm, type Question } from '../../shared/dialog/confirm.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import type { Order } from '../../shared/orders/status.tsx';
import { doneText, kindLabel, type OrderProblem, ProblemStatus, piecesText } from '../../shared/problems/words.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Countdown } from '../../shared/values/countdown.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { Picture } from '../../shared/values/picture.tsx';
import { ReportProblem } from './report-problem.tsx';

/** The problems of an order that was sent, what became of them, and where another is reported. */
export function Problems({ order }: { order: Order }) {
  return order.shipments.length === 0 ? null : <OfSent order={order} />;
}

function OfSent({ order }: { order: Order }) {
  const query = useQuery(reading('listOrderProblems', { path: { id: order.id } }));
  const [isReporting, setReporting] = useState(false);
  const { role } = useSession().session.user;
  const report = query.data?.actions.report;
  const canReport = report?.available === true && role !== 'reader';
  useCommands(
    canReport ? [{ id: 'report', label: 'Report a problem', group: 'Order', run: () => setReporting(true) }] : [],
  );
  return (
    <Panel
      title="Problems"
      aside={
        canReport ? (
          <Button variant="default" onClick={() => setReporting(true)}>
            Report a problem
          </Button>
        ) : null
      }
    >
      <Answer query={query} lines={2}>
        {({ data, actions }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No problem is reported.">
                {actions.report.until === null ? null : (
                  <>
                    {actions.report.available ? 'You can report one until' : 'One could be reported until'}{' '}
                    <Moment at={actions.report.until} />.
                  </>
                )}
              </Empty>
            ) : (
              <div className="platen-lines">
                {data.map((problem) => (
                  <Problem key={problem.id} problem={problem} mayChange={role !== 'reader'} />
                ))}
              </div>
            )}
          </>
        )}
      </Answer>
      <Modal opened={isReporting} onClose={() => setReporting(false)} title="Report a problem" size="lg">
        {report === undefined ? null : (
          <ReportProblem order={order} items={report.items} onDone={() => setReporting(false)} />
        )}
      </Modal>
    </Panel>
  );
}

const PHOTO_PX = 72;

function Problem({ problem, mayChange }: { problem: OrderProblem; mayChange: boolean }) {
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const { answer } = problem;
  const ask = (): void =>
    setQuestion({
      title: 'Withdraw this problem?',
      label: 'Withdraw it',
      act: async () => {
        await call('withdrawProblem', { path: { id: problem.id } });
        await queries.invalidateQueries({ queryKey: ['listOrderProblems'] });
      },
    });
  const said = answer === null ? '' : [doneText(problem), answer.message].filter((text) => text !== '').join(': ');
  return (
    <div className="platen-line platen-problem">
      <div className="platen-line-text">
        <Text size="sm" fw={600}>
          {kindLabel(problem.kind)} <ProblemStatus status={problem.status} />
        </Text>
        <Text size="sm" c="dimmed">
          {piecesText(problem)} · <Moment at={problem.reported_at} />
        </Text>
        <Text size="sm" mt={4} style={{ whiteSpace: 'pre-line' }}>
          {problem.text}
        </Text>
        {problem.photos.length === 0 ? null : (
          <div className="platen-buttons" style={{ marginTop: 6 }}>
            {problem.photos.map(({ url, thumbnail_url: thumbnail }, index) => (
              <a key={thumbnail} href={url} target="_blank" rel="noopener noreferrer">
                <Picture url={thumbnail} alt={`Photo ${index + 1}`} size={PHOTO_PX} />
              </a>
            ))}
          </div>
        )}
        {answer === null ? null : (
          <Text size="sm" mt={6} className="platen-answer">
            {answer.replacement === null ? null : (
              <>
                Made again as{' '}
                <Link href={`/orders/${answer.replacement.reference}`} className="platen-link platen-number">
                  {answer.replacement.reference}
                </Link>
                {': '}
              </>
            )}
            {said}
          </Text>
        )}
        {problem.status === 'open' ? (
          <Text size="sm" c="dimmed" mt={6}>
            To be answered within <Countdown until={problem.answer_due_at} />
          </Text>
        ) : null}
      </div>
      {problem.actions.withdraw.available && mayChange ? (
        <Button variant="default" size="compact-sm" onClick={ask}>
          Withdraw
        </Button>
      ) : null}
      <Confirm question={question} onClose={() => setQuestion(undefined)}>
        <Text size="sm">The shop answers it no more. Its pieces can be reported again.</Text>
      </Confirm>
    </div>
  );
}
