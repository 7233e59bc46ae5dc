import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { bundle } from './harness/bundles.ts';
import { addDemoTemplate, SERVER_VARIABLE, startTestServer } from './harness/database.ts';
import { makeScratch } from './harness/scratch.ts';

const HELP = `npm test [-- PART…]        runs the test files whose path holds one of the parts; all without one
  npm test -- orders       every test with "orders" in its path
  npm test -- checkout/place-order

PLATEN_TEST_WORKERS=4      so many files at once; one more than the processors of this machine when it is not set
`;

const FILES = ['src/**/*.test.ts', 'packages/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];
/** What takes long by its nature goes first, so that no long file runs alone at the end; the rest is short. */
const LONG_FIRST = [
  'test/browser/',
  'test/model/',
  'test/faults/',
  'test/journeys/bin/',
  'packages/',
  'test/sdk/',
  'test/property/',
  'test/scale/',
];
/** Long together, but each is mostly the start of what the others start as well. */
const BUNDLED = ['test/browser/', 'test/scale/'];
/** Of a bundle, too, on a busy machine; a night is long. */
const FILE_TIMEOUT_MS = process.env.PLATEN_NIGHTLY === '1' ? 21_600_000 : 600_000;
const SLOWEST_SHOWN = 10;

/**
 * Starts one real PostgreSQL, makes the templates, and runs the test files with a copy of a template each: long ones in
 * a process of their own, short ones of a folder together. Scratch lies in memory where there is enough, and compiled
 * code is kept from one process to the next.
 */
const beganMs = performance.now();
const wanted = process.argv.slice(2);
if (wanted.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
const files = FILES.flatMap((pattern) => globSync(pattern))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .toSorted((a, b) => costOf(b) - costOf(a) || a.localeCompare(b));
if (files.length === 0) {
  process.stderr.write(`No test file matches ${wanted.join(', ')}.\n`);
  process.exit(2);
}

const scratch = makeScratch();
process.env.TMPDIR = scratch.directory;
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/platen-tests', import.meta.url));
process.env.NODE_OPTIONS = [
  process.env.NODE_OPTIONS,
  `--import=${new URL('harness/quick-imports.ts', import.meta.url).href}`,
].join(' ');
const server = await addDemoTemplate(await startTestServer());
process.env[SERVER_VARIABLE] = JSON.stringify(server.address);
const tookMs = new Map<string, number>();
try {
  const bundled = bundle(files, join(scratch.directory, 'bundles'), isAlone);
  const events = run({ files: bundled, concurrency: workers(), timeout: FILE_TIMEOUT_MS, isolation: 'process' });
  events.on('test:fail', () => {
    process.exitCode = 1;
  });
  events.on('test:complete', ({ name, nesting, file, details }) => {
    // A file is a test of its own or, in a bundle, a suite; it is named by its path.
    if (nesting === 0 && file !== undefined && name.endsWith('.test.ts')) tookMs.set(name, details.duration_ms);
  });
  const report = events.compose(spec);
  report.pipe(process.stdout);
  await finished(report);
  process.stdout.write(slowest());
  process.stdout.write(`It took ${((performance.now() - beganMs) / 1000).toFixed(0)} s.\n`);
} finally {
  await server.stop();
  scratch.remove();
}

function costOf(file: string): number {
  const place = LONG_FIRST.findIndex((folder) => file.startsWith(folder));
  return place === -1 ? 0 : LONG_FIRST.length - place;
}

function isAlone(file: string): boolean {
  return costOf(file) > 0 && !BUNDLED.some((folder) => file.startsWith(folder));
}

/** Most files wait as much as they compute, so one more than there are processors keeps those busy. */
function workers(): number {
  const asked = Number(process.env.PLATEN_TEST_WORKERS);
  return Number.isInteger(asked) && asked > 0 ? asked : availableParallelism() + 1;
}

function slowest(): string {
  const rows = [...tookMs].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN);
  const lines = rows.map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${relative('', file)}\n`);
  return `The slowest files:\n${lines.join('')}`;
}
