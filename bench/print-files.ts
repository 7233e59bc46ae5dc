import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platen/embedded-postgres';
import { silentLog } from '../src/lib/log.ts';
import { type Goal, type Row, rowOf } from './figures.ts';
import { type Round, TEMPLATE } from './print-files/work.ts';
import { processorTime, processorTimeOfAll, watchMemory } from './processor-time.ts';
import { ask, endPart, startPart } from './service-process.ts';
import { textTable } from './table.ts';

const ROUNDS = 3;
/** Print files of a first round, by which the others are sized. */
const FIRST_FILES = 4;
const MEGAPIXELS = (TEMPLATE.widthPx * TEMPLATE.heightPx) / 1e6;

type Part = Awaited<ReturnType<typeof startPart>>['child'];
type Made = {
  readonly perSecond: number;
  /** Processor time of a file in milliseconds: where pictures are decoded, in the rest of the service, PostgreSQL. */
  readonly decodingMs: number;
  readonly mainMs: number;
  readonly postgresMs: number;
  readonly peakMib: number;
};

/** Measures print files from stored artwork to stored file, against the same operations in plain sharp; needs Linux. */
export async function measurePrintFiles({ seconds }: { readonly seconds: number }): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  const env = { BENCH_DATABASE: JSON.stringify(postgres.connection) };
  const service = await startPart('print-files/service.ts', { env });
  const bare = await startPart('print-files/bare.ts');
  const measure = {
    ours: (round: Round) => makeFiles({ part: service.child, postgres, isService: true }, round),
    theirs: (round: Round) => makeFiles({ part: bare.child, postgres, isService: false }, round),
  };
  try {
    await measure.theirs({ round: 0, files: FIRST_FILES });
    const first = await measure.ours({ round: 0, files: FIRST_FILES });
    const files = Math.max(FIRST_FILES, Math.ceil((first.perSecond * seconds) / MEGAPIXELS));
    const ours: Made[] = [];
    const theirs: Made[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      ours.push(await measure.ours({ round, files }));
      theirs.push(await measure.theirs({ round, files }));
      process.stderr.write(`  round ${round}: ${shown(ours.at(-1))}; plain sharp ${shown(theirs.at(-1))}\n`);
    }
    return rowsOf(ours, theirs);
  } finally {
    for (const part of [service, bare]) await endPart(part.child);
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function rowsOf(ours: readonly Made[], theirs: readonly Made[]): Row[] {
  const against = 'plain sharp';
  const row = (what: string, unit: string, of: (made: Made) => number, goal?: Goal): Row =>
    rowOf(
      ours.map((own, round) => ({ ours: of(own), theirs: of(theirs[round] ?? own) })),
      { what, unit, against, ...(goal === undefined ? {} : { goal }) },
    );
  const fast: Goal = { of: 'ratio', is: 'at least', value: 0.9 };
  const small: Goal = { of: 'ratio', is: 'at most', value: 1.3 };
  return [
    row('print files with previews, of the output', 'megapixels/s', ({ perSecond }) => perSecond, fast),
    row('processor time of a print file where it is drawn', 'ms', ({ decodingMs }) => decodingMs),
    row('beside it in the rest of the service', 'ms', ({ mainMs }) => mainMs),
    row('and in PostgreSQL', 'ms', ({ postgresMs }) => postgresMs),
    row('memory where it is drawn, at most', 'MiB', ({ peakMib }) => peakMib, small),
  ];
}

function shown(made: Made | undefined): string {
  if (made === undefined) return '-';
  const { perSecond, decodingMs, mainMs, postgresMs, peakMib } = made;
  const times = [decodingMs, mainMs, postgresMs].map((ms) => ms.toFixed(1)).join(' + ');
  return `${perSecond.toFixed(1)} megapixels/s, ${times} ms, ${Math.round(peakMib)} MiB`;
}

async function makeFiles(
  { part, postgres, isService }: { part: Part; postgres: EmbeddedPostgres; isService: boolean },
  round: Round,
): Promise<Made> {
  const pid = part.pid ?? 0;
  const read = () => ({
    own: processorTime(pid).all,
    all: processorTimeOfAll(pid).all,
    postgres: processorTimeOfAll(postgres.pid() ?? 0).all,
  });
  const memory = watchMemory([pid], isService);
  const before = read();
  const startedAt = performance.now();
  await ask(part, round);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = read();
  const each = (value: number): number => (value * 1_000) / round.files;
  const own = each(after.own - before.own);
  return {
    perSecond: (round.files * MEGAPIXELS) / seconds,
    decodingMs: isService ? each(after.all - before.all) - own : own,
    mainMs: isService ? own : 0,
    postgresMs: isService ? each(after.postgres - before.postgres) : 0,
    peakMib: memory.stop() / 2 ** 20,
  };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
  process.stdout.write(`${textTable(await measurePrintFiles({ seconds: Number(values.seconds) }))}\n`);
}
