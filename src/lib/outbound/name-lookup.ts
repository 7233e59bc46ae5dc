import { lookup, Resolver } from 'node:dns/promises';
import { closeSync, openSync } from 'node:fs';
import { outOfHandles, unavailable } from '../errors.ts';

/** What is known of a host name: its addresses, that it has none, or nothing without an answer. */
export type NameAnswer =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unanswered' };

/** For a whole look-up, A and AAAA together. The name servers of a customer's domain may be silent. */
export const LOOKUP_MS = 4_000;
const TRY_MS = 1_000;
const TRIES = 2;

/**
 * Asks the name servers of the machine for the addresses of a name.
 *
 * `servers` (`host:port`) replace them in tests. Each look-up has a resolver of its own: it reads /etc/resolv.conf
 * anew, cancels nothing else, and uses no thread of the pool that files share. The name is taken as it is, without
 * search domains and without /etc/hosts. All addresses of both families are waited for, since each of them is judged.
 * Throws the signal's reason when it aborts, and 503 when no socket can be opened.
 */
export async function lookUpAddresses(
  host: string,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<NameAnswer> {
  return askEach({ withinMs: LOOKUP_MS, signal, servers }, async (resolver) => {
    const families = [resolver.resolve4(host), resolver.resolve6(host)];
    return joined(await Promise.all(families.map(answerOf)));
  });
}

/** The question that every name server answers from memory: who serves the root. */
const CONTROL_NAME = '.';
const CONTROL_MS = 2_000;

/**
 * Whether a name server of the machine answers at all.
 *
 * If it answers this and not another question, the other name is at fault. A refusal is an answer, too; a failure
 * (SERVFAIL) is none, since a forwarder without its upstream gives it for every name.
 */
export async function isNameServerAnswering(servers?: readonly string[]): Promise<boolean> {
  const question = { withinMs: CONTROL_MS, signal: new AbortController().signal, servers };
  const answer = await askEach(question, (resolver) => answerOf(resolver.resolveNs(CONTROL_NAME)));
  return answer.kind !== 'unanswered' || answer.isRefusal === true;
}

/**
 * Makes look-ups by the C library, for the hosts that the operator trusts.
 * It knows /etc/hosts and search domains.
 *
 * They run one at a time, and all that want the same name share one: such a look-up cannot be cancelled and holds a
 * thread that files, the database's name and the payment provider's need as well. At most as many wait as names are
 * trusted.
 */
export function createSystemLookups(): (host: string, signal: AbortSignal) => Promise<NameAnswer> {
  const underWay = new Map<string, Promise<NameAnswer>>();
  let last: Promise<unknown> = Promise.resolve();
  const begin = (host: string): Promise<NameAnswer> => {
    const answer = last.then(() => systemLookup(host)).finally(() => underWay.delete(host));
    last = answer.catch(() => undefined);
    underWay.set(host, answer);
    return answer;
  };
  return (host, signal) => untilAborted(underWay.get(host) ?? begin(host), signal);
}

async function systemLookup(host: string): Promise<NameAnswer> {
  try {
    const found = await lookup(host, { all: true, order: 'verbatim' });
    return { kind: 'found', addresses: found.map(({ address }) => address) };
  } catch (error) {
    const noHandle = outOfHandles(error);
    if (noHandle !== undefined) throw noHandle;
    return codeOf(error) === 'EAI_AGAIN' ? { kind: 'unanswered' } : { kind: 'none' };
  }
}

/** Stops waiting when the signal aborts and throws its reason; the work goes on. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type Reply = NameAnswer & { readonly isRefusal?: true; readonly isCancelled?: true };

type Asking = {
  readonly withinMs: number;
  readonly signal: AbortSignal;
  readonly servers: readonly string[] | undefined;
};

/**
 * Puts a question, to the next name server when one cannot answer it.
 * c-ares does the same for one that is silent.
 */
async function askEach(asking: Asking, put: (resolver: Resolver) => Promise<Reply>): Promise<Reply> {
  const { signal, withinMs } = asking;
  signal.throwIfAborted();
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (asking.servers !== undefined) resolver.setServers(asking.servers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(cancel, withinMs);
  try {
    for (let servers = resolver.getServers().slice(1); ; servers = servers.slice(1)) {
      const reply = await put(resolver);
      signal.throwIfAborted();
      if (reply.kind !== 'unanswered' || reply.isCancelled === true || servers.length === 0) return reply;
      resolver.setServers(servers);
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** The name does not exist, has nothing of the kind, or is none that can be asked for. */
const NONE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EBADSTR']);
const REFUSED: ReadonlySet<unknown> = new Set(['EREFUSED', 'ENOTIMP', 'EFORMERR']);
const UNANSWERED: ReadonlySet<unknown> = new Set(['ESERVFAIL', 'ETIMEOUT', 'EBADRESP', 'ECONNREFUSED', 'ECANCELLED']);

async function answerOf(question: Promise<readonly string[]>): Promise<Reply> {
  try {
    const addresses = await question;
    return addresses.length === 0 ? { kind: 'none' } : { kind: 'found', addresses };
  } catch (error) {
    const code = codeOf(error);
    if (NONE.has(code)) return { kind: 'none' };
    if (REFUSED.has(code)) return { kind: 'unanswered', isRefusal: true };
    if (!UNANSWERED.has(code)) throw unavailableFor(error);
    // c-ares says the same of a socket that it could not open.
    if (code === 'ECONNREFUSED') rejectWithoutHandles();
    return code === 'ECANCELLED' ? { kind: 'unanswered', isCancelled: true } : { kind: 'unanswered' };
  }
}

/** ENOMEM and its like: nothing was learnt of the name. */
function unavailableFor(error: unknown): Error {
  return unavailable('A name could not be looked up right now. Try again in a few seconds.', error);
}

/** Throws 503 when this process may open no further file or connection. */
function rejectWithoutHandles(): void {
  try {
    closeSync(openSync(process.execPath, 'r'));
  } catch (error) {
    throw outOfHandles(error) ?? error;
  }
}

/** Joins both families. One suffices when the other was not answered. */
function joined(replies: readonly Reply[]): Reply {
  const addresses = replies.flatMap((reply) => (reply.kind === 'found' ? reply.addresses : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  return { kind: replies.some((reply) => reply.kind === 'unanswered') ? 'unanswered' : 'none' };
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
