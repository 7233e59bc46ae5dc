import { isoTime } from '../../lib/clock.ts';
import type { Lacking } from '../../privacy/exports/exports-sql.ts';
import { listExports } from '../../privacy/exports/list-exports.ts';
import { type DryRunRow, dryRun } from '../../privacy/retention/dry-run.ts';
import { retentionView } from '../../privacy/retention/ops-schema.ts';
import { sweepNow } from '../../privacy/retention/sweep.ts';
import { type Listed, printList } from '../access-commands.ts';
import { type Output, withContext } from '../commands.ts';
import { printResult } from '../report.ts';

/** `platen retention` */
export async function runRetention(options: Output & { dryRun?: boolean }): Promise<void> {
  await withContext('migrated', async (ctx) => {
    if (options.dryRun === true) {
      const rows = await dryRun(ctx, Number.POSITIVE_INFINITY);
      printResult(options, { would_go: rows.map(retentionView) }, dryRunLines(rows));
      return;
    }
    const progress = retentionProgress();
    const dropped = await sweepNow(ctx, { onBatch: progress.add });
    progress.end();
    const gone = [...dropped].map(([kind, count]) => ({ kind, count }));
    const some = gone.filter(({ count }) => count > 0);
    printResult(
      options,
      { gone },
      some.length === 0
        ? ['Nothing has reached the end of its time.']
        : some.map(({ kind, count }) => `${kind}: ${count} gone`),
    );
  });
}

/** `platen exports` */
export async function listLackingExports(options: Listed & { lacking?: Lacking }): Promise<void> {
  await printList(
    options,
    'exports',
    (ctx, part) => listExports(ctx, { ...part, lacking: options.lacking }),
    ({ reference, country_code: country, territory, due_at: dueAt, is_overdue: isOverdue, lacking }) =>
      `${reference}  ${country} (${territory})  ${isOverdue ? 'OVERDUE since' : 'due'} ${dueAt.slice(0, 10)}  lacks ${lacking.join(', ')}`,
  );
}

function dryRunLines(rows: readonly DryRunRow[]): string[] {
  const some = rows.filter(({ count }) => count > 0);
  if (some.length === 0) return ['Nothing would go.'];
  return some.map(
    ({ kind, count, oldestAt }) =>
      `${kind}: ${count} would go, the oldest of ${oldestAt === null ? 'unknown' : isoTime(oldestAt)}`,
  );
}

const TERMINAL_MS = 200;
const LOG_MS = 30_000;

/**
 * Shows how many of each kind went, on standard error.
 * One line on a terminal, elsewhere a line each half minute.
 */
function retentionProgress(stream: NodeJS.WriteStream = process.stderr): {
  readonly add: (kind: string, dropped: number) => void;
  readonly end: () => void;
} {
  const everyMs = stream.isTTY ? TERMINAL_MS : LOG_MS;
  let shownMs = performance.now();
  let of = '';
  let sum = 0;
  return {
    add: (kind, dropped) => {
      sum = kind === of ? sum + dropped : dropped;
      of = kind;
      if (performance.now() - shownMs < everyMs) return;
      shownMs = performance.now();
      stream.write(stream.isTTY ? `\r\u001B[K${kind}: ${sum} gone` : `${kind}: ${sum} gone\n`);
    },
    end: () => {
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}
