/** Runs `work` when the host's queue lets it; see `createHostQueues`. */
export type HostQueues = {
  readonly inTurn: <T>(host: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
};

/** The queue of one host is full. The service is unavailable for this; the address is fine. */
export class HostQueueFullError extends Error {
  override name = 'HostQueueFullError';
}

const AT_ONCE_MAX = 4;
const WAITING_MAX = 400;

type HostQueue = { active: number; readonly waiting: (() => void)[] };

/**
 * Keeps this process from being used against one server: at most four calls at once for each host.
 * The rest queue, first in, first out (bad-input G 122). `inTurn` throws `HostQueueFullError` when 400
 * wait already, and the signal's reason when it aborts first. Work that has begun keeps its place
 * until it has ended, aborted or not: its connection is closed by then.
 */
export function createHostQueues(): HostQueues {
  const queues = new Map<string, HostQueue>();
  return {
    inTurn: async (host, signal, work) => {
      const queue = queues.get(host) ?? { active: 0, waiting: [] };
      queues.set(host, queue);
      if (queue.active < AT_ONCE_MAX) queue.active += 1;
      else await turn(queue, signal);
      try {
        return await work();
      } finally {
        const next = queue.waiting.shift();
        // The place is passed on directly, so that no later call can take it in between.
        if (next !== undefined) next();
        else queue.active -= 1;
        if (queue.active === 0) queues.delete(host);
      }
    },
  };
}

async function turn(queue: HostQueue, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (queue.waiting.length >= WAITING_MAX) throw new HostQueueFullError('too many wait for this host');
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      queue.waiting.splice(queue.waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    const enter = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    queue.waiting.push(enter);
    signal.addEventListener('abort', leave, { once: true });
  });
}
