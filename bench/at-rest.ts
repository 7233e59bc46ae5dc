import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Row, rowOf } from './figures.ts';

/** The memory settles after the start. */
const REST_MS = 5_000;
const KIB_OF_A_MB = 1_024;
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
    options.say('at rest: first start');
    const first = await serveOnce(folder);
    const warm: Served[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      warm.push(await serveOnce(folder));
      options.say(`at rest, round ${round}`);
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

type Served = { readonly seconds: number; readonly megabytes: number | undefined };

async function serveOnce(folder: string): Promise<Served> {
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
    await delay(REST_MS);
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
