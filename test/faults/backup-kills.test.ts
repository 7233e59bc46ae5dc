import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findRunningPostgres } from '@platen/embedded-postgres';
import { claimPart } from '@platen/embedded-postgres/data-dir';
import pg from 'pg';
import { eventually } from '../harness/context.ts';
import { installDemo } from '../harness/database.ts';
import { environment } from '../harness/environment.ts';
import { platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { scratchParent } from '../harness/scratch.ts';

const PROGRAM = fileURLToPath(new URL('../../src/bin/platen.js', import.meta.url));
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
/** Longer than a backup or a restore of a small shop takes on a busy machine. */
const WITHIN_MS = 120_000;
/** How often it is looked whether a file is there: a shorter pause would take a processor from what writes it. */
const LOOK_MS = 2;
/** How often a command that ended before it was killed is begun anew. */
const TRIES_MAX = 4;

let folder: string;
let env: Record<string, string>;
let service: ServiceProcess;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-backup-kills-'));
  env = { DATA_DIR: join(folder, 'data'), PORT: '0', LOG_LEVEL: 'error' };
  await installDemo(env);
  service = await startServiceProcess(env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

type Ended = { readonly status: number | null; readonly stderr: string };

function start(args: readonly string[], settings: Record<string, string>, user?: number): ChildProcess {
  const owner = user === undefined ? {} : { uid: user, gid: user };
  const options = {
    ...owner,
    env: environment(settings),
    stdio: ['ignore', 'ignore', 'pipe'] as const,
    cwd: process.cwd(),
  };
  return spawn(process.execPath, [PROGRAM, ...args], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { status: child.exitCode, stderr: await said };
}

/** Starts a command, and kills it as soon as a file is there; returns whether it was killed before its end. */
async function killAt(args: readonly string[], settings: Record<string, string>, pattern: string): Promise<boolean> {
  const child = start(args, settings);
  const ended = endOf(child);
  const endsAt = performance.now() + WITHIN_MS;
  while (child.exitCode === null && performance.now() < endsAt && globSync(pattern).length === 0) await sleep(LOOK_MS);
  child.kill('SIGKILL');
  await ended;
  return child.signalCode === 'SIGKILL';
}

const wholeIn = async (dir: string): Promise<string[]> => (await readdir(dir)).filter((name) => name.startsWith('20'));
const unfinishedIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => name.startsWith('unfinished-'));

async function slots(): Promise<number> {
  const address = await findRunningPostgres(env.DATA_DIR ?? '');
  assert.ok(address);
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query('select 1 from pg_replication_slots')).rows.length;
  } finally {
    await client.end();
  }
}

/** By night at each point, else at every seventh one. */
const some = (points: readonly string[]): string[] =>
  points.filter((_, at) => process.env.PLATEN_NIGHTLY === '1' || at % 7 === 0);

test('a backup that is killed anywhere leaves no half that is taken for a whole, and the next one is whole', async (t) => {
  const dir = join(folder, 'backups');
  const points = some([
    'platen-backups',
    'unfinished-*/blobs-before',
    'blobs/*/*/*',
    'unfinished-*/database/PG_VERSION',
    'unfinished-*/database/global/pg_control',
    'unfinished-*/database/pg_wal/0*',
    'unfinished-*/BLOBS.sha256',
    'unfinished-*/backup.json',
    'unfinished-*/FILES.sha256',
  ]);
  let killed = 0;
  for (const point of points) {
    // The last files are there for a moment only: on a busy machine it may be over before they are seen.
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const others = existsSync(dir) ? await wholeIn(dir) : [];
      const isKilled = await killAt(['backup', dir], env, join(dir, point));
      // One that came to its end all the same is whole; it is proved, and not counted.
      const made = (await wholeIn(dir)).filter((name) => !others.includes(name));
      for (const name of made) await platenJson(['drill', dir, '--at', name, '--scratch', folder], env);
      await eventually('the server has left backup mode', async () => (await slots()) === 0, WITHIN_MS);
      if (isKilled) {
        killed += 1;
        break;
      }
    }
  }
  t.diagnostic(`${killed} of ${points.length} were killed before their end`);
  assert.ok(killed > points.length / 2);
  assert.ok((await unfinishedIn(dir)).length > 0);
  await platenJson(['backup', dir], env);
  assert.deepEqual(await unfinishedIn(dir), []);
  const drilled = await platenJson<{ ok: boolean }>(['drill', dir, '--scratch', folder], env);
  assert.equal(drilled.ok, true);
});

