import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { lowerPriorityOfThread } from '../../turns/lower-priority.ts';
import { loadLibrary } from '../exchange.ts';
import { type CallProgress, explainFailure, OutboundClosed } from '../failures.ts';
import { FileNotWritten, fetchOnce } from './fetch-once.ts';
import type { FetchOrder, FetchOutcome, FromThread, ToThread, Trusted } from './messages.ts';
import { createReceiving } from './receive-in-turn.ts';

// The thread in which files of remote hosts are received: see `createReceiver`. It ends with its process.

/** A fetch under way: what ends it, and what says that there is room for its file. */
type Running = { readonly abort: AbortController; readonly hasRoom: PromiseWithResolvers<void> };

/** One is enough for all hosts; the server of artwork for development has its own. */
const CONTEXTS_MAX = 8;

const port = parentPort as MessagePort;
const receive = createReceiving();
const contexts = new Map<string, SecureContext>();
const running = new Map<number, Running>();

lowerPriorityOfThread();
// Before the time of any fetch counts.
await loadLibrary();
port.on('message', (message: ToThread) => {
  if (message.kind === 'fetch') void run(message.id, message.order);
  else if (message.kind === 'room') running.get(message.id)?.hasRoom.resolve();
  else abort(message.id);
});

function abort(id: number): void {
  const reason = new OutboundClosed();
  running.get(id)?.hasRoom.reject(reason);
  running.get(id)?.abort.abort(reason);
}

async function run(id: number, order: FetchOrder): Promise<void> {
  const each: Running = { abort: new AbortController(), hasRoom: Promise.withResolvers() };
  each.hasRoom.promise.catch(() => {});
  running.set(id, each);
  send({ id, kind: 'ended', outcome: await outcomeOf(id, order, each) });
  running.delete(id);
}

async function outcomeOf(
  id: number,
  order: FetchOrder,
  { abort: { signal }, hasRoom }: Running,
): Promise<FetchOutcome> {
  const progress = reporting(id);
  try {
    return await fetchOnce({
      ...order,
      target: { ...order.target, kind: 'ok', url: new URL(order.target.url) },
      secureContext: contextOf(order.trusted),
      signal,
      progress,
      reserve: (bytes) => {
        send({ id, kind: 'reserve', bytes });
        return hasRoom.promise;
      },
      receive: (bytes, take) => receive(order.owner, bytes, take),
    });
  } catch (error) {
    if (error instanceof FileNotWritten) return { kind: 'not written', ...systemError(error.cause) };
    try {
      return { kind: 'unreached', failure: explainFailure(error, signal, progress) };
    } catch (bug) {
      return { kind: 'bug', stack: bug instanceof Error ? String(bug.stack) : String(bug) };
    }
  }
}

/** A progress that the other side hears of. */
function reporting(id: number): CallProgress {
  let phase: CallProgress['phase'] = 'reaching';
  send({ id, kind: 'phase', phase });
  return {
    get phase() {
      return phase;
    },
    set phase(next) {
      phase = next;
      send({ id, kind: 'phase', phase });
    },
  };
}

function contextOf(trusted: Trusted): SecureContext {
  const key = JSON.stringify(trusted);
  const known = contexts.get(key);
  if (known !== undefined) return known;
  const made = createSecureContext({ minVersion: 'TLSv1.2', ...authoritiesOf(trusted) });
  if (contexts.size >= CONTEXTS_MAX) contexts.clear();
  contexts.set(key, made);
  return made;
}

function authoritiesOf(trusted: Trusted): { readonly ca?: string[] } {
  if ('only' in trusted) return { ca: [trusted.only] };
  return trusted.beside === undefined ? {} : { ca: [...getCACertificates('default'), trusted.beside] };
}

function systemError(error: unknown): { readonly message: string; readonly code: string } {
  const { message, code } = error as NodeJS.ErrnoException;
  return { message, code: code ?? '' };
}

function send(message: FromThread): void {
  port.postMessage(message);
}
