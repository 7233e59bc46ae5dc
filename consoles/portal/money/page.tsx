import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Reply } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { useCommands } from '../../shared/commands/registry.ts';
import { Page } from '../../shared/layout/page.tsx';
import { Panel } from '../../shared/layout/panel.tsx';
import { useSession } from '../../shared/session/session.tsx';
import { Answer } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { Money } from '../../shared/values/money.tsx';
import { Documents } from './documents.tsx';
import { LowBalance } from './low-balance.tsx';
import { Months } from './months.tsx';
import { OpenTopUps } from './open-top-ups.tsx';
import { SavedMethod } from './saved-method.tsx';
import { Spending } from './spending.tsx';
import { Statement } from './statement.tsx';
import { TopUp } from './top-up.tsx';
import { TopUps } from './top-ups.tsx';

const VIEWS = [
  ['statement', 'Statement'],
  ['documents', 'Invoices and credit notes'],
  ['months', 'By month'],
  ['spending', 'Spending'],
  ['top-ups', 'Top-ups by card'],
] as const;

const SHOWN = {
  statement: Statement,
  documents: Documents,
  months: Months,
  spending: Spending,
  'top-ups': TopUps,
} as const;

/** What one view is narrowed by says nothing to another. */
const NO_FILTER = { from: undefined, to: undefined, month: undefined, span: undefined, by: undefined };

/** The balance and what waits for it, a top-up by card, what moved, and the documents. */
export function MoneyPage() {
  const { role } = useSession().session.user;
  const { get, set } = useAddressState();
  const money = useQuery(reading('getMoney', {}));
  const mayTopUp = role === 'owner' || role === 'manager';
  const views = VIEWS.filter(([name]) => mayTopUp || name !== 'top-ups');
  const view = views.find(([name]) => name === get('view'))?.[0] ?? 'statement';
  const View = SHOWN[view];
  useCommands(
    views.map(([name, label]) => ({
      id: `view-${name}`,
      label: `Show: ${label}`,
      group: 'Money',
      run: () => set({ ...NO_FILTER, view: name === 'statement' ? undefined : name }),
    })),
  );
  return (
    <Page title="Money">
      <Answer query={money} lines={2}>
        {(value) => <Figures money={value} />}
      </Answer>
      {mayTopUp ? (
        <Panel title="Top up by card">
          <div className="platen-panel-body">
            <Answer query={money} lines={2}>
              {(value) => <TopUp money={value} />}
            </Answer>
          </div>
          <OpenTopUps topUps={money.data?.unpaid_top_ups ?? []} />
        </Panel>
      ) : null}
      <Panel title="Payment method">
        <SavedMethod mayChange={mayTopUp} />
      </Panel>
      <Panel title="Low balance">
        <div className="platen-panel-body">
          <LowBalance mayChange={mayTopUp} />
        </div>
      </Panel>
      <section className="platen-panel">
        <nav className="platen-tabs" aria-label="What is shown" style={{ padding: '0.5rem 1rem 0' }}>
          {views.map(([name, label]) => (
            <Link
              key={name}
              href={name === 'statement' ? '/money' : `/money?view=${name}`}
              aria-current={name === view ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
        </nav>
        <View />
      </section>
    </Page>
  );
}

function Figures({ money }: { money: Reply<'getMoney'> }) {
  const { balance, currency, waiting, to_free_all: missing, pending_refunds: refunds } = money;
  return (
    <div className="platen-tiles">
      <Figure title="Balance" amount={balance} currency={currency} />
      <Figure title="Orders that wait for it" amount={waiting.amount} currency={currency}>
        {waiting.orders === 0 ? (
          'No order waits for money.'
        ) : (
          <>
            {countOf(waiting)}.{' '}
            {missing === 0 ? (
              'The balance covers them.'
            ) : (
              <>
                <Money amount={missing} currency={currency} /> more frees all of them.
              </>
            )}
          </>
        )}
      </Figure>
      <Figure title="Refunds on their way" amount={refunds.amount} currency={currency}>
        {refunds.orders === 0 ? 'Nothing is to be paid back.' : `${countOf(refunds)}, to the card or the bank account.`}
      </Figure>
    </div>
  );
}

function countOf({ orders, is_at_least: isAtLeast }: Reply<'getMoney'>['waiting']): string {
  return `${isAtLeast ? 'More than ' : ''}${orders} ${orders === 1 ? 'order' : 'orders'}`;
}

function Figure({
  title,
  amount,
  currency,
  children,
}: {
  title: string;
  amount: number;
  currency: string;
  children?: ReactNode;
}) {
  return (
    <div className="platen-tile">
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <div className="platen-tile-figure">
        <Money amount={amount} currency={currency} />
      </div>
      {children === undefined ? null : (
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
