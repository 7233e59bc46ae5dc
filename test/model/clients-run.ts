import { setTimeout as sleep } from 'node:timers/promises';
import {
  disputeOf,
  type FakeIntent,
  type Fault,
  type Call as ProviderCall,
  type Verdict,
} from '../harness/provider.ts';
import { judge, keptOf, learn } from './clients-answers.ts';
import { type Intention, intentionsOf, type Kind } from './clients-intentions.ts';
import { type Draft, draftFor, draftOf } from './clients-requests.ts';
import {
  type Call,
  CLIENTS,
  type Entry,
  type KnownOrder,
  type Reply,
  send,
  topUp,
  type World,
} from './clients-world.ts';

/** What lets clients act, and stops them between two requests or until the service is back. */
export type Gate = {
  /** Lets every client do so much more. */
  readonly open: (actions: number) => void;
  /** Nobody begins anything new; requests under way go on. */
  readonly close: () => void;
  /** The service is gone: what was not answered waits to be sent again. */
  readonly down: () => void;
  readonly up: () => void;
  /** Returns once every client waits for the gate to open. */
  readonly untilAllWait: () => Promise<void>;
  /** Returns once nothing is under way: what was sent is answered, or was given up. */
  readonly untilStill: () => Promise<void>;
  /** Ends all of them at the gate. */
  readonly end: () => void;
  readonly pass: (client: number) => Promise<'go' | 'end'>;
  readonly untilUp: () => Promise<void>;
  /** Counts something as under way for as long as it takes. */
  readonly track: <T>(work: Promise<T>) => Promise<T>;
};

/** A gate for all clients; closed, and the service up, at first. */
export function makeGate(): Gate {
  const left = Array.from({ length: CLIENTS }, () => 0);
  const sleepers = new Set<() => void>();
  let hasEnded = false;
  let isUp = true;
  let waiting = 0;
  let underWay = 0;
  const changed = (): void => {
    for (const wake of sleepers) wake();
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          resolve();
        };
        sleepers.add(wake);
      });
    }
  };
  const set = (change: () => void) => (): void => {
    change();
    changed();
  };
  return {
    open: (actions) => set(() => left.fill(actions))(),
    close: set(() => left.fill(0)),
    down: set(() => (isUp = false)),
    up: set(() => (isUp = true)),
    end: set(() => (hasEnded = true)),
    untilAllWait: () => until(() => waiting === CLIENTS && left.every((actions) => actions === 0)),
    untilStill: () => until(() => underWay === 0),
    pass: async (client) => {
      waiting += 1;
      changed();
      await until(() => hasEnded || (left[client] ?? 0) > 0);
      waiting -= 1;
      if (hasEnded) return 'end';
      left[client] = (left[client] ?? 0) - 1;
      return 'go';
    },
    untilUp: () => until(() => isUp),
    track: async (work) => {
      underWay += 1;
      try {
        return await work;
      } finally {
        underWay -= 1;
        changed();
      }
    },
  };
}

/** Starts all clients of a seed: they act as far as the gate lets them, until it ends. */
export async function startClients(world: World, seed: number, gate: Gate): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, async (_, client) => {
    const intentions = intentionsOf(seed, client);
    while ((await gate.pass(client)) === 'go') await act(world, gate, client, intentions.next().value);
  });
  await Promise.all(clients);
}

/** Waits for something, or fails as soon as a client does: the others would wait for that one for ever. */
export async function orFails<T>(clients: Promise<void>, work: Promise<T>): Promise<T> {
  return Promise.race([work, clients.then(() => new Promise<never>(() => {}))]);
}

async function act(world: World, gate: Gate, client: number, intention: Intention): Promise<void> {
  if (intention.kind === 'weather') return changeWeather(world, intention);
  if (intention.kind === 'callback') return callBack(world, gate, client, intention);
  const draft = draftOf(world, client, intention);
  if (draft === undefined) return;
  const entry = await perform(world, gate, client, intention, draft);
  if (draft.kind !== 'advance' || draft.order === undefined) return;
  const kind = nextStep(draft.order, intention);
  const next = kind && draftFor(world, client, intention, { kind, order: draft.order });
  if (entry !== undefined && next !== undefined) await perform(world, gate, client, intention, next);
}

/** What brings an order on from where an operator has just seen it; somebody else may be quicker. */
function nextStep({ state, lines }: KnownOrder, { other }: Intention): Kind | undefined {
  if (state === 'awaiting_payment') return other < 0.5 ? 'settle' : 'retry_payment';
  if (state === 'placed') return 'promote';
  if (state === 'on_hold') return 'resume';
  if (state === 'dispatched') return other < 0.2 ? 'replace' : undefined;
  if (state === 'cancelled') return undefined;
  return lines.some(({ isStarted, left }) => !isStarted && left > 0) ? 'start' : 'ship';
}

