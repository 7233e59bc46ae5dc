import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Resource } from './turns/metrics.ts';
import { type Asker, awayFor, SERVICE } from './turns/owner.ts';
import { TurnRefused } from './turns/refusal.ts';
import { createTurns, type Release, type TurnsCounts } from './turns/turns.ts';

/**
 * Child processes for work that may hang, run away or crash.
 * Each does one task at a time, and can be killed without harm to anything else. The bound is on
 * memory in flight, not on the number of tasks (bad-input, finding 9).
 */
export type ChildPool = {
  /**
   * Runs a task, in turn by owner. That is the service, whose tasks never take the last child.
   * Throws `ChildPoolUnavailable` when the pool is closed, its queue is full, or the caller has gone.
   */
  readonly run: (task: ChildTask) => Promise<ChildOutcome>;
  /** The same pool for another owner. */
  readonly of: (asker: Asker) => ChildPool;
  readonly counts: () => TurnsCounts;
  /** Process ids of the living children, for measuring. */
  readonly pids: () => number[];
  /** Kills every child. Running and waiting tasks throw `ChildPoolUnavailable`. */
  readonly close: () => Promise<void>;
};

export type ChildTask = {
  /** Sent to the child; its next message is the answer. */
  readonly message: Record<string, unknown>;
  /** The most memory the child holds during the task, its idle memory included. */
  readonly bytes: number;
  /** The child is killed past this much processor time, where the system reports it (Linux). */
  readonly cpuMs: number;
  /** The child is killed past this much time, where processor time cannot be read. */
  readonly fallbackMs: number;
  /** The child is killed past this much time in any case. */
  readonly wallMs: number;
};

export type ChildOutcome =
  | { readonly kind: 'answered'; readonly answer: unknown }
  /**
   * Which limit it has passed.
   * `wall`: it was not given the processor, or waited for something: the machine, not the task, may be at fault.
   * `unmeasured`: as long as `fallbackMs`, where nothing says how much processor time it had.
   */
  | { readonly kind: 'overran'; readonly limit: 'cpu' | 'wall' | 'unmeasured' }
  | { readonly kind: 'died' };

export type ChildPoolOptions = {
  /** Its name in the metrics. */
  readonly resource?: Resource;
  /** The file that the children run. It must end itself on `disconnect`. */
  readonly program: string;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly childrenMax: number;
  /** The most memory all children hold together. A task that needs more on its own runs alone. */
  readonly bytesMax: number;
  /** What an idle child holds. */
  readonly idleBytes: number;
  /** A child that has been idle for this long is ended. */
  readonly idleMs: number;
  /** The most memory of tasks that wait, of all owners and of one. */
  readonly waitingBytesMax: number;
  readonly waitingBytesMaxOfEach: number;
  readonly waitMs: number;
};

/** The pool cannot take the task now, or cannot start a child for it; the task itself is fine. */
export class ChildPoolUnavailable extends Error {
  override name = 'ChildPoolUnavailable';
}

/** How often the limits of a running child are checked: the most by which it can overrun them. */
const WATCH_MS = 100;

type Child = {
  readonly process: ChildProcess;
  running: RunningTask | undefined;
  idleTimer: NodeJS.Timeout | undefined;
};

type RunningTask = {
  readonly bytes: number;
  readonly watch: NodeJS.Timeout;
  readonly settle: (outcome: ChildOutcome) => void;
  readonly fail: (error: Error) => void;
  readonly release: Release;
  overran: Extract<ChildOutcome, { kind: 'overran' }>['limit'] | undefined;
};

type Begun = Pick<RunningTask, 'settle' | 'fail' | 'release'> & { readonly task: ChildTask };

