import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Child processes for work that may hang, run away or crash.
 * Each does one task at a time, and can be killed without harm to anything else. The bound is on
 * memory in flight, not on the number of tasks (bad-input, finding 9).
 */
export type ChildPool = {
  /**
   * Runs a task, first in, first out.
   * Throws `ChildPoolUnavailable` when the pool is closed or its queue is full.
   */
  readonly run: (task: ChildTask) => Promise<ChildOutcome>;
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
  | { readonly kind: 'overran'; readonly limit: 'cpu' | 'wall' }
  | { readonly kind: 'died' };

export type ChildPoolOptions = {
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
  readonly waitingMax: number;
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
  overran: 'cpu' | 'wall' | undefined;
};

type Waiting = {
  readonly task: ChildTask;
  readonly timer: NodeJS.Timeout;
  readonly settle: (outcome: ChildOutcome) => void;
  readonly fail: (error: Error) => void;
};

/** Opens a pool. No child starts before the first task, and no idle child keeps this process alive. */
export function openChildPool(options: ChildPoolOptions): ChildPool {
  const children = new Set<Child>();
  const waiting: Waiting[] = [];
  let closed = false;

  const run = (task: ChildTask): Promise<ChildOutcome> => {
    if (closed) return Promise.reject(new ChildPoolUnavailable('The pool is closed.'));
    if (waiting.length >= options.waitingMax) return Promise.reject(new ChildPoolUnavailable('Too many tasks wait.'));
    const { promise, resolve, reject } = Promise.withResolvers<ChildOutcome>();
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(entry), 1);
      reject(new ChildPoolUnavailable('The task waited too long.'));
      admit();
    }, options.waitMs);
    const entry: Waiting = { task, timer, settle: resolve, fail: reject };
    waiting.push(entry);
    admit();
    return promise;
  };

  const admit = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const idle = [...children].filter((child) => child.running === undefined);
      const bytesRunning = [...children].reduce((sum, child) => sum + (child.running?.bytes ?? 0), 0);
      const busy = children.size - idle.length;
      if (busy >= options.childrenMax || (busy > 0 && bytesRunning + next.task.bytes > options.bytesMax)) return;
      const child = idle.pop() ?? startChild();
      // A large task needs the memory that idle children hold.
      while (idle.length > 0 && bytesRunning + next.task.bytes + idle.length * options.idleBytes > options.bytesMax) {
        const spare = idle.pop();
        if (spare !== undefined) dismiss(spare);
      }
      waiting.shift();
      clearTimeout(next.timer);
      begin(child, next);
    }
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

  const begin = (child: Child, { task, settle, fail }: Waiting): void => {
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
    child.running = { bytes: task.bytes, watch, settle, fail, overran: undefined };
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
    admit();
  };

  const lose = (child: Child): void => {
    children.delete(child);
    const running = child.running;
    if (running !== undefined && closed) {
      clearInterval(running.watch);
      running.fail(new ChildPoolUnavailable('The pool was closed.'));
    } else {
      end(child, running?.overran === undefined ? { kind: 'died' } : { kind: 'overran', limit: running.overran });
    }
    clearTimeout(child.idleTimer);
    admit();
  };

  /** The system starts no further process, or gives it no channel: the task is not to blame. */
  const failToStart = (child: Child, cause: Error): void => {
    children.delete(child);
    const { running } = child;
    clearInterval(running?.watch);
    child.running = undefined;
    running?.fail(new ChildPoolUnavailable('No child could be started.', { cause }));
    admit();
  };

  const close = async (): Promise<void> => {
    closed = true;
    for (const { timer, fail } of waiting.splice(0)) {
      clearTimeout(timer);
      fail(new ChildPoolUnavailable('The pool was closed.'));
    }
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

  return { run, close, pids: () => [...children].flatMap((child) => child.process.pid ?? []) };
}

function overrun(
  task: ChildTask,
  elapsedMs: number,
  cpuBefore: number | undefined,
  cpuNow: number | undefined,
): 'cpu' | 'wall' | undefined {
  if (elapsedMs > task.wallMs) return 'wall';
  if (cpuBefore === undefined || cpuNow === undefined) return elapsedMs > task.fallbackMs ? 'wall' : undefined;
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
