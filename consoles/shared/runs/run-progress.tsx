import { Button, Text } from '@mantine/core';
import { Panel } from '../layout/panel.tsx';
import { isOver, type Run, type RunResult } from './run.ts';

/** How far a run is, and the result for each. */
export function RunProgress({
  run,
  doing,
  done,
  onStop,
  onClose,
}: {
  run: Run;
  /** `Cancelling 12 orders` */
  doing: string;
  /** `11 of 12 orders cancelled` */
  done: (good: number) => string;
  onStop?: () => void;
  onClose: () => void;
}) {
  const { total, results } = run;
  const over = isOver(run);
  const good = results.filter(({ isGood }) => isGood).length;
  const end = over ? (
    <Button size="compact-sm" variant="subtle" onClick={onClose}>
      Close
    </Button>
  ) : (
    onStop && (
      <Button size="compact-sm" variant="default" onClick={onStop}>
        Stop
      </Button>
    )
  );
  return (
    <Panel title={over ? done(good) : doing} aside={end}>
      <div className="platen-panel-body">
        <Text size="sm" role="status">
          {results.length} of {total} done{run.isStopped ? ', then it was stopped' : ''}
        </Text>
        <progress className="platen-progress" aria-label={doing} value={results.length} max={total} />
        {/* It is moved by keyboard, too. */}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls takes the focus */}
        <ul className="platen-problems platen-run" aria-label="Results" tabIndex={0}>
          {results.toSorted(refusedFirst).map(({ id, name, words, isGood }) => (
            <li key={id} data-loss={isGood ? undefined : true}>
              {name}: {words}
            </li>
          ))}
        </ul>
      </div>
    </Panel>
  );
}

function refusedFirst(one: RunResult, other: RunResult): number {
  return Number(one.isGood) - Number(other.isGood);
}
