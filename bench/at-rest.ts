import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Row, rowOf } from './figures.ts';

/** Twice as long as the service takes to find that it rests, and to give memory back (docs/decisions/0046). */
const REST_MS = 25_000;
/** Memory differs little from one start to the next, and each time takes a rest. */
const MEMORY_ROUNDS_MAX = 3;
const KIB_OF_A_MB = 1_024;
const BUNDLE = fileURLToPath(new URL('../src/bin/bundle/bundle.js', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../src/bin/platen.js', import.meta.url));

/**
 * Measures `platen serve` as an operator starts it, with the embedded database.
 * How soon it is ready, the first time and later, and the resident memory of its process some seconds after that.
 */
export async function measureAtRest(options: {
  readonly rounds: number;
  readonly say: (line: string) => void;
}): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  try {
    // As after an install: sources that have changed since would run as they are.
    execFileSync(process.execPath, [BUNDLE], { stdio: 'ignore' });
    options.say('at rest: first start');
    const first = await serveOnce(folder, 0);
    const warm: Served[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      const served = await serveOnce(folder, round <= MEMORY_ROUNDS_MAX ? REST_MS : 0);
      options.say(`at rest, round ${round}: ready after ${served.seconds.toFixed(2)} s`);
      warm.push(served);
    }
    const memory = warm.flatMap(({ megabytes }) => megabytes ?? []);
    return [
      rowOf([{ ours: first.seconds }], {
        what: 'ready after the first start ever',
        unit: 's',
        goal: { of: 'ours', is: 'at most', value: 2 },
      }),
      rowOf(
        warm.map(({ seconds }) => ({ ours: seconds })),
        { what: 'ready after a warm start', unit: 's', goal: { of: 'ours', is: 'at most', value: 0.5 } },
      ),
      ...(memory.length === 0
        ? []
        : [
            rowOf(
              memory.map((ours) => ({ ours })),
              {
                what: `resident memory at rest, ${REST_MS / 1_000} s after ready`,
                unit: 'MB',
                goal: { of: 'ours', is: 'at most', value: 120 },
              },
            ),
          ]),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `megabytes`: the resident memory after a rest; undefined without one. */
type Served = { readonly seconds: number; readonly megabytes: number | undefined };

async function serveOnce(folder: string, restMs: number): Promise<Served> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--json'], {
    // None of the settings of this process. Compiled code is kept in the folder, so that the first start has none.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: join(folder, 'data'),
      NODE_COMPILE_CACHE: join(folder, 'compiled'),
      PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const ended = new AbortController();
    const died = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`platen serve ended with ${child.exitCode} before it was ready`);
    });
    died.catch(() => undefined);
    await Promise.race([once(createInterface({ input: child.stdout }), 'line'), died]);
    const seconds = (performance.now() - startedAt) / 1_000;
    ended.abort();
    if (restMs === 0) return { seconds, megabytes: undefined };
    await delay(restMs);
    return { seconds, megabytes: await residentMegabytes(child) };
  } finally {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Undefined where the system does not say it as Linux does. */
async function residentMegabytes({ pid }: ChildProcess): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? undefined : Number(kib) / KIB_OF_A_MB;
}
