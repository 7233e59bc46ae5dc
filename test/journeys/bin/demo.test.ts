import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import sharp from 'sharp';
import { isGenuineDelivery } from '../../../demo/receiver.ts';
import { eventually } from '../../harness/context.ts';
import { environment } from '../../harness/environment.ts';

const PROGRAM = fileURLToPath(new URL('../../../demo/run.ts', import.meta.url));
const RUN_TIMEOUT_MS = 240_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-demo-test-'));
});
after(() => rm(folder, { recursive: true, force: true }));

type Demo = {
  readonly child: ChildProcess;
  readonly cwd: string;
  /** The system's folder for scratch, as the demo is told. */
  readonly scratch: string;
  readonly output: () => string;
  readonly errors: () => string;
};

async function startDemo(name: string, env: Record<string, string> = {}): Promise<Demo> {
  const cwd = join(folder, name);
  const scratch = join(folder, `${name}-tmp`);
  await mkdir(cwd);
  await mkdir(scratch);
  const child = spawn(process.execPath, [PROGRAM], {
    cwd,
    env: environment({ ...env, TMPDIR: scratch }),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_TIMEOUT_MS,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  return { child, cwd, scratch, output: () => output, errors: () => errors };
}

async function statusOf({ child }: Demo): Promise<number | null> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status;
}

/** Neither a file of the demo's own nor a process that works in its scratch folder or was told of it. */
async function assertNothingLeft({ scratch }: Demo): Promise<void> {
  assert.deepEqual(await readdir(scratch), []);
  await eventually('the processes of the demo to be gone', async () => (await processesOf(scratch)).length === 0);
}

/** Told by /proc, where there is one. */
async function processesOf(scratch: string): Promise<string[]> {
  if (!existsSync('/proc/self/cwd')) return [];
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => {
      // A process that is another's, or gone by now, shows nothing.
      const cwd = await readlink(`/proc/${id}/cwd`).catch(() => '');
      const env = await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '');
      return cwd.startsWith(scratch) || env.includes(scratch) ? id : undefined;
    }),
  );
  return found.filter((id) => id !== undefined);
}

test('the demo places an order, is charged once, gets its signed webhook and its print files, and leaves nothing behind', async () => {
  // Settings of a real shop that stand in the environment: the demo must not touch that shop.
  const demo = await startDemo('whole', { DATABASE_URL: 'postgres://real.example/shop', BASE_URL: 'not an origin' });
  await writeFile(join(demo.cwd, '.env'), 'BLOB_STORE=s3://real\nDATABASE_URL=postgres://real.example/shop\n');
  assert.equal(await statusOf(demo), 0, demo.errors());
  assert.equal(demo.errors(), '');
  await assertNothingLeft(demo);

  const output = demo.output();
  assert.equal(stripVTControlCharacters(output), output, 'colours are for a terminal');
  const lines = output.trimEnd().split('\n');
  assert.ok(lines.length <= 36, `${lines.length} lines leave no room on a screen of 40 for what npm prints`);
  for (const line of lines) assert.ok(line.length <= 80, `wider than a screen of 80: ${line}`);

  const reference = /Order (PF-[0-9A-Z]{8}) is placed and paid/.exec(output)?.[1];
  assert.ok(reference, output);
  const expected = [
    /service is ready on http:\/\/127\.0\.0\.1:\d+\./,
    /Webhook registered: order\.created to https:\/\/localhost:\d+\//,
    /2 × £\d+\.\d\d +£\d+\.\d\d\n +front dtg, back dtf, left_sleeve embroidery\n/,
    /Setup.* £\d+\.\d\d\n +Shipping.* £\d+\.\d\d\n +VAT.* £\d+\.\d\d\n +Duty.* £\d+\.\d\d\n +Total.* £\d+\.\d\d\n/,
    new RegExp(`Sent once more as shop-1001: the same order ${reference} comes back\\.`),
    /Webhook order\.created: signature verified, a changed copy refused\./,
    /The balance went from £[\d,.]+ to £[\d,.]+: charged once\./,
    /The books are verified: \d+ invariants hold\./,
    /The service has drained and stopped; the scratch folder is removed\.$/,
  ];
  for (const pattern of expected) assert.match(output.trimEnd(), pattern);

  const files = [
    'line-1-back.png',
    'line-1-front.png',
    'line-1-left_sleeve.png',
    'line-2-front.png',
    'line-3-back.png',
    'line-3-front.png',
  ];
  assert.deepEqual((await readdir(join(demo.cwd, '.demo'))).toSorted(), files);
  for (const file of files) {
    const { format, width, height, density } = await sharp(join(demo.cwd, '.demo', file)).metadata();
    const size = file.includes('sleeve') ? [1063, 1063] : [3543, 4724];
    assert.deepEqual([format, width, height, density], ['png', ...size, 300], file);
    const row = output.split('\n').find((line) => line.includes(`.demo/${file} `));
    assert.match(row ?? '', new RegExp(`${size.join(' × ')} px +300 dpi`));
  }
});

for (const [signal, status, moment] of [
  ['SIGINT', 130, 'The service starts'],
  ['SIGTERM', 143, 'Webhook registered'],
] as const) {
  test(`${signal} after "${moment}" stops the demo, its service and its database, and removes the scratch folder`, async () => {
    const demo = await startDemo(signal);
    await eventually(moment, () => demo.output().includes(moment), RUN_TIMEOUT_MS);
    demo.child.kill(signal);
    assert.equal(await statusOf(demo), status);
    assert.equal(demo.errors(), 'demo: interrupted; what it started is stopped and removed\n');
    await assertNothingLeft(demo);
  });
}

test('a demo that fails says why in one line, shows the end of the log, and leaves nothing behind', async () => {
  const demo = await startDemo('failing');
  await writeFile(join(demo.cwd, '.demo'), 'a file where the print files would go');
  assert.equal(await statusOf(demo), 1);
  const [reason = '', heading, ...log] = demo.errors().trimEnd().split('\n');
  assert.match(reason, /^demo: .*EEXIST.*\.demo/);
  assert.equal(heading, "The end of the service's log:");
  assert.match(log.join('\n'), /TRUSTED_PRIVATE_HOSTS/);
  assert.doesNotMatch(demo.output(), /print-ready:/);
  await assertNothingLeft(demo);
});

test('a receiver takes what the service signed in the last 300 seconds, and nothing else (6.5.2, 6.5.3, 8 signature tolerance)', () => {
  const secret = 'whsec_c2VjcmV0';
  const body = Buffer.from('{"event":"order.created"}');
  const now = Math.floor(Date.now() / 1_000);
  const signed = (timestamp: number | string, key = secret) => ({
    'svc-timestamp': String(timestamp),
    'svc-signature': createHmac('sha256', key).update(`${timestamp}.${body.toString()}`).digest('hex'),
  });
  const rows: readonly [string, Record<string, string>, boolean][] = [
    ['now', signed(now), true],
    ['within the tolerance', signed(now - 290), true],
    ['too old', signed(now - 310), false],
    ['from the future', signed(now + 310), false],
    ['another secret', signed(now, 'whsec_b3RoZXI='), false],
    ['another timestamp', { ...signed(now), 'svc-timestamp': String(now - 1) }, false],
    ['no number as timestamp', signed('soon'), false],
    ['no signature', { 'svc-timestamp': String(now) }, false],
    ['half a signature', { ...signed(now), 'svc-signature': signed(now)['svc-signature'].slice(0, 32) }, false],
  ];
  for (const [name, headers, isGenuine] of rows) {
    assert.equal(isGenuineDelivery({ headers, body }, secret), isGenuine, name);
  }
});
