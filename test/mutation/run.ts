import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, mutantsOf, plant } from './mutants.ts';

/**
 * `npm run mutants`, by night only: plants one small bug after another in a copy of the code that decides money and
 * signatures, and runs the pure tests that stand beside it. A bug that they let through has survived. Prints a score
 * by slice and every survivor. `PLATEN_MUTANTS_MINUTES` bounds it; beyond that each file's bugs are a sample, the
 * same for the same count.
 */
const MINUTES = Number(process.env.PLATEN_MUTANTS_MINUTES ?? 60);
const TIMEOUT_MS = 20_000;

/** Files by name, wherever in `src/` they stand, and the tests that hold each. */
const SLICES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  pricing: {
    'vat.ts': ['vat.test.ts', 'quote.test.ts'],
    'duty.ts': ['duty.test.ts'],
    'shipping.ts': ['shipping.test.ts', 'quote.test.ts'],
    'territory.ts': ['territory.test.ts'],
    'postcode.ts': ['postcode.test.ts', 'territory.test.ts'],
    'price-lines.ts': ['quote.test.ts'],
    'quote.ts': ['quote.test.ts'],
  },
  billing: {
    'money.ts': ['money.test.ts'],
    'chart.ts': ['chart.test.ts'],
    'past-time.ts': ['past-time.test.ts'],
  },
  payments: { 'without-setups.ts': ['without-setups.test.ts'] },
  refunds: { 'refund-amounts.ts': ['refund-amounts.test.ts'] },
  // How an attempt is judged and counted is held by tests that need a database: too slow for a bug at a time.
  webhooks: { 'sign.ts': ['sign.test.ts'], 'envelope.ts': ['envelope.test.ts'] },
};

const root = resolve(import.meta.dirname, '../..');
const sandbox = mkdtempSync(join(tmpdir(), 'platen-mutants-'));
const find = (name: string): string => {
  const found = globSync(`src/**/${name}`, { cwd: root }).filter((path) => path.endsWith(`/${name}`));
  if (found.length !== 1) throw new Error(`src/ has ${found.length} files of the name ${name}`);
  return found[0] ?? '';
};

/** Whether the tests see the bug: one of them fails, or does not end. */
async function isSeen(tests: readonly string[]): Promise<boolean> {
  for (const test of tests) {
    const child = spawn(process.execPath, [test], {
      cwd: sandbox,
      stdio: 'ignore',
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    if (status !== 0) return true;
  }
  return false;
}

/** So many of a list, evenly spread. */
function sample(mutants: readonly Mutant[], count: number): readonly Mutant[] {
  if (count >= mutants.length) return mutants;
  return Array.from({ length: count }, (_, at) => mutants[Math.floor((at * mutants.length) / count)]).filter(
    (mutant) => mutant !== undefined,
  );
}

type Result = { readonly planted: number; readonly tried: number; readonly survivors: readonly string[] };

async function mutateFile(name: string, testNames: readonly string[], endsAt: number): Promise<Result> {
  const [path, tests] = [find(name), testNames.map(find)];
  const original = readFileSync(join(root, path), 'utf8');
  const source = stripTypeScriptTypes(original);
  const began = performance.now();
  if (await isSeen(tests)) throw new Error(`${tests.join(', ')} fails without a planted bug`);
  const all = mutantsOf(source);
  const took = performance.now() - began;
  const chosen = sample(all, Math.max(1, Math.floor((endsAt - performance.now()) / took)));
  const survivors: string[] = [];
  let tried = 0;
  for (const mutant of chosen) {
    if (performance.now() > endsAt) break;
    writeFileSync(join(sandbox, path), plant(source, mutant));
    tried += 1;
    if (!(await isSeen(tests))) survivors.push(`${path}:${mutant.what}`);
  }
  writeFileSync(join(sandbox, path), original);
  return { planted: all.length, tried, survivors };
}

try {
  for (const folder of ['src', 'test', 'data', 'package.json'])
    cpSync(join(root, folder), join(sandbox, folder), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(sandbox, 'node_modules'));
  const files = Object.values(SLICES).flatMap((slice) => Object.keys(slice)).length;
  const minutesEach = MINUTES / files;
  for (const [slice, of] of Object.entries(SLICES)) {
    const results: Result[] = [];
    for (const [name, tests] of Object.entries(of)) {
      results.push(await mutateFile(name, tests, performance.now() + minutesEach * 60_000));
    }
    const sum = (part: (result: Result) => number): number =>
      results.reduce((total, result) => total + part(result), 0);
    const [tried, survived] = [sum((result) => result.tried), sum((result) => result.survivors.length)];
    const score = ((100 * (tried - survived)) / tried).toFixed(1);
    process.stdout.write(
      `${slice}: ${score} % of ${tried} planted bugs seen (of ${sum((result) => result.planted)} there are)\n`,
    );
    for (const survivor of results.flatMap((result) => result.survivors))
      process.stdout.write(`  survived ${survivor}\n`);
  }
} finally {
  rmSync(sandbox, { recursive: true, force: true });
}