test('a restore that is killed anywhere leaves a folder on which no service starts, and the next one is whole', async (t) => {
  const dir = join(folder, 'to-restore');
  await platenJson(['backup', dir], env);
  const to = join(folder, 'restored');
  const points = some([
    'restore-unfinished',
    'postgres/base',
    'postgres/global/pg_control',
    'secret.key',
    'blobs/files/*/*/*',
    'postgres/postmaster.pid',
    'postgres/backup_label.old',
  ]);
  let killed = 0;
  for (const point of points) {
    // Each restore begins anew, so what the last one left is no sign of how far this one has come.
    if (existsSync(to)) for (const path of globSync(join(to, point))) await rm(path, { recursive: true });
    if (!(await killAt(['restore', dir, '--to', to], env, join(to, point)))) break;
    killed += 1;
    const started = await runPlaten(['serve'], { ...env, DATA_DIR: to });
    assert.equal(started.status, 1, point);
    assert.match(started.stderr, /^platen: a restore into .* has not finished: run platen restore again/m);
  }
  t.diagnostic(`${killed} of ${points.length} were killed before their end`);
  assert.ok(killed > points.length / 2);
  assert.equal((await platenJson<{ ok: boolean }>(['restore', dir, '--to', to], env)).ok, true);
  const verified = await runPlaten(['verify'], { ...env, DATA_DIR: to });
  assert.equal(verified.status, 0, verified.stderr);
});

test('two backups into one folder: the second is refused, and the first goes on', async () => {
  const dir = join(folder, 'shared');
  await platenJson(['backup', dir], env);
  const claim = await claimPart(dir, 'backup');
  try {
    const refused = await runPlaten(['backup', dir], env);
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, new RegExp(`^platen: a backup into .* runs already \\(process ${process.pid}\\)`));
  } finally {
    await claim.release();
  }
  const both = await Promise.all(
    [join(folder, 'one'), join(folder, 'two')].map((at) => runPlaten(['backup', at], env)),
  );
  assert.deepEqual(
    both.map(({ status }) => status),
    [0, 0],
    'into two folders they run at once',
  );
});

const OWN_DISKS = ((): boolean => {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('where there is no room', () => {
  const run = (dir: string, before: string, under: readonly string[]): Promise<Ended> => {
    const command = [process.execPath, PROGRAM, 'backup', dir];
    const script = `${before} && "$@"; status=$?; ls "$0" >&2; exit $status`;
    const [program = '', ...rest] = [...under, '/bin/sh', '-c', script, dir, ...command];
    return endOf(spawn(program, rest, { env: environment(env), stdio: ['ignore', 'ignore', 'pipe'] }));
  };
  const full = async (dir: string, before: string, under: readonly string[]): Promise<void> => {
    await mkdir(dir, { mode: 0o700 });
    const { status, stderr } = await run(dir, before, under);
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^platen: there is no room for [^\n]+; make room and run the command again/m);
    assert.ok(!stderr.includes('unfinished-') || !/^unfinished-/m.test(stderr), 'the room is given back');
    assert.ok(!/^20\d\d-/m.test(stderr), 'and nothing looks like a backup');
    await eventually('the server has left backup mode', async () => (await slots()) === 0, WITHIN_MS);
  };

  test('for a large file, the backup ends with one line and gives back what it took', async () => {
    const dir = join(folder, 'bounded');
    // In units of 512 bytes, or of 1024, as the shell counts.
    await full(dir, 'ulimit -f 1000', []);
    await platenJson(['backup', dir], env);
  });

  test('on a disk of 20 MB, the same', { skip: !OWN_DISKS }, async () => {
    const dir = join(folder, 'small-disk');
    await full(dir, `mount -t tmpfs -o size=20m,mode=700 none '${dir}'`, ['unshare', '-m']);
  });
});

test('an ordinary user backs up, restores and drills what is theirs', { skip: !IS_ROOT }, async () => {
  const home = join(folder, 'theirs');
  await mkdir(home, { mode: 0o700 });
  chownSync(home, NOBODY, NOBODY);
  chownSync(folder, NOBODY, NOBODY);
  const theirs = { ...env, DATA_DIR: join(home, 'data'), HOME: home, TMPDIR: home };
  const commands = [
    ['seed', 'demo', '--small'],
    ['backup', join(home, 'backups')],
    ['drill', join(home, 'backups')],
    ['restore', join(home, 'backups'), '--to', join(home, 'restored')],
  ];
  for (const args of commands) {
    const { status, stderr } = await endOf(start(args, theirs, NOBODY));
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
  }
  assert.deepEqual((await readdir(home)).toSorted(), ['backups', 'data', 'restored']);

  // Root restores into a folder that is another's: all of it is theirs, and they can start on it.
  const to = join(home, 'by-root');
  await mkdir(to, { mode: 0o700 });
  chownSync(to, NOBODY, NOBODY);
  await platenJson(['restore', join(home, 'backups'), '--to', to], theirs);
  for (const name of [
    'secret.key',
    'postgres',
    'postgres/PG_VERSION',
    'blobs',
    'blobs/files',
    'blobs/staging',
    'service.lock',
  ]) {
    assert.equal((await stat(join(to, name))).uid, NOBODY, name);
  }
  const verified = await endOf(start(['verify'], { ...theirs, DATA_DIR: to }, NOBODY));
  assert.equal(verified.status, 0, verified.stderr);
});
