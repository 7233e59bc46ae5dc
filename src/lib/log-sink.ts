import { fstatSync, write, writeSync } from 'node:fs';

/** Where the lines of the log go. */
export type LogSink = {
  /** Takes a line with its end; never waits. */
  readonly write: (line: string) => void;
  /** Writes what can be written at once and forgets the rest: the process is about to end. */
  readonly end: () => void;
};

/** What may wait for a reader that does not read: some ten thousand lines. */
const WAITING_CHARACTERS_MAX = 4 * 1024 * 1024;
/** A pipe that is full is tried again soon, for its reader may only be slow, and then less and less often. */
const RETRY_FIRST_MS = 1;
const RETRY_MAX_MS = 100;

/**
 * Writes lines to a file descriptor without ever making anybody wait for whoever reads them (bad input N216): one write is under
 * way at a time, what comes meanwhile waits, and beyond `charactersMax` it is dropped and counted; a line says how many when there is
 * room again. A reader that went away, or a full disk, costs the lines and nothing else. No line that waits keeps the process alive.
 */
export function openLogSink(fd: number, charactersMax = WAITING_CHARACTERS_MAX): LogSink {
  if (fd === 2) refuseToBlock(fd);
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let dropped = 0;
  /** What the write under way, or the next try of it, still has to write. */
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
      // What is with the system is written by it.
      const left = isWithSystem || rest === undefined ? '' : rest.toString();
      if (dropped > 0) waiting.push(droppedLine(dropped));
      writeWhatGoes(fd, Buffer.from(left + waiting.join('')));
      waiting = [];
      rest = undefined;
    },
  };
}

/**
 * A write to a full pipe would hold a thread for as long as nobody reads, and the end of the process with it. Node.js opens pipes
 * and sockets as ones that say "later" instead, when they are asked for by name; writes to files and terminals do not hang on a reader.
 */
function refuseToBlock(fd: 2): void {
  const stats = fstatSync(fd);
  if (stats.isFIFO() || stats.isSocket()) process.stderr.on('error', () => {});
}

function writeWhatGoes(fd: number, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch {
    // Nobody reads, or nothing more fits: there is nobody left to tell.
  }
}

function droppedLine(dropped: number): string {
  const fields = {
    level: 'warn',
    time: new Date().toISOString(),
    dropped,
    msg: 'lines of the log were dropped: they were not read in time',
  };
  return `${JSON.stringify(fields)}\n`;
}
