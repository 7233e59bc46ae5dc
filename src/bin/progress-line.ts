import type { Progress } from '../backup/progress.ts';

const TERMINAL_MS = 200;
const LOG_MS = 30_000;
const GB = 1_000_000_000;

/**
 * Shows how far a long command has come, on standard error.
 * On a terminal it is one line that is written anew; elsewhere (a log) a line each half minute, so a short command
 * writes none.
 */
export function progressLine(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr,
  nowMs: () => number = () => performance.now(),
): Progress {
  const everyMs = stream.isTTY ? TERMINAL_MS : LOG_MS;
  let step = '';
  let bytes = 0;
  let ofBytes: number | undefined;
  let shownMs = nowMs();
  const show = (): void => {
    const part = ofBytes === undefined || ofBytes === 0 ? '' : ` of ${inGb(ofBytes)}`;
    const line = bytes === 0 ? step : `${step}: ${inGb(bytes)}${part}`;
    stream.write(stream.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
    shownMs = nowMs();
  };
  const showWhenDue = (): void => {
    if (nowMs() - shownMs >= everyMs) show();
  };
  return {
    begin: (next) => {
      step = next;
      bytes = 0;
      ofBytes = undefined;
      if (stream.isTTY) show();
      else showWhenDue();
    },
    add: (more, of) => {
      bytes += more;
      ofBytes = of ?? ofBytes;
      showWhenDue();
    },
    end: () => {
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}

function inGb(bytes: number): string {
  return `${(bytes / GB).toFixed(2)} GB`;
}
