import { formatMoney } from '../../shared/values/money.tsx';
import { type Column, PARTS, scaleOf } from './chart-figures.ts';

/** Of one column, in units of the drawing, which is as wide as it has columns. */
const BAR = 0.76;

/** Bars of what was spent, in parts, and below zero of what came back. The table beside it has the same in words. */
export function Chart({ columns, label }: { columns: readonly Column[]; label: string }) {
  const { low, high, ticks } = scaleOf(columns);
  const yOf = (amount: number): number => high - amount;
  const days = [columns[0], columns[Math.floor((columns.length - 1) / 2)], columns.at(-1)];
  return (
    <>
      <ul className="platen-chart-parts" aria-hidden="true">
        {PARTS.map(([part, name], at) => (
          <li key={part}>
            <svg viewBox="0 0 1 1" aria-hidden="true">
              <rect width="1" height="1" data-part={at + 1} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
      <div className="platen-chart">
        <div className="platen-chart-scale" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ position: 'absolute', right: 0, top: `${(yOf(tick) / (high - low)) * 100}%` }}>
              {WHOLE.format(tick)}
            </span>
          ))}
          <span style={{ visibility: 'hidden' }}>{WHOLE.format(Math.max(high, -low) * -1)}</span>
        </div>
        <svg viewBox={`0 0 ${columns.length} ${high - low}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {ticks.map((tick) => (
            <line
              key={tick}
              x1="0"
              x2={columns.length}
              y1={yOf(tick)}
              y2={yOf(tick)}
              data-zero={tick === 0 ? true : undefined}
            />
          ))}
          {columns.map((column, at) => (
            <g key={column.name}>
              <title>{`${column.name}: ${formatMoney(column.total, 'GBP')}`}</title>
              {barsOf(column).map(({ part, from, to }) => (
                <rect key={part} x={at + (1 - BAR) / 2} width={BAR} y={yOf(to)} height={to - from} data-part={part} />
              ))}
            </g>
          ))}
        </svg>
        <div className="platen-chart-days" aria-hidden="true">
          {[...new Set(days.map((day) => day?.name))].map((name) => (
            <span key={name} className="platen-number">
              {name}
            </span>
          ))}
        </div>
      </div>
    </>
  );
}

const WHOLE = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP', maximumFractionDigits: 0 });

type Bar = { readonly part: number; readonly from: number; readonly to: number };

/** The bars of a column on one another, the refunds below zero. */
function barsOf(column: Column): Bar[] {
  const bars: Bar[] = [];
  let top = 0;
  for (const [at, [part]] of PARTS.entries()) {
    const amount = column[part];
    if (amount === 0) continue;
    if (part === 'refunds') {
      bars.push({ part: at + 1, from: -amount, to: 0 });
    } else {
      bars.push({ part: at + 1, from: top, to: top + amount });
      top += amount;
    }
  }
  return bars;
}
