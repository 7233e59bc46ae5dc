import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import { silentLog } from '../../src/lib/log.ts';
import type { ApiReady } from '../api.ts';
import { ask, endPart, startPart } from '../service-process.ts';
import { PROCESSORS, runCampaign } from './campaign.ts';
import type { Outside, OutsideUse } from './outside.ts';
import type { LoadReport } from './overload.ts';
import { quantile, RATIO_MAX, report, shown } from './report.ts';

const HELP = `npm run bench:fair [-- --seconds 20] [--only WORDS,WORDS] [--no-overload] [--no-campaign]

One account does its worst on each entry, within its limits, and then on all of them at once. Meanwhile another account
and an operator work, one request after another. Then orders come at twice the capacity. It takes ten minutes.

Each p99 is held against that of the same endpoint alone, and against a null attack: a process outside the service that
burns as much processor time as attacker and remote hosts did. Exits with 1 if a p99 is more than twice what it is alone
and more than under the null attack, if a request of the victim or the operator failed, or if under overload less than
0.9 of the capacity goes on, accepted orders are slow, or refusals are. That capacity is measured beside a process that
burns as much more as the overload costs its sender.

--seconds      how long each attack is measured; a p99 needs 20 seconds to have 300 samples
--only         the attacks whose name has these words; several are separated by commas
--no-overload  leaves out the overload
--no-campaign  leaves out all but the overload
`;

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    only: { type: 'string' },
    'no-overload': { type: 'boolean', default: false },
    'no-campaign': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const REFUSED_MS_MAX = 100;
const CAPACITY_SHARE_MIN = 0.9;
/** Less than that, as a multiple of the capacity, was no overload: the load could not send as fast. */
const OFFERED_MIN = 1.9;
/**
 * The share of the capacity at which the ordinary p99 is measured: a service that is busy, not one that is full. What
 * placing leaves to workers is still done beside it.
 */
const ORDINARY_SHARE = 0.6;
/** Hundreds of orders a second need less time for a p99. */
const OVERLOAD_SECONDS_MAX = 10;
const OVERLOAD_ROUNDS = 3;

/** A load warms up for so long. */
const LOAD_SECONDS_MORE = 3;

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
    if (!options['no-campaign']) isFair = await campaign(api.ready, outside);
    if (!options['no-overload']) await overload(api.ready);
  } finally {
    await endPart(api.child);
    await endPart(outside.child);
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
  process.exitCode = isFair ? 0 : 1;
}

async function campaign(
  ready: ApiReady,
  outside: { readonly child: ChildProcess; readonly ready: Outside },
): Promise<boolean> {
  say(`${PROCESSORS} processors for attackers, victim, service and database together; ${seconds} s an attack.`);
  const seen = await runCampaign({
    ready,
    attacker: { personalised: ready.personalised, outside: outside.ready },
    hostsUse: () => ask<OutsideUse>(outside.child, {}),
    only: options.only?.split(',') ?? [],
    seconds,
    say,
  });
  return report(seen, say);
}

/** What is compared of an overload; the machine changes within seconds, so each is a sum of rounds. */
type Phase = 'full' | 'ordinary' | 'twice' | 'beside' | 'after';

async function overload(ready: ApiReady): Promise<void> {
  const load = await startPart('fair/overload.ts', { env: { BENCH_API: JSON.stringify(ready) } });
  const lasting = Math.min(seconds, OVERLOAD_SECONDS_MAX);
  const run = (perSecond: number | undefined): Promise<LoadReport> => ask(load.child, { seconds: lasting, perSecond });
  const rounds: Record<Phase, LoadReport>[] = [];
  try {
    let extra = 0;
    for (let round = 0; round < OVERLOAD_ROUNDS; round += 1) {
      const full = await run(undefined);
      const ordinary = await run(ORDINARY_SHARE * full.perSecond);
      const twice = await run(2 * full.perSecond);
      extra = Math.max(0, twice.processors - full.processors);
      const beside = await besideBurning(extra, lasting + LOAD_SECONDS_MORE, () => run(undefined));
      const after = await run(ORDINARY_SHARE * full.perSecond);
      rounds.push({ full, ordinary, twice, beside, after });
    }
  } finally {
    await endPart(load.child);
  }
  judge((phase) => sumOf(rounds.map((round) => round[phase])));
}

/** The reports of one phase as one: the times of all, and the mean of what is counted by the second. */
function sumOf(reports: readonly LoadReport[]): LoadReport {
  const mean = (of: (report: LoadReport) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0) / reports.length;
  return {
    perSecond: mean(({ perSecond }) => perSecond),
    offeredPerSecond: mean(({ offeredPerSecond }) => offeredPerSecond),
    processors: mean(({ processors }) => processors),
    acceptedMs: reports.flatMap(({ acceptedMs }) => acceptedMs),
    refusedMs: reports.flatMap(({ refusedMs }) => refusedMs),
    failed: reports.reduce((sum, { failed }) => sum + failed, 0),
  };
}

function judge(of: (phase: Phase) => LoadReport): void {
  const [full, ordinary, twice, beside, after] = [of('full'), of('ordinary'), of('twice'), of('beside'), of('after')];
  const was = quantile(ordinary.acceptedMs, 0.99);
  const accepted = quantile(twice.acceptedMs, 0.99);
  const refused = quantile(twice.refusedMs, 0.99);
  const extra = shown(Math.max(0, twice.processors - full.processors));
  say(`\noverload, ${OVERLOAD_ROUNDS} rounds: capacity ${Math.round(full.perSecond)} orders a second`);
  say(
    `  the load used ${shown(full.processors)} processors, and ${extra} more at twice the capacity;` +
      ` beside as much burnt the capacity is ${Math.round(beside.perSecond)}`,
  );
  check(
    twice.offeredPerSecond >= OFFERED_MIN * full.perSecond,
    `${Math.round(twice.offeredPerSecond)} a second were offered`,
  );
  check(ordinary.refusedMs.length === 0, `${ordinary.refusedMs.length} refused before the overload`);
  check(accepted <= RATIO_MAX * was, `p99 of accepted orders ${shown(was)} -> ${shown(accepted)} ms`);
  check(!(refused > REFUSED_MS_MAX), `p99 of ${twice.refusedMs.length} refusals ${shown(refused)} ms`);
  check(
    twice.perSecond >= CAPACITY_SHARE_MIN * beside.perSecond,
    `${Math.round(twice.perSecond)} orders a second go on, ${(twice.perSecond / beside.perSecond).toFixed(2)} of that`,
  );
  check(twice.failed === 0, `${twice.failed} other errors`);
  check(after.refusedMs.length === 0, `${after.refusedMs.length} refused once the overload is over`);
}

async function besideBurning<T>(share: number, burnSeconds: number, work: () => Promise<T>): Promise<T> {
  const burner = await startPart('fair/burn.ts');
  try {
    const burnt = ask(burner.child, { share: Math.min(1, share), seconds: burnSeconds });
    const result = await work();
    await burnt;
    return result;
  } finally {
    await endPart(burner.child);
  }
}

function check(holds: boolean, line: string): void {
  if (!holds) isFair = false;
  say(`  ${holds ? 'holds ' : 'BROKEN'} ${line}`);
}