/** Opens a pool. No child starts before the first task, and no idle child keeps this process alive. */
export function openChildPool(options: ChildPoolOptions): ChildPool {
  const children = new Set<Child>();
  let closed = false;
  const turns = createTurns({
    ...(options.resource === undefined ? {} : { resource: options.resource }),
    capacity: options.bytesMax,
    atOnceMax: options.childrenMax,
    // Beside others an owner has one child at a time.
    capOfEach: 1,
    serviceAtOnceMax: Math.max(1, options.childrenMax - 1),
    waitingMax: options.waitingBytesMax,
    waitingMaxOfEach: options.waitingBytesMaxOfEach,
    waitMs: options.waitMs,
  });

  const run = async (task: ChildTask, asker: Asker): Promise<ChildOutcome> => {
    const release = await inTurn(turns.take({ ...asker, cost: task.bytes, weight: task.bytes / options.idleBytes }));
    if (closed) {
      release();
      throw new ChildPoolUnavailable('The pool is closed.');
    }
    const { promise, resolve, reject } = Promise.withResolvers<ChildOutcome>();
    begin(childFor(task), { task, release, settle: resolve, fail: reject });
    return promise;
  };

  const childFor = (task: ChildTask): Child => {
    const idle = [...children].filter((child) => child.running === undefined);
    const bytesRunning = [...children].reduce((sum, child) => sum + (child.running?.bytes ?? 0), 0);
    const child = idle.pop() ?? startChild();
    // A large task needs the memory that idle children hold.
    while (idle.length > 0 && bytesRunning + task.bytes + idle.length * options.idleBytes > options.bytesMax) {
      const spare = idle.pop();
      if (spare !== undefined) dismiss(spare);
    }
    return child;
  };

  const startChild = (): Child => {
    const handle = fork(options.program, [], {
      execArgv: [...options.execArgv],
      env: options.env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'json',
    });
    const child: Child = { process: handle, running: undefined, idleTimer: undefined };
    children.add(child);
    handle.on('message', (answer) => end(child, { kind: 'answered', answer }));
    handle.on('exit', () => lose(child));
    // A child that could not be started emits no exit; one that cannot receive its task is of no use.
    handle.on('error', (error) => {
      if (handle.pid === undefined) failToStart(child, error);
      else handle.kill('SIGKILL');
    });
    return child;
  };

  /**
   * Ends an idle child.
   * It leaves the set at once, so that no task goes to a process that is about to end.
   */
  const dismiss = (child: Child): void => {
    children.delete(child);
    clearTimeout(child.idleTimer);
    child.process.kill('SIGKILL');
  };

  const begin = (child: Child, { task, ...rest }: Begun): void => {
    clearTimeout(child.idleTimer);
    child.process.ref();
    child.process.channel?.ref();
    const started = performance.now();
    const cpuBefore = cpuMsOf(child.process.pid);
    const watch = setInterval(() => {
      const running = child.running;
      if (running === undefined || running.overran !== undefined) return;
      running.overran = overrun(task, performance.now() - started, cpuBefore, cpuMsOf(child.process.pid));
      if (running.overran !== undefined) child.process.kill('SIGKILL');
    }, WATCH_MS);
    child.running = { bytes: task.bytes, watch, ...rest, overran: undefined };
    if (child.process.pid !== undefined) child.process.send(task.message);
  };

  const end = (child: Child, outcome: ChildOutcome): void => {
    const running = child.running;
    // An answer that arrives after the kill was sent is dropped: the child is about to end.
    if (running === undefined || (running.overran !== undefined && outcome.kind === 'answered')) return;
    clearInterval(running.watch);
    child.running = undefined;
    child.process.unref();
    child.process.channel?.unref();
    child.idleTimer = setTimeout(() => dismiss(child), options.idleMs).unref();
    running.settle(outcome);
    running.release();
  };

  const lose = (child: Child): void => {
    children.delete(child);
    const running = child.running;
    if (running !== undefined && closed) {
      clearInterval(running.watch);
      running.fail(new ChildPoolUnavailable('The pool was closed.'));
      running.release();
    } else {
      end(child, running?.overran === undefined ? { kind: 'died' } : { kind: 'overran', limit: running.overran });
    }
    clearTimeout(child.idleTimer);
  };

  /** The system starts no further process, or gives it no channel: the task is not to blame. */
  const failToStart = (child: Child, cause: Error): void => {
    children.delete(child);
    const { running } = child;
    clearInterval(running?.watch);
    child.running = undefined;
    running?.fail(new ChildPoolUnavailable('No child could be started.', { cause }));
    running?.release();
  };

  const close = async (): Promise<void> => {
    closed = true;
    turns.close();
    await Promise.all(
      [...children].map((child) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        child.process.ref();
        child.process.once('exit', () => resolve());
        clearTimeout(child.idleTimer);
        if (!child.process.kill('SIGKILL')) resolve();
        return promise;
      }),
    );
  };

  const of = (asker: Asker): ChildPool => ({
    run: (task) => awayFor(asker, () => run(task, asker)),
    of,
    counts: turns.counts,
    pids: () => [...children].flatMap((child) => child.process.pid ?? []),
    close,
  });
  return of({ owner: SERVICE });
}

async function inTurn(turn: Promise<Release>): Promise<Release> {
  try {
    return await turn;
  } catch (error) {
    if (error instanceof TurnRefused) throw new ChildPoolUnavailable('No child was free.', { cause: error });
    throw error;
  }
}

function overrun(
  task: ChildTask,
  elapsedMs: number,
  cpuBefore: number | undefined,
  cpuNow: number | undefined,
): RunningTask['overran'] {
  if (elapsedMs > task.wallMs) return 'wall';
  if (cpuBefore === undefined || cpuNow === undefined) return elapsedMs > task.fallbackMs ? 'unmeasured' : undefined;
  return cpuNow - cpuBefore > task.cpuMs ? 'cpu' : undefined;
}

/**
 * Clock ticks to milliseconds.
 * Linux counts user-space processor time in hundredths of a second on every architecture
 * (proc_pid_stat(5)).
 */
const MS_PER_TICK = 10;
const UTIME_AFTER_NAME = 11;

/** Processor time that a process has used, in milliseconds; undefined where it cannot be read. */
function cpuMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may hold anything, spaces and parentheses too.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[UTIME_AFTER_NAME]) + Number(fields[UTIME_AFTER_NAME + 1])) * MS_PER_TICK;
  } catch {
    // Gone already, or /proc is not mounted: the time limits alone apply.
    return undefined;
  }
}
