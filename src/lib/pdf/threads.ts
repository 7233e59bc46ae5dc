import { Worker } from 'node:worker_threads';
import { unavailable } from '../errors.ts';
import { type Asker, OPERATORS } from '../turns/owner.ts';

/**
 * What a thread is started with.
 * It leaves the processors to requests, unless it draws for operators at a printer.
 */
export type DrawingTerms = { readonly isForOperators: boolean };

/**
 * Draws a document in a thread.
 * Throws 503 when it was not drawn within `drawingMs`, or when the asker has gone.
 */
export type DrawInThread<Document> = (document: Document, drawingMs: number, asker: Asker) => Promise<Buffer>;

const HEAP_MB_MAX = 384;
/** A batch of slips is printed one after another; afterwards the memory is free again. */
const IDLE_MS = 10_000;

type Thread = {
  readonly worker: Worker;
  readonly isForOperators: boolean;
  /** Who waits for what it draws. */
  asked: Pick<PromiseWithResolvers<Uint8Array>, 'resolve' | 'reject'> | undefined;
  idle: NodeJS.Timeout | undefined;
};

/**
 * Opens threads that draw one document at a time.
 *
 * To load the libraries takes a thread several times as long as to draw a slip, so one that has drawn waits for the
 * next document. What fails, takes too long or is not wanted any more ends its thread. No idle one keeps this process
 * alive. At most `idleMax` wait.
 */
export function openDrawingThreads<Document>(options: { idleMax: number; idleMs?: number }): DrawInThread<Document> {
  const { idleMax, idleMs = IDLE_MS } = options;
  const waiting = new Set<Thread>();

  const end = (thread: Thread): void => {
    waiting.delete(thread);
    clearTimeout(thread.idle);
    void thread.worker.terminate();
  };

  const start = (isForOperators: boolean): Thread => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { isForOperators } satisfies DrawingTerms,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
    });
    const thread: Thread = { worker, isForOperators, asked: undefined, idle: undefined };
    const lose = (error: unknown): void => {
      end(thread);
      thread.asked?.reject(error);
    };
    worker.on('message', (bytes: Uint8Array) => thread.asked?.resolve(bytes));
    worker.on('error', lose);
    worker.on('exit', (code) => lose(new Error(`a document could not be drawn: exit ${code}`)));
    return thread;
  };

  /** One of the priority that is wanted: a thread that has lowered its own cannot raise it again. */
  const take = (isForOperators: boolean): Thread => {
    const found = [...waiting].find((thread) => thread.isForOperators === isForOperators);
    if (found === undefined) return start(isForOperators);
    waiting.delete(found);
    clearTimeout(found.idle);
    found.worker.ref();
    return found;
  };

  const rest = (thread: Thread): void => {
    thread.asked = undefined;
    for (const other of waiting) if (waiting.size >= idleMax) end(other);
    waiting.add(thread);
    thread.worker.unref();
    thread.idle = setTimeout(() => end(thread), idleMs).unref();
  };

  return async (document, drawingMs, { owner, signal }) => {
    const thread = take(owner === OPERATORS);
    let reason: string | undefined;
    const because = (why: string) => (): void => {
      reason ??= why;
      end(thread);
    };
    const timer = setTimeout(
      because('The document could not be drawn in time, since the machine is busy. Try again in a moment.'),
      drawingMs,
    );
    const onGone = because('The document is not wanted any more.');
    if (signal?.aborted === true) onGone();
    signal?.addEventListener('abort', onGone, { once: true });
    try {
      const { promise, ...asked } = Promise.withResolvers<Uint8Array>();
      thread.asked = asked;
      thread.worker.postMessage(document);
      const bytes = await promise.catch((error: unknown) => {
        throw reason === undefined ? error : unavailable(reason);
      });
      rest(thread);
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onGone);
    }
  };
}
