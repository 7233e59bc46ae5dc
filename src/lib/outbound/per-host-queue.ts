import type { Owner } from '../turns/owner.ts';
import { TurnRefused } from '../turns/refusal.ts';
import { createTurns, type Turns } from '../turns/turns.ts';

/** A call to a host and who makes it. */
export type HostCall = { readonly host: string; readonly owner: Owner; readonly signal: AbortSignal };

/** Runs `work` when it is the owner's turn at the host; see `createHostQueues`. */
export type HostQueues = {
  readonly inTurn: <T>(call: HostCall, work: () => Promise<T>) => Promise<T>;
  /** Calls that run and that wait, of all hosts. */
  readonly counts: () => { readonly running: number; readonly waiting: number };
};

/** There was no place at this host in time. The service is unavailable for this; the address is fine. */
export class HostQueueFullError extends Error {
  override name = 'HostQueueFullError';
}

/** The most that this process asks of one server at a time. */
const AT_ONCE_MAX = 8;
/** Below the half, so that an account whose downloads hang never holds all places of a host. */
const AT_ONCE_OF_EACH_MAX = 4;
const WAITING_MAX = 4_000;
const WAITING_OF_EACH_MAX = 400;
/** No call waits longer: each has a deadline of its own. */
const WAIT_MS = 60_000;

type HostQueue = { readonly turns: Turns; readonly running: Map<Owner, number>; calls: number };

/**
 * Keeps this process from being used against one server.
 * At most four calls of an account run at once for each host, and eight in all.
 *
 * The rest wait, in turn by account (bad-input G 122). `inTurn` throws `HostQueueFullError` when too many wait already,
 * and when the signal aborts meanwhile; but the signal's reason when the account's own calls were what it waited for:
 * then the host is slow. Work that has begun keeps its place until it has ended, aborted or not: its connection is
 * closed by then.
 */
export function createHostQueues(): HostQueues {
  const queues = new Map<string, HostQueue>();
  return {
    inTurn: async ({ host, owner, signal }, work) => {
      const queue = queues.get(host) ?? openQueue();
      queues.set(host, queue);
      queue.calls += 1;
      try {
        return await queue.turns.inTurn({ owner, signal }, () => counted(queue.running, owner, work));
      } catch (error) {
        if (!(error instanceof TurnRefused)) throw error;
        const isOwnQueue = (queue.running.get(owner) ?? 0) >= AT_ONCE_OF_EACH_MAX;
        if (error.reason === 'gone' && isOwnQueue) throw signal.reason;
        throw new HostQueueFullError('no place at this host', { cause: error });
      } finally {
        queue.calls -= 1;
        if (queue.calls === 0) {
          queues.delete(host);
          queue.turns.close();
        }
      }
    },
    counts: () => {
      const all = [...queues.values()].map(({ turns }) => turns.counts());
      return {
        running: all.reduce((sum, { running }) => sum + running, 0),
        waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
      };
    },
  };
}

function openQueue(): HostQueue {
  const turns = createTurns({
    resource: 'hosts',
    capacity: AT_ONCE_MAX,
    capOfEach: AT_ONCE_OF_EACH_MAX,
    isCapFirm: true,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_OF_EACH_MAX,
    waitMs: WAIT_MS,
  });
  return { turns, running: new Map(), calls: 0 };
}

/** Counts the work that runs of each owner. */
async function counted<T>(running: Map<Owner, number>, owner: Owner, work: () => Promise<T>): Promise<T> {
  running.set(owner, (running.get(owner) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = (running.get(owner) ?? 1) - 1;
    if (left > 0) running.set(owner, left);
    else running.delete(owner);
  }
}
