import { availableParallelism, cpus, loadavg } from 'node:os';
import { measureAtRest } from './at-rest.ts';
import { measureDeliveries } from './deliveries.ts';
import type { Row } from './figures.ts';
import { measureInstall } from './install.ts';
import type { Turns } from './interleave.ts';
import { MEASURES, type Measure } from './measures.ts';
import { type Options, parseOptions } from './options.ts';
import { startParts, type Work } from './parts.ts';
import { measurePrintFiles } from './print-files.ts';
import { openProcessorClock } from './processor-clock.ts';
import { type Results, writeResults } from './results.ts';
import { shown, textTable } from './table.ts';

type Lengths = { readonly rounds: number; readonly seconds: number };

/** A measure that starts by itself what it needs, and returns rows of the table. */
type Part = {
  readonly name: string;
  readonly about: string;
  readonly run: (how: Lengths, say: (line: string) => void) => Promise<readonly Row[]>;
};

const INSTALL = 'install';
/** The larger backlog of a claim. A million takes minutes to write, so it is for `node bench/deliveries.ts` alone. */
const PENDING = 100_000;

const PARTS: readonly Part[] = [
  {
    name: 'deliveries',
    about: 'processor time of a delivery, how soon it is tried, and a claim with many due',
    run: ({ seconds }) => measureDeliveries({ seconds, pending: PENDING }),
  },
  {
    name: 'print-files',
    about: 'print files against the same operations in plain sharp',
    run: ({ seconds }) => measurePrintFiles({ seconds }),
  },
  {
    name: 'at-rest',
    about: 'memory of `platen serve` at rest, and how soon it is ready',
    run: ({ rounds }, say) => measureAtRest({ rounds, say }),
  },
  {
    name: INSTALL,
    about: 'what an install without development packages takes; needs the network',
    run: (_, say) => measureInstall(say),
  },
];

const ALL = [...MEASURES, ...PARTS];
const HELP = `npm run bench [-- --only NAME,NAME] [--seconds 4] [--rounds 5] [--install] [--plots]

Measures the speeds of docs/scaling.md: the service against what the same database, driver or server does alone, in turn
on one machine. Of each figure the median of the rounds counts, and the ratio is taken round by round, so that the speed of
the machine falls out. Exits with 1 if a measure failed or \`platen verify\` finds something afterwards.

--only     these measures alone
--seconds  how long a round lasts
--rounds   how often each is measured
--install  also measures an install, which needs the network
--plots    writes docs/plots and the table of docs/scaling.md

${ALL.map(({ name, about }) => `${name.padEnd(13)}${about}`).join('\n')}
`;

const write = (line: string): void => void process.stdout.write(`${line}\n`);
const say = (line: string): void => void process.stderr.write(`  ${line}\n`);

const options = readOptions();
if (options?.help === true) process.stdout.write(HELP);
else if (options !== undefined) await main(options);

function readOptions(): Options | undefined {
  try {
    return parseOptions(
      process.argv.slice(2),
      ALL.map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nSee npm run bench -- --help\n`);
    process.exitCode = 2;
    return undefined;
  }
}

async function main({ only, seconds, rounds, install, plots }: Options): Promise<void> {
  const isChosen = ({ name }: { readonly name: string }): boolean =>
    only.includes(name) || (only.length === 0 && name !== INSTALL) || (install && name === INSTALL);
  const machine = {
    processors: availableParallelism(),
    model: cpus()[0]?.model ?? '',
    loadAverage: loadavg()[0] ?? 0,
  };
  write(
    `${machine.processors} processors for load, service and database together, load average ${machine.loadAverage.toFixed(1)} before; ${rounds} rounds of ${seconds} s each.`,
  );
  const failures: string[] = [];
  const rows: Row[] = [];
  const collect = async (name: string, run: () => Promise<readonly Row[]>): Promise<void> => {
    try {
      rows.push(...(await run()));
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const measures = MEASURES.filter(isChosen);
  if (measures.length > 0) failures.push(...(await measureTogether(measures, { rounds, seconds }, collect)));
  for (const part of PARTS.filter(isChosen)) await collect(part.name, () => part.run({ rounds, seconds }, say));

  write(`\n${textTable(rows)}\n`);
  for (const failure of failures) write(`FAILED ${failure}`);
  if (failures.length > 0) {
    process.exitCode = 1;
    return;
  }
  if (!plots) return;
  const command = `npm run bench -- ${process.argv.slice(2).join(' ')}`;
  const results: Results = { command, takenOn: new Date().toISOString().slice(0, 10), machine, rounds, seconds, rows };
  for (const path of await writeResults(results)) write(`written: ${path}`);
}

/** Runs the measures of one service, and returns what `platen verify` finds afterwards. */
async function measureTogether(
  measures: readonly Measure[],
  lengths: Lengths,
  collect: (name: string, run: () => Promise<readonly Row[]>) => Promise<void>,
): Promise<string[]> {
  const clock = openProcessorClock();
  if (clock === undefined) write('There is no /proc/self/schedstat here: processor time is left out.');
  const parts = await startParts(clock, say);
  const turnsOf = (name: string): Turns<Work> => ({
    ...lengths,
    onRound: (round, arm, { perSecond }) => say(`${name}, round ${round}: ${arm} ${shown(perSecond)}/s`),
  });
  try {
    const rowsOfAnOrder = Object.entries(parts.rowsOfAnOrder).map(([table, count]) => `${count} ${table}`);
    write(`Rows of an order of two lines: ${rowsOfAnOrder.join(', ')}.`);
    for (const { name, run } of measures) await collect(name, () => run(parts, turnsOf(name)));
    say('platen verify');
    const { violations } = await parts.verify();
    write(violations.length === 0 ? '\nverify: clean' : '\nverify: BROKEN');
    return violations.map((violation) => `verify: ${violation}`);
  } finally {
    await parts.close();
  }
}
