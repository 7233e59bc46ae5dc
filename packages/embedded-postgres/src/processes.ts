import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Log } from './log.ts';

/**
 * Returns the name that every process of a data directory's server has in its command line.
 * It is the `cluster_name`. It is made of the directory's device and inode, so a copy of a directory has another name
 * and never ends the original's server.
 */
export async function serverMark(dataDir: string): Promise<string> {
  const { dev, ino } = await stat(dataDir, { bigint: true });
  return `platen-${dev.toString(36)}-${ino.toString(36)}`;
}

/**
 * A process with a mark.
 * A `server` shuts down on SIGINT; a `child` of a dead server ends only on SIGQUIT.
 */
export type MarkedProcess = { readonly pid: number; readonly kind: 'server' | 'child' };

/**
 * Lists the living processes with this mark.
 * That is servers, their children, and an initdb that was left behind. Command lines are readable where working
 * directories are not (root in a container without CAP_SYS_PTRACE). A zombie has none.
 */
export async function markedProcesses(mark: string): Promise<MarkedProcess[]> {
  const commands = process.platform === 'linux' ? await commandsInProc() : await commandsByPs();
  return commands.flatMap(({ pid, command }): MarkedProcess[] => {
    if (command.startsWith(`postgres: ${mark}: `)) return [{ pid, kind: 'child' }];
    const isOurs = command.includes(` cluster_name=${mark} `) && /\/bin\/(postgres|initdb) /.test(command);
    return isOurs ? [{ pid, kind: 'server' }] : [];
  });
}

const SHUTDOWN_MS = 10_000;
const QUIT_MS = 3_000;
const KILL_MS = 3_000;
const POLL_MS = 20;

/**
 * Ends what a killed service or server left running, and waits until it is gone.
 * Fast shutdown first, then immediate, then SIGKILL. What was committed survives each. Throws when even that does not
 * end it. The caller holds the claim on the data directory.
 */
export async function endMarkedProcesses(mark: string, log: Log): Promise<void> {
  const startedAt = Date.now();
  let lastStep = '';
  for (;;) {
    const left = await markedProcesses(mark);
    if (left.length === 0) return;
    const servers = left.filter(({ kind }) => kind === 'server');
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs > SHUTDOWN_MS + QUIT_MS + KILL_MS) {
      throw new Error(`A PostgreSQL left by an earlier run does not end; end process ${left[0]?.pid} and start again`);
    }
    const step =
      elapsedMs > SHUTDOWN_MS + QUIT_MS
        ? { name: 'kill', signal: 'SIGKILL' as const, targets: left }
        : servers.length === 0 || elapsedMs > SHUTDOWN_MS
          ? { name: 'quit', signal: 'SIGQUIT' as const, targets: left }
          : { name: 'shutdown', signal: 'SIGINT' as const, targets: servers };
    if (step.name !== lastStep) {
      lastStep = step.name;
      log.warn({ pids: step.targets.map(({ pid }) => pid), signal: step.signal }, 'ending a PostgreSQL left running');
      for (const { pid } of step.targets) signalIfAlive(pid, step.signal);
    }
    await sleep(POLL_MS);
  }
}

/** Sends a signal (0 only checks). False when there is no such process or it is another user's. */
export function signalIfAlive(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

type Command = { readonly pid: number; readonly command: string };

async function commandsInProc(): Promise<Command[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map(async (pid) => {
      // A process that ends meanwhile has no command line to read.
      const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return { pid: Number(pid), command: `${text.replaceAll('\0', ' ')} ` };
    }),
  );
  return commands;
}

const PS_OUTPUT_BYTES_MAX = 16 * 1024 * 1024;
const PS_TIMEOUT_MS = 5_000;

async function commandsByPs(): Promise<Command[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,command='], {
    timeout: PS_TIMEOUT_MS,
    maxBuffer: PS_OUTPUT_BYTES_MAX,
  });
  return stdout.split('\n').flatMap((line) => {
    const parts = /^\s*(\d+)\s+(.*)$/.exec(line);
    return parts === null ? [] : [{ pid: Number(parts[1]), command: `${parts[2]} ` }];
  });
}
