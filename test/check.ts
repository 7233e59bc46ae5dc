import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

/**
 * `npm run check`: runs every script of package.json named `check:…`, as many at once as there are processors, and
 * prints each when it has ended. Exits with 1 when one fails; the others are run all the same.
 */
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Readonly<Record<string, string>> };

/** These take longest; what begins with them ends with the rest. */
const LONG_FIRST = ['check:lint', 'check:types', 'check:contract'];

const waiting = Object.keys(scripts)
  .filter((name) => name.startsWith('check:'))
  .toSorted((a, b) => placeOf(a) - placeOf(b));

function placeOf(name: string): number {
  const place = LONG_FIRST.indexOf(name);
  return place === -1 ? LONG_FIRST.length : place;
}

async function runOne(name: string): Promise<void> {
  const beganMs = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  process.stdout.write(`${name}: ${status === 0 ? 'passes' : 'FAILS'} (${seconds} s)\n${stdout}${stderr}`);
  if (status !== 0) process.exitCode = 1;
}

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runOne(name);
}

await Promise.all(Array.from({ length: availableParallelism() }, work));
