import { Group, NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { download, type Reply, serviceNowMs } from '../../shared/api/client.ts';
import { reading } from '../../shared/api/queries.ts';
import { Answer, Empty } from '../../shared/states/answer.tsx';
import { useAddressState } from '../../shared/table/address.ts';
import { SaveCsv } from '../../shared/table/save-csv.tsx';
import { formatMoney, Money } from '../../shared/values/money.tsx';
import { Chart } from './chart.tsx';
import { type Column, columnsOf, PARTS } from './chart-figures.ts';

const DAY_MS = 86_400_000;
const SPANS = [
  ['30', 'The last 30 days'],
  ['90', 'The last 90 days'],
  ['365', 'The last 365 days'],
] as const;

/** What was spent in the last days, as bars and as a table, by day or by month. */
export function Spending() {
  const { get, set } = useAddressState();
  const span = SPANS.find(([days]) => days === get('span'))?.[0] ?? '30';
  const by = get('by') === 'month' ? 'month' : 'day';
  // The end is left to the service, whose days they are.
  const query = useQuery(reading('getSpending', { query: { from: daysAgo(Number(span) - 1) } }));
  const save = (): Promise<void> => {
    const input = { query: { from: daysAgo(Number(span) - 1) } };
    return download('getSpending', input, { mediaType: 'text/csv', name: 'spending.csv' });
  };
  return (
    <>
      <Group px="md" py="sm" gap="sm" align="end">
        <NativeSelect
          size="sm"
          label="Time"
          value={span}
          data={SPANS.map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => set({ span: currentTarget.value })}
        />
        <nav className="platen-tabs" aria-label="A bar for each">
          {(['day', 'month'] as const).map((one) => (
            <Link
              key={one}
              href={`/money?view=spending&span=${span}&by=${one}`}
              aria-current={one === by ? 'page' : undefined}
            >
              {one === 'day' ? 'By day' : 'By month'}
            </Link>
          ))}
        </nav>
        <SaveCsv group="Money" list="the spending" save={save} />
      </Group>
      <Answer query={query} lines={8}>
        {(spending) =>
          spending.data.length === 0 ? (
            <Empty title="Nothing was spent in this time.">
              What you spend is shown once an order is paid and its invoice is issued, a minute or two later.
            </Empty>
          ) : (
            <Spent spending={spending} by={by} />
          )
        }
      </Answer>
    </>
  );
}

function Spent({ spending, by }: { spending: Reply<'getSpending'>; by: 'day' | 'month' }) {
  const { from, to, sum, currency, is_complete: isComplete } = spending;
  const columns = columnsOf(spending, by);
  const label = `What was spent by ${by} from ${from} to ${to}: ${formatMoney(sum.total, currency)} in all. The table below has the figures.`;
  return (
    <div className="platen-panel-body">
      <Text size="sm" mb="sm">
        <Money amount={sum.total} currency={currency} /> from {from} to {to}
        {sum.refunds === 0 ? '' : `, after refunds of ${formatMoney(sum.refunds, currency)}`}.
        {isComplete ? '' : ' Documents of the last moments are not in it yet.'}
      </Text>
      <Chart columns={columns} label={label} />
      <details style={{ marginTop: '1rem' }}>
        <summary>The figures as a table</summary>
        {/* It can be wider than a phone, and is reached by keyboard then. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section style={{ overflowX: 'auto' }} tabIndex={0} aria-label="Figures">
          <Figures columns={columns} by={by} currency={currency} />
        </section>
      </details>
    </div>
  );
}

function Figures({ columns, by, currency }: { columns: readonly Column[]; by: 'day' | 'month'; currency: string }) {
  const spent = columns.filter((column) => PARTS.some(([part]) => column[part] !== 0));
  return (
    <table className="platen-table" aria-label={`What was spent by ${by}`}>
      <thead>
        <tr>
          <th scope="col">{by === 'day' ? 'Day' : 'Month'}</th>
          {PARTS.map(([part, name]) => (
            <th key={part} scope="col" className="platen-number-column">
              {name}
            </th>
          ))}
          <th scope="col" className="platen-number-column">
            Together
          </th>
        </tr>
      </thead>
      <tbody>
        {spent.map((column) => (
          <tr key={column.name}>
            <th scope="row" className="platen-number">
              {column.name}
            </th>
            {PARTS.map(([part]) => (
              <td key={part} className="platen-number-column">
                <Money amount={part === 'refunds' ? 0 - column[part] : column[part]} currency={currency} />
              </td>
            ))}
            <td className="platen-number-column">
              <Money amount={column.total} currency={currency} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A day in UTC, which is at most one from the seller's: the longest time is a day shorter than what can be read. */
function daysAgo(days: number): string {
  return new Date(serviceNowMs() - days * DAY_MS).toISOString().slice(0, 10);
}
