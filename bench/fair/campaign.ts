import { availableParallelism, cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiReady } from '../api.ts';
import { ask, endPart, nextMessage, startPart } from '../service-process.ts';
import type { AttackReport } from './attack.ts';
import { ATTACKS, type Attacker } from './attacks.ts';
import type { OutsideUse } from './outside.ts';
import { orderOf } from './requests.ts';
import { measure, type Times, type Victim } from './victim.ts';

/** What the other account and the operator saw during one attack. */
export type Round = {
  readonly name: string;
  /** What was sent and answered. */
  readonly traffic: string;
  readonly times: Times;
  /** Processors in use by all, and by the attacker and the remote hosts alone. */
  readonly busy: number;
  readonly outside: number;
};

export type Campaign = {
  readonly alone: Times;
  readonly rounds: readonly Round[];
  /** What a process burning so much of a processor does that asks nothing of the service, by that share. */
  readonly nullAttacks: ReadonlyMap<number, Times>;
  /** Once all attacks are over: what they have left behind. */
  readonly afterwards: Times;
};

const LARGE_ORDERS = 12;
const WARM_UP_SECONDS = 3;
/** An attack has been on for so long before it is measured. */
const ATTACK_BEFORE_MS = 1_000;
/** What an attack has left in queues is worked off before the next. */
const REST_MS = 1_000;
/** Shares of processor time are told apart by so much. */
const SHARE_STEP = 0.25;

/** Attacks on each entry, one after another, and measures the others meanwhile. */
export async function runCampaign(options: {
  readonly ready: ApiReady;
  readonly attacker: Omit<Attacker, 'largeOrders' | 'token' | 'productId'>;
  readonly hostsUse: () => Promise<OutsideUse>;
  readonly only: readonly string[];
  readonly seconds: number;
  readonly say: (line: string) => void;
}): Promise<Campaign> {
  const { ready, seconds, only, hostsUse, say } = options;
  const origin = new URL(ready.url).origin;
  const [attacking, working] = ready.customers;
  if (attacking === undefined || working === undefined) throw new Error('there are no accounts');
  const largeOrders: string[] = [];
  for (let index = 0; index < LARGE_ORDERS; index += 1) largeOrders.push(await place(ready.url, attacking, 1_000));
  const attacker: Attacker = { ...options.attacker, ...attacking, largeOrders };
  const orderId = await place(ready.url, working, 2);
  const victim: Victim = { ...working, origin, orderId, operatorToken: ready.operatorToken };
  const chosen = ATTACKS.filter(({ name }) => only.length === 0 || only.some((words) => name.includes(words)));
  if (chosen.length === 0) throw new Error('no attack has these words in its name');
  const together = chosen.length > 1 ? [{ name: 'all of these at once', names: chosen.map(({ name }) => name) }] : [];
  const orders = [...chosen.map(({ name }) => ({ name, names: [name] })), ...together];

  const { child } = await startPart('fair/attack.ts', { env: { BENCH_ORIGIN: origin } });
  try {
    await measure(victim, WARM_UP_SECONDS);
    const alone = await measure(victim, 2 * seconds);
    const rounds: Round[] = [];
    for (const { name, names } of orders) {
      // The set-up has ended when the first message comes; the report is the second.
      await ask(child, { names, attacker, seconds: seconds + 2 });
      const reported = nextMessage<AttackReport>(child);
      const [hostsBefore, machineBefore, beganAt] = [await hostsUse(), busySeconds(), performance.now()];
      await delay(ATTACK_BEFORE_MS);
      const times = await measure(victim, seconds);
      const report = await reported;
      const lasted = (performance.now() - beganAt) / 1_000;
      const hosts = (await hostsUse()).cpuSeconds - hostsBefore.cpuSeconds;
      const busy = (busySeconds() - machineBefore) / lasted;
      rounds.push({ name, traffic: trafficOf(report), times, busy, outside: (report.cpuSeconds + hosts) / lasted });
      say(`  ${name}: ${trafficOf(report)}`);
      await delay(REST_MS);
    }
    const afterwards = await measure(victim, seconds);
    const nullAttacks = new Map<number, Times>();
    for (const share of new Set(rounds.map(({ outside }) => nullShareOf(outside)))) {
      nullAttacks.set(share, await measureNull(victim, share, seconds));
    }
    return { alone, rounds, nullAttacks, afterwards };
  } finally {
    await endPart(child);
  }
}

/** The share of processor time at which the null attack of an attack is measured. */
export function nullShareOf(outside: number): number {
  return Math.max(SHARE_STEP, Math.round(outside / SHARE_STEP) * SHARE_STEP);
}

async function measureNull(victim: Victim, share: number, seconds: number): Promise<Times> {
  const count = Math.ceil(share);
  const parts = await Promise.all(Array.from({ length: count }, () => startPart('fair/burn.ts')));
  try {
    const burnt = parts.map(({ child }) => ask(child, { share: share / count, seconds: seconds + 2 }));
    await delay(ATTACK_BEFORE_MS);
    const times = await measure(victim, seconds);
    await Promise.all(burnt);
    return times;
  } finally {
    for (const { child } of parts) await endPart(child);
  }
}

/** Processor time that the machine has given to all processes since it started. */
function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;
}

function trafficOf({ sent, statuses }: AttackReport): string {
  const answers = Object.entries(statuses).map(([status, count]) => `${count} of ${status}`);
  return `${sent} requests, ${answers.join(', ')}`;
}

/** Processors that attackers, victim, service and database share. */
export const PROCESSORS = availableParallelism();

async function place(url: string, customer: ApiReady['customers'][number], lines: number): Promise<string> {
  const reply = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${customer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(orderOf(customer.productId, lines)),
  });
  const order = (await reply.json()) as { id: string };
  if (reply.status !== 201) throw new Error(`an order was refused: ${JSON.stringify(order)}`);
  return order.id;
}
