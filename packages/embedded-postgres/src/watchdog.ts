import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { serverEnvironment } from './cluster.ts';
import type { RunAs } from './install.ts';
import type { Log } from './log.ts';
import { reasonOf } from './reason.ts';

export type Watchdog = {
  /** From now on, when this process dies, that server is shut down. */
  readonly guard: (pid: number) => void;
  readonly unguard: () => void;
  readonly end: () => Promise<void>;
};

/**
 * Reads process ids, one a line, and shuts the last one down at the end of input.
 * An empty line stands for none. Its input is a pipe from the service, which the system closes when the service dies,
 * even by `kill -9`.
 */
const SCRIPT = 'while read -r line; do pid=$line; done; [ -z "$pid" ] || kill -INT "$pid"';

/**
 * Starts the watchdog: a shell of a few hundred kilobytes in a session of its own.
 * It runs as the server's user, so that it can end nothing else. It gets the id from the parent that reaps the process,
 * so it never signals an id that has been reused.
 */
export function startWatchdog(runAs: RunAs, log: Log): Watchdog {
  const child = spawn('/bin/sh', ['-c', `pid=; ${SCRIPT}`], {
    ...runAs,
    cwd: '/',
    env: serverEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  let isEnding = false;
  const exited = new Promise<void>((resolve) => {
    const lost = (reason: string): void => {
      if (!isEnding) log.warn({ reason }, 'the watchdog of PostgreSQL ended; a killed service would leave it running');
      resolve();
    };
    child.once('error', (error) => lost(reasonOf(error)));
    child.once('exit', (code, signal) => lost(signal ?? `exit ${code}`));
  });
  // Writing to a dead watchdog: reported above.
  child.stdin.on('error', () => {});
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return {
    guard: (pid) => child.stdin.write(`${pid}\n`),
    unguard: () => child.stdin.write('\n'),
    end: async () => {
      isEnding = true;
      child.ref();
      child.stdin.end('\n');
      await exited;
    },
  };
}
