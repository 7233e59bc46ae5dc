import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** Orders placed at a steady rate, and what readiness and the database say meanwhile. */
export type Load = {
  /** The origins that a balancer would send to. */
  readonly sendTo: (origins: readonly string[]) => void;
  /** Runs `work`, and longer if it is over before the least time, and returns what was seen meanwhile. */
  readonly during: (what: string, secondsMin: number, work: () => Promise<void>) => Promise<Phase>;
  readonly end: () => Promise<void>;
};

export type Phase = {
  readonly phase: string;
  readonly seconds: number;
  readonly orders: number;
  readonly failed: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** How often readiness of a node that serves was looked at, and was not 200. */
  readonly ready: number;
  readonly not_ready: number;
  /** The age of the oldest transaction that had written: for so long the log of events stood still. */
  readonly oldest_write_s: number;
};

const LOOK_MS = 250;

/** Starts a load of so many orders a second, whatever their answers take: the time counts from when each was due. */
export function startLoad(options: {
  token: string;
  body: () => object;
  perSecond: number;
  oldestWrite: () => Promise<number>;
}): Load {
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const over = new AbortController();
  let origins: readonly string[] = [];
  let seen = emptySeen();
  let sent = 0;
  const under = new Set<Promise<void>>();

  async function place(dueMs: number): Promise<void> {
    const into = seen;
    sent += 1;
    const origin = origins[sent % origins.length] ?? '';
    let failure: string | undefined;
    try {
      const { statusCode, body } = await request(`${origin}/api/v1/orders`, {
        dispatcher: agent,
        method: 'POST',
        headers: { authorization: `Bearer ${options.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ external_reference: randomUUID(), ...options.body() }),
      });
      const text = await body.text();
      if (statusCode !== 201) failure = `${statusCode} ${text.slice(0, 300)}`;
    } catch (error) {
      failure = String(error);
    }
    into.times.push(performance.now() - dueMs);
    if (failure === undefined) return;
    into.failures.push(failure);
    if (into.failures.length <= 3) process.stderr.write(`failed: ${failure}\n`);
  }

  async function send(): Promise<void> {
    let dueMs = performance.now();
    while (!over.signal.aborted) {
      if (origins.length > 0) {
        const placing = place(dueMs).finally(() => under.delete(placing));
        under.add(placing);
      }
      dueMs += 1_000 / options.perSecond;
      await delay(Math.max(0, dueMs - performance.now()));
    }
  }

  async function look(): Promise<void> {
    while (!over.signal.aborted) {
      const into = seen;
      for (const origin of origins) {
        const { statusCode, body } = await request(`${origin}/readyz`, { headersTimeout: 5_000 }).catch(() => GONE);
        await body.dump();
        into.ready += 1;
        if (statusCode !== 200 && origins.includes(origin)) into.notReady += 1;
      }
      into.oldestWrite = Math.max(into.oldestWrite, await options.oldestWrite());
      await delay(LOOK_MS);
    }
  }

  const running = Promise.all([send(), look()]);
  return {
    sendTo: (next) => {
      origins = next;
    },
    during: async (phase, secondsMin, work) => {
      seen = emptySeen();
      const beganMs = performance.now();
      await work();
      await delay(Math.max(0, beganMs + secondsMin * 1_000 - performance.now()));
      const [mine, tookMs] = [seen, performance.now() - beganMs];
      seen = emptySeen();
      await Promise.all(under);
      return phaseOf(phase, tookMs, mine);
    },
    end: async () => {
      over.abort();
      await running;
      await Promise.all(under);
      await agent.close();
    },
  };
}

const GONE = { statusCode: 0, body: { dump: () => Promise.resolve() } };

type Seen = { times: number[]; failures: string[]; ready: number; notReady: number; oldestWrite: number };

function emptySeen(): Seen {
  return { times: [], failures: [], ready: 0, notReady: 0, oldestWrite: 0 };
}

function phaseOf(phase: string, tookMs: number, { times, failures, ready, notReady, oldestWrite }: Seen): Phase {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN);
  return {
    phase,
    seconds: Math.round(tookMs / 1_000),
    orders: times.length,
    failed: failures.length,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: at(1),
    ready,
    not_ready: notReady,
    oldest_write_s: Math.round(oldestWrite * 10) / 10,
  };
}
