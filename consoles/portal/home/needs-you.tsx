import { Group, Text } from '@mantine/core';
import { IconFlag, IconInbox, IconWallet, IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Panel } from '../../shared/layout/panel.tsx';
import { doneText, kindLabel, type OrderProblem, ProblemStatus } from '../../shared/problems/words.tsx';
import {
  inboxOf,
  isForPerson,
  manyOrders,
  reasonWords,
  type Shop,
  waitingForPerson,
} from '../../shared/shops/words.tsx';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { Moment } from '../../shared/values/moment.tsx';
import { formatMoney } from '../../shared/values/money.tsx';
import { OrderLines, SHOWN } from './order-lines.tsx';

type Home = Reply<'getHome'>;

/** What waits for a person of the account, each with the way to where it is mended. */
export function NeedsYou() {
  const home = useQuery(reading('getHome', {}));
  const blocked = useQuery(reading('listOrders', { query: { blocked_by: 'anything', limit: SHOWN } }));
  const shops = useQuery(reading('listChannels', {}));
  const waiting = (shops.data?.data ?? []).filter((shop) => waitingForPerson(shop) > 0);
  return (
    <Panel title="Needs you">
      <Answer query={home}>
        {({ answered_problems: problems, has_more_answered: hasMore, troubled_webhooks: webhooks, money }) => {
          const { stopped_top_ups: stopped, low_balance: low } = money;
          const isQuiet = waiting.length + problems.length + webhooks.length === 0 && stopped === null && low === null;
          return (
            <>
              {stopped === null ? null : <StoppedTopUps stopped={stopped} />}
              {low === null ? null : <LowBalance low={low} />}
              {webhooks.length === 0 ? null : <Webhooks webhooks={webhooks} />}
              {waiting.length === 0 ? null : <Shops shops={waiting} />}
              {problems.length === 0 ? null : <Problems problems={problems} hasMore={hasMore} />}
              <Answer query={blocked}>
                {({ data, has_more: hasMoreBlocked }) => (
                  <>
                    {data.length === 0 ? null : <OrderLines orders={data} />}
                    {hasMoreBlocked ? (
                      <div className="platen-panel-body">
                        <Link href="/orders?blocked_by=anything" className="platen-link">
                          All orders that need you
                        </Link>
                      </div>
                    ) : null}
                    {isQuiet && data.length === 0 ? <Empty title="Nothing waits for you." /> : null}
                  </>
                )}
              </Answer>
            </>
          );
        }}
      </Answer>
    </Panel>
  );
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="platen-lines">
      <div className="platen-line">
        {icon}
        <div className="platen-line-text">{children}</div>
      </div>
    </div>
  );
}

function StoppedTopUps({ stopped: { reason, threshold } }: { stopped: NonNullable<Home['money']['stopped_top_ups']> }) {
  return (
    <Line icon={<IconWallet size={28} aria-hidden className="platen-line-icon" />}>
      <Link href="/money" className="platen-link">
        Automatic top-ups have stopped
      </Link>
      <Text size="sm" c="dimmed">
        {reason === '' ? 'The card was refused.' : reason} The balance is not topped up below{' '}
        {formatMoney(threshold, 'GBP')} any more.
      </Text>
    </Line>
  );
}

function LowBalance({ low: { threshold } }: { low: NonNullable<Home['money']['low_balance']> }) {
  return (
    <Line icon={<IconWallet size={28} aria-hidden className="platen-line-icon" />}>
      <Link href="/money" className="platen-link">
        The balance is below {formatMoney(threshold, 'GBP')}
      </Link>
      <Text size="sm" c="dimmed">
        Orders that it does not cover wait for money.
      </Text>
    </Line>
  );
}

/** Webhooks that the service has disabled, or whose receivers fail. */
function Webhooks({ webhooks }: { webhooks: Home['troubled_webhooks'] }) {
  return webhooks.map(({ id, url, description, active, failing_since: since }) => (
    <Line key={id} icon={<IconWebhook size={28} aria-hidden className="platen-line-icon" />}>
      <Group gap="xs">
        <Link href={`/developers/webhooks/${id}`} className="platen-link">
          {description === '' ? new URL(url).hostname : description}
        </Link>
        <span className="platen-status" data-tone={active ? 'wait' : 'bad'}>
          {active ? 'Failing' : 'Disabled'}
        </span>
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {active ? 'This webhook fails' : 'Nothing is sent to this webhook any more: it failed too often'}
        {since === null ? null : (
          <>
            , since <Moment at={since} />
          </>
        )}
        .
      </Text>
    </Line>
  ));
}

/** Connected shops with orders that wait for a person, and why. */
function Shops({ shops }: { shops: readonly Shop[] }) {
  return (
    <div className="platen-lines">
      {shops.map((shop) => (
        <div key={shop.id} className="platen-line">
          <IconInbox size={28} aria-hidden className="platen-line-icon" />
          <div className="platen-line-text">
            <Link href={inboxOf(shop.id, 'waiting')} className="platen-link">
              {manyOrders(waitingForPerson(shop))} of {shop.name}
            </Link>
            {shop.waiting
              .filter(({ reason }) => isForPerson(reason))
              .map(({ reason, orders }) => (
                <Text key={reason} size="sm" c="dimmed">
                  {orders} × {reasonWords(reason)}
                </Text>
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Problems that the shop has answered, and how. */
function Problems({ problems, hasMore }: { problems: readonly OrderProblem[]; hasMore: boolean }) {
  return (
    <div className="platen-lines">
      {problems.map((problem) => (
        <div key={problem.id} className="platen-line">
          <IconFlag size={28} aria-hidden className="platen-line-icon" />
          <div className="platen-line-text">
            <Group gap="xs">
              <Link href={`/orders/${problem.order.reference}`} className="platen-link platen-number">
                {problem.order.reference}
              </Link>
              <ProblemStatus status={problem.status} />
            </Group>
            <Text size="sm" c="dimmed">
              {kindLabel(problem.kind)}: {doneText(problem) || problem.answer?.message}
            </Text>
          </div>
          {problem.ended_at === null ? null : (
            <Text size="xs" c="dimmed">
              answered <Moment at={problem.ended_at} />
            </Text>
          )}
        </div>
      ))}
      {hasMore ? (
        <div className="platen-line">
          <Link href="/problems" className="platen-link">
            All problems
          </Link>
        </div>
      ) : null}
    </div>
  );
}
