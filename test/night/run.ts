import { execFileSync, spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { scratchParent } from '../harness/scratch.ts';
import { DAYS, type Report } from './days.ts';
import { PARTS } from './parts.ts';
import { soak } from './soak.ts';

const HELP = `npm run night                    every bad day, one after another, then the soak, connected shops and Medusa
npm run night -- disk-full-log   these alone; soak, shops, shopify, earlier and medusa are among them
  --seconds 60     how long the trouble of each day lasts
  --hours 6        how long the soak lasts; 0.17 is a trial of ten minutes, and less is warming up
  --orders 10000   how many orders a connected shop sells
  --kills 100      how often the service is killed while they come in, and again while they are sent
  --scratch DIR    where it works; needs 3 GB, best on a real disk

${Object.entries(DAYS)
  .map(([name, { is }]) => `  ${name.padEnd(20)}${is}`)
  .join('\n')}
  soak                steady load; memory, descriptors, tables, queues and log must not grow
${Object.entries(PARTS)
  .map(([name, { is }]) => `  ${name.padEnd(20)}${is}`)
  .join('\n')}
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
    hours: { type: 'string', default: '6' },
    orders: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '100' },
    scratch: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => name !== 'soak' && DAYS[name] === undefined && PARTS[name] === undefined);
const [seconds, hours] = [Number(values.seconds), Number(values.hours)];
const [orders, kills] = [Number(values.orders), Number(values.kills)];
const isSize = Number.isSafeInteger(orders) && orders > 0 && Number.isSafeInteger(kills) && kills >= 0;
if (values.help || unknown.length > 0 || !(seconds > 0) || !(hours > 0) || !isSize) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 2);
}

/** Set in the process that has mounts of its own, which end with it. */
const OWN_MOUNTS = 'PLATEN_NIGHT_MOUNTS';
if (process.env[OWN_MOUNTS] === undefined && canMount()) {
  const { status } = spawnSync('unshare', ['-m', process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    stdio: 'inherit',
    env: { ...process.env, [OWN_MOUNTS]: '1' },
  });
  process.exit(status ?? 1);
}

function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

const parent = values.scratch ?? scratchParent();
const names = positionals.length > 0 ? positionals : [...Object.keys(DAYS), 'soak', ...Object.keys(PARTS)];
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const ended = { held: [] as string[], FAILED: [] as string[], skipped: [] as string[] };
for (const [at, name] of names.entries()) {
  const day = DAYS[name];
  if (day?.mounts === true && process.env[OWN_MOUNTS] === undefined) {
    ended.skipped.push(name);
    print(`skipped  ${name}: it mounts disks, which takes root and unshare`);
    continue;
  }
  const beganMs = performance.now();
  print(`begins   ${name}, ${at + 1} of ${names.length}`);
  try {
    const part = PARTS[name];
    const report =
      day !== undefined
        ? await day.run({ parent, seconds })
        : part !== undefined
          ? await part.run({ orders, kills })
          : await soak({ parent, hours, print });
    ended.held.push(name);
    print(`held     ${name} in ${Math.round((performance.now() - beganMs) / 1_000)} s: ${linesOf(report)}`);
  } catch (error) {
    process.exitCode = 1;
    ended.FAILED.push(name);
    print(`FAILED   ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }
}

for (const [how, those] of Object.entries(ended)) {
  if (those.length > 0) print(`in all   ${how} ${those.length}: ${those.join(', ')}`);
}

function linesOf(report: Report): string {
  return Object.entries(report)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${value}`)
    .join('; ');
}
