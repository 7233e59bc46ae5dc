import { fstatSync, write, writeSync } from 'node:fs';
import { countLogLine } from '../metrics/log-lines.ts';

/** Where log lines go. */
export type LogSink = {
  /** Takes a line with its end; never blocks. */
  readonly write: (line: string) => void;
  /** Writes what can be written at once and drops the rest: the process is about to end. */
  readonly end: () => void;
};

/** How much may wait for a stalled reader: some ten thousand lines. */
const WAITING_CHARACTERS_MAX = 4 * 1024 * 1024;
/** A full pipe is tried again soon, since its reader may only be slow, and then less and less often. */
const RETRY_FIRST_MS = 1;
const RETRY_MAX_MS = 100;

/**
 * Writes lines to a file descriptor and never waits for its reader (bad input N216).
 * One write runs at a time and later lines queue. Beyond `charactersMax` lines are dropped and
 * counted; a line reports the count once there is room again. A reader that has gone, or a full disk,
 * costs the lines and nothing else. No queued line keeps the process alive.
 */
export function openLogSink(fd: number, charactersMax = WAITING_CHARACTERS_MAX): LogSink {
  if (fd === 2) makeNonBlocking(fd);
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let dropped = 0;
  /** What the write in progress, or its retry, still has to write. */
  let rest: Buffer | undefined;
  let isWithSystem = false;
  let retryMs = RETRY_FIRST_MS;

  const begin = (): void => {
    if (rest !== undefined || waiting.length === 0) return;
    if (dropped > 0) waiting.push(droppedLine(dropped));
    rest = Buffer.from(waiting.join(''));
    waiting = [];
    waitingCharacters = 0;
    dropped = 0;
    send(rest);
  };
  const send = (bytes: Buffer): void => {
    isWithSystem = true;
    write(fd, bytes, (error, written) => {
      isWithSystem = false;
      if (error !== null && error.code === 'EAGAIN') {
        setTimeout(send, retryMs, bytes).unref();
        retryMs = Math.min(2 * retryMs, RETRY_MAX_MS);
        return;
      }
      retryMs = RETRY_FIRST_MS;
      rest = error === null && written < bytes.length ? bytes.subarray(written) : undefined;
      if (rest === undefined) begin();
      else send(rest);
    });
  };

  return {
    write: (line) => {
      if (waitingCharacters + line.length > charactersMax) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      waitingCharacters += line.length;
      begin();
    },
    end: () => {
      // The system writes what it already has.
      const left = isWithSystem || rest === undefined ? '' : rest.toString();
      if (dropped > 0) waiting.push(droppedLine(dropped));
      writeWithoutWaiting(fd, Buffer.from(left + waiting.join('')));
      waiting = [];
      rest = undefined;
    },
  };
}

/**
 * Makes a pipe or socket non-blocking.
 * A write to a full pipe would otherwise block a thread, and the end of the process with it, until
 * something reads. Node.js makes them non-blocking when `process.stderr` is first read. Writes to
 * files and terminals do not depend on a reader.
 */
function makeNonBlocking(fd: 2): void {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) process.stderr.on('error', () => {});
}

function writeWithoutWaiting(fd: number, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch {
    // The reader has gone or nothing more fits: the line cannot be reported anywhere.
  }
}

function droppedLine(dropped: number): string {
  const msg = 'lines of the log were dropped: they were not read in time';
  countLogLine('warn', msg);
  const fields = { level: 'warn', time: new Date().toISOString(), dropped, msg };
  return `${JSON.stringify(fields)}\n`;
}
