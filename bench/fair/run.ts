import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import { silentLog } from '../../src/lib/log.ts';
import type { ApiReady } from '../api.ts';
import { ask, endPart, nextMessage, startPart } from '../service-process.ts';
import type { AttackReport } from './attack.ts';
import { ATTACKS, type Attacker } from './attacks.ts';
import type { Outside } from './outside.ts';
import type { LoadReport } from './overload.ts';
import { orderOf } from './requests.ts';
import { measure, quantile, type Times, type Victim } from './victim.ts';

const HELP = `npm run bench:fair [-- --seconds 10] [--only WORDS] [--no-overload]

One account does its worst on each entry, within its limits, and then on all of them at once. Meanwhile another account
and an operator work, one request after another. Then orders come at twice the capacity. Exits with 1 if a p99 is more
than twice what it is alone, if the victim or the operator got a 503, or if under overload less than 0.9 of the capacity
goes on, accepted orders are slow, or refusals are.

--seconds      how long each attack is measured
--only         the attacks whose name has these words
--no-overload  leaves out the overload
`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    only: { type: 'string' },
    'no-overload': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const RATIO_MAX = 2;
const REFUSED_MS_MAX = 100;
const CAPACITY_SHARE_MIN = 0.9;
const LARGE_ORDERS = 12;
/** The share of the capacity at which the ordinary p99 is measured: a service that is busy, not one that is full. */
const ORDINARY_SHARE = 0.8;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = Number(options.seconds);
let isFair = true;

if (options.help) say(HELP);
else await main();

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const env = { BENCH_DATABASE: JSON.stringify(server.connection) };
  const outside = await startPart<Outside>('fair/outside.ts');
  const api = await startPart<ApiReady>('api.ts', { env: { ...env, BENCH_OUTSIDE: JSON.stringify(outside.ready) } });
  try {
    say(
      `${availableParallelism()} cores for attackers, victim, service and database together; ${seconds} s an attack.`,
    );
    await attackAll(api.ready, outside.ready);
    if (!options['no-overload']) await overload(api.ready);
  } finally {
    await endPart(api.child);
    await endPart(outside.child);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  process.exitCode = isFair ? 0 : 1;
}

async function attackAll(ready: ApiReady, outside: Outside): Promise<void> {
  const origin = new URL(ready.url).origin;
  const [attacking, working] = ready.customers;
  if (attacking === undefined || working === undefined) throw new Error('there are no accounts');
  const largeOrders: string[] = [];
  for (let index = 0; index < LARGE_ORDERS; index += 1) largeOrders.push(await place(ready.url, attacking, 1_000));
  const attacker: Attacker = { ...attacking, largeOrders, personalised: ready.personalised, outside };
  const orderId = await place(ready.url, working, 2);
  const victim: Victim = { ...working, origin, orderId, operatorToken: ready.operatorToken };
  const child = await startPart('fair/attack.ts', { env: { BENCH_ORIGIN: origin } });
  try {
    await measure(victim, 3);
    const alone = await measure(victim, 2 * seconds);
    const chosen = ATTACKS.filter(({ name }) => options.only === undefined || name.includes(options.only));
    const rounds = [
      ...chosen.map(({ name }) => [name]),
      ...(chosen.length > 1 ? [chosen.map(({ name }) => name)] : []),
    ];
    for (const names of rounds) {
      // The set-up has ended when the first message comes; the report is the second.
      await ask(child.child, { names, attacker, seconds: seconds + 2 });
      const attack = nextMessage<AttackReport>(child.child);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const under = await measure(victim, seconds);
      const { sent, statuses } = await attack;
      const [only] = names;
      const answers = Object.entries(statuses).map(([status, count]) => `${count} of ${status}`);
      say(`\n${names.length === 1 ? only : 'all of these at once'}: ${sent} requests, ${answers.join(', ')}`);
      compare(alone, under);
    }
  } finally {
    await endPart(child.child);
  }
}

function compare(alone: Times, under: Times): void {
  for (const [name, { ms, statuses }] of under) {
    const before = alone.get(name)?.ms ?? [];
    const [p50, p99, wasP50, wasP99] = [
      quantile(ms, 0.5),
      quantile(ms, 0.99),
      quantile(before, 0.5),
      quantile(before, 0.99),
    ];
    const ratio = p99 / wasP99;
    const refused = statuses.get(503) ?? 0;
    const failed = [...statuses].filter(([status]) => status >= 400).reduce((sum, [, count]) => sum + count, 0);
    const isBad = ratio > RATIO_MAX || failed > 0 || ms.length === 0;
    if (isBad) isFair = false;
    say(
      `  ${isBad ? 'UNFAIR' : 'fair  '} ${name.padEnd(20)} p50 ${shown(wasP50)} -> ${shown(p50)}  p99 ${shown(wasP99)} -> ${shown(p99)} ms  ratio ${ratio.toFixed(1)}  n ${ms.length}  503 ${refused}${failed > refused ? `  other errors ${failed - refused}` : ''}`,
    );
  }
}

async function overload(ready: ApiReady): Promise<void> {
  const load = await startPart('fair/overload.ts', { env: { BENCH_API: JSON.stringify(ready) } });
  try {
    const run = (perSecond: number | undefined): Promise<LoadReport> => ask(load.child, { seconds, perSecond });
    const full = await run(undefined);
    const ordinary = await run(ORDINARY_SHARE * full.perSecond);
    const twice = await run(2 * full.perSecond);
    const after = await run(ORDINARY_SHARE * full.perSecond);
    const was = quantile(ordinary.acceptedMs, 0.99);
    const accepted = quantile(twice.acceptedMs, 0.99);
    const refused = quantile(twice.refusedMs, 0.99);
    say(`\noverload: capacity ${Math.round(full.perSecond)} orders a second`);
    check(accepted <= RATIO_MAX * was, `p99 of accepted orders ${shown(was)} -> ${shown(accepted)} ms`);
    check(!(refused > REFUSED_MS_MAX), `p99 of ${twice.refusedMs.length} refusals ${shown(refused)} ms`);
    check(
      twice.perSecond >= CAPACITY_SHARE_MIN * full.perSecond,
      `${Math.round(twice.perSecond)} orders a second go on, ${(twice.perSecond / full.perSecond).toFixed(2)} of the capacity`,
    );
    check(twice.failed === 0, `${twice.failed} other errors`);
    check(after.refusedMs.length === 0, `${after.refusedMs.length} refused once the overload is over`);
  } finally {
    await endPart(load.child);
  }
}

function check(holds: boolean, line: string): void {
  if (!holds) isFair = false;
  say(`  ${holds ? 'holds ' : 'BROKEN'} ${line}`);
}

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

function shown(ms: number): string {
  return ms.toFixed(ms < 10 ? 1 : 0);
}
