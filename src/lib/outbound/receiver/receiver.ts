import { Worker } from 'node:worker_threads';
import type { CallProgress, Failure } from '../failures.ts';
import type { Fetched } from './fetch-once.ts';
import type { FetchOrder, FetchOutcome, FromThread, ToThread } from './messages.ts';

/** What the fetch of one file needs of its caller. */
export type FetchTerms = {
  readonly signal: AbortSignal;
  /** Kept as far as the fetch has come; `waiting` until its thread begins. */
  readonly progress: CallProgress;
  /** Makes room for so many bytes before the first is written. Ends itself when the signal aborts. */
  readonly reserve: (bytes: number) => Promise<void>;
};

/** Fetches files one by one, as many at once as it is asked. */
export type Receiver = {
  /**
   * Fetches a file from one address, into a file that is there.
   * Throws the reason of the signal at once, but `OfCaller` when `reserve` throws or the file cannot be written, and
   * `ReceiverLost`.
   */
  readonly fetch: (
    order: FetchOrder,
    terms: FetchTerms,
  ) => Promise<Fetched | { readonly kind: 'unreached'; readonly failure: Failure }>;
  /** Ends the thread; what is under way is lost. */
  readonly close: () => Promise<void>;
};

/** For tests: another program in the thread, and when an idle one is ended. */
export type ReceiverSettings = { readonly program?: URL; readonly idleMs?: number };

/**
 * The thread could not be started, or has ended.
 * The host is not to blame, and the next fetch has a new thread.
 */
export class ReceiverLost extends Error {
  override name = 'ReceiverLost';
}

/** What the caller's own step or file threw, as its cause. It says nothing of the host. */
export class OfCaller extends Error {
  override name = 'OfCaller';
}

const PROGRAM = new URL('./thread.ts', import.meta.url);
/** A thread that has been idle for this long is ended, and its memory is free. */
const IDLE_MS = 60_000;
/** A hundred downloads need a fifth of it. Bodies are outside it, in a few chunks of each. */
const HEAP_MB_MAX = 128;

type Call = {
  readonly terms: FetchTerms;
  readonly settle: (outcome: FetchOutcome) => void;
  readonly fail: (error: unknown) => void;
  isReserving: boolean;
};

/**
 * Fetches files of remote hosts in a thread of its own.
 *
 * To decrypt, hash and write what arrives takes time, and its buffers have garbage collected several times a second for
 * 10 to 20 ms, which requests would wait for. The thread has a heap of its own, and a lower priority
 * (docs/decisions/0043). It starts with the first fetch.
 */
export function createReceiver(settings: ReceiverSettings = {}): Receiver {
  const calls = new Map<number, Call>();
  let lastId = 0;
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  const lose = (lost: Worker, error: Error): void => {
    if (worker !== lost) return;
    worker = undefined;
    for (const { fail } of calls.values()) fail(error);
  };

  const start = (): Worker => {
    const started = startThread(settings.program ?? PROGRAM);
    started.on('message', receive);
    started.on('error', (cause) => lose(started, new ReceiverLost('the thread of downloads has failed', { cause })));
    started.on('exit', () => lose(started, new ReceiverLost('the thread of downloads has ended')));
    return started;
  };

  const receive = (message: FromThread): void => {
    const call = calls.get(message.id);
    if (call === undefined) return;
    if (message.kind === 'phase') call.terms.progress.phase = message.phase;
    else if (message.kind === 'ended') call.settle(message.outcome);
    else void reserve(message, call);
  };

  const reserve = async ({ id, bytes }: { id: number; bytes: number }, call: Call): Promise<void> => {
    call.isReserving = true;
    try {
      await call.terms.reserve(bytes);
      call.isReserving = false;
      send({ kind: 'room', id });
    } catch (cause) {
      call.fail(new OfCaller('there is no room for the file', { cause }));
    }
  };

  const send = (message: ToThread): void => worker?.postMessage(message);

  const end = async (): Promise<void> => {
    const ended = worker;
    if (ended === undefined) return;
    lose(ended, new ReceiverLost('the thread of downloads is ended'));
    await ended.terminate();
  };

  const outcomeOf = async (order: FetchOrder, terms: FetchTerms): Promise<FetchOutcome> => {
    terms.signal.throwIfAborted();
    lastId += 1;
    const id = lastId;
    const { promise, resolve, reject } = Promise.withResolvers<FetchOutcome>();
    const call: Call = { terms, settle: resolve, fail: reject, isReserving: false };
    // What waits for room has its own answer to that.
    const onAbort = (): void => void (call.isReserving || reject(terms.signal.reason));
    calls.set(id, call);
    terms.signal.addEventListener('abort', onAbort, { once: true });
    clearTimeout(idle);
    let isOver = false;
    try {
      worker ??= start();
      worker.ref();
      terms.progress.phase = 'waiting';
      send({ kind: 'fetch', id, order });
      const outcome = await promise;
      isOver = true;
      return outcome;
    } finally {
      terms.signal.removeEventListener('abort', onAbort);
      calls.delete(id);
      if (!isOver) send({ kind: 'abort', id });
      if (calls.size === 0) {
        worker?.unref();
        idle = setTimeout(() => void end(), settings.idleMs ?? IDLE_MS).unref();
      }
    }
  };

  return {
    fetch: async (order, terms) => {
      const outcome = await outcomeOf(order, terms);
      if (outcome.kind === 'bug') throw new Error(`a fetch has failed in its thread: ${outcome.stack}`);
      if (outcome.kind === 'not written') {
        const cause = Object.assign(new Error(outcome.message), { code: outcome.code });
        throw new OfCaller('the file could not be written', { cause });
      }
      return outcome;
    },
    close: async () => {
      clearTimeout(idle);
      await end();
    },
  };
}

function startThread(program: URL): Worker {
  try {
    return new Worker(program, {
      // Those of this process may be for its first script alone.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
  } catch (cause) {
    throw new ReceiverLost('the thread of downloads cannot be started', { cause });
  }
}
