import { globSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { SERVER_VARIABLE, startTestServer } from './harness/database.ts';

/**
 * `npm test`: starts one real PostgreSQL, makes the migrated template, and runs every test file in a process of its own with a
 * copy of the template each. Arguments are file names or parts of them; none means all.
 */
const FILES = ['src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];
const FILES_AT_ONCE = 2;
const FILE_TIMEOUT_MS = 300_000;

const wanted = process.argv.slice(2);
const files = FILES.flatMap((pattern) => globSync(pattern))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .toSorted();
if (files.length === 0) {
  process.stderr.write(`No test file matches ${wanted.join(', ')}.\n`);
  process.exit(2);
}

const server = await startTestServer();
process.env[SERVER_VARIABLE] = JSON.stringify(server.address);
try {
  const events = run({ files, concurrency: FILES_AT_ONCE, timeout: FILE_TIMEOUT_MS, isolation: 'process' });
  events.on('test:fail', () => {
    process.exitCode = 1;
  });
  const report = events.compose(spec);
  report.pipe(process.stdout);
  await finished(report);
} finally {
  await server.stop();
}