/** Sends a request, twice at once if it is a twin, until it is answered; what it is answered is judged and noted. */
async function perform(world: World, gate: Gate, client: number, intention: Intention, draft: Draft): Promise<Entry> {
  const { call, ...about } = draft;
  const facts = draft.order && { ...draft.order.facts };
  const entry: Entry = { ...about, intention, client, facts, replies: [], lost: 0, busy: 0 };
  world.journal.push(entry);
  const sendings = intention.isTwin ? 2 : 1;
  await Promise.all(Array.from({ length: sendings }, () => untilAnswered(world, gate, entry, call)));
  return entry;
}

async function untilAnswered(world: World, gate: Gate, entry: Entry, call: Call | undefined): Promise<void> {
  const { account, amountPence = 0 } = entry;
  if (call === undefined) {
    if (account === undefined) throw new Error('a top-up is for an account');
    const done = await againAndAgain(gate, entry, () => topUp(world, account, amountPence, entry.key));
    entry.replies.push(done);
    return;
  }
  const reply = await againAndAgain(gate, entry, () => send(world, call));
  judge(entry, reply);
  learn(world, entry, reply);
  entry.replies.push({ ...reply, body: keptOf(entry, reply.body) });
}

/** On a machine that is short of time a service may be too busy. It says to come back, and a careful client does. */
function isBusy({ kind }: Entry, { code }: Reply): boolean {
  return kind !== 'callback' && code === 'unavailable';
}

const BUSY_MS = 250;

/** Connections to a service that was killed may be many; each fails once. */
const SENDINGS_MAX = 30;

/** Does the same until it is answered; what was not waits for the service to be back. */
async function againAndAgain(gate: Gate, entry: Entry, work: () => Promise<Reply | undefined>): Promise<Reply> {
  for (let sent = 1; sent <= SENDINGS_MAX; sent += 1) {
    const reply = await gate.track(work());
    if (reply !== undefined && !isBusy(entry, reply)) return reply;
    if (reply !== undefined) await sleep(BUSY_MS);
    entry.lost += 1;
    if (reply !== undefined) entry.busy += 1;
    await gate.untilUp();
  }
  throw new Error(`${entry.kind} ${entry.key} was sent ${SENDINGS_MAX} times and never answered`);
}

// The payment provider
// ------------------------------------------------------------------------------------------------------

/** The calls of the provider that can go wrong. */
export const CALLS: readonly ProviderCall[] = ['create', 'confirm', 'read', 'cancel', 'method'];
const FAULTS: readonly Fault[] = ['500', '500 after', 'hang', 'hang after', '401', 'refuse'];

/** How the provider behaves from now on: what becomes of charges, or what goes wrong with the next calls. */
function changeWeather({ provider }: World, { pick, other, amount }: Intention): void {
  if (other < 0.5) {
    const verdict: Verdict =
      pick < 0.65 ? 'accept' : pick < 0.82 ? 'decline' : pick < 0.94 ? 'process' : 'require action';
    provider.decide(verdict);
    return;
  }
  const call = CALLS[Math.floor(pick * CALLS.length)] ?? 'confirm';
  const fault = FAULTS[Math.floor(amount * FAULTS.length)] ?? '500';
  // A call of a method that is not known of yet fails for good when it is refused.
  provider.fail(call, fault, ...(other < 0.7 ? [fault] : []));
}

/** Lets calls that hang go again after a while: that is an answer that never comes. Returns what ends it. */
export function breatheOut({ provider }: World): () => void {
  const timer = setInterval(provider.letGo, 150);
  return () => clearInterval(timer);
}

/** The provider tells of an intent: of what became of it, again, or of something new. */
async function callBack(world: World, gate: Gate, client: number, intention: Intention): Promise<void> {
  const { provider } = world;
  // Most often of the latest: its charge may still be under way.
  const back = Math.floor(intention.pick ** 3 * provider.intents.length);
  const intent = provider.intents[provider.intents.length - 1 - back];
  if (intent === undefined) return;
  const call = callOf(world, intent, intention.other);
  const about = { kind: 'callback' as const, key: intention.key, order: undefined, account: undefined };
  const entry: Entry = { ...about, intention, client, facts: undefined, replies: [], lost: 0, busy: 0 };
  const reply = await againAndAgain(gate, entry, () => send(world, call));
  judge(entry, reply);
  if (reply.status !== 200) world.owedCallbacks.push(call);
}

function callOf(world: World, intent: FakeIntent, other: number): Call {
  const { provider, lateIntents } = world;
  let type = 'payment_intent.succeeded';
  let object: object = { id: intent.id };
  if (intent.status === 'succeeded' && other < 0.15) {
    type = 'charge.dispute.funds_withdrawn';
    object = disputeOf(intent);
  }
  if (intent.status === 'processing' && other < 0.4) {
    type = 'payment_intent.payment_failed';
    provider.turn(intent, 'requires_payment_method');
  } else if (intent.status === 'requires_payment_method' && intent.charges === 0 && other < 0.4) {
    provider.turn(intent, 'succeeded');
    intent.charges += 1;
    lateIntents.add(intent.id);
  }
  const { body, headers } = provider.callback(type, object, { at: world.ctx.clock.now() });
  return { door: 'hook', method: 'POST', path: '/hooks/stripe', body, headers };
}
