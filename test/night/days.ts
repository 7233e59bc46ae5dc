import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../harness/context.ts';
import { queryNow } from './database.ts';
import { type Load, type NightShop, openNightShop, type Proof, pause, prove } from './night-shop.ts';

// Bad days: something happens to a service under load, and passes. Each proves that nothing acknowledged was lost and
// nothing charged twice, and that the service came back without a person.

/** What a day is given: where it may write, and how long its trouble lasts. */
export type DayOptions = { readonly parent: string; readonly seconds: number };
export type Report = Readonly<Record<string, string | number>>;
export type Day = {
  /** What is done, and what it stands for. */
  readonly is: string;
  /** Needs its own mounts: root and `unshare`. */
  readonly mounts?: true;
  readonly run: (options: DayOptions) => Promise<Report>;
};

const LANES = 6;
const WITHIN_MS = 120_000;

export const DAYS: Readonly<Record<string, Day>> = {
  'disk-full-database': {
    is: 'a tmpfs of 500 MB holds all data; a file fills it up, and is removed again',
    mounts: true,
    run: (options) => diskFull(options, 'data', 500),
  },
  'disk-full-blobs': {
    is: 'a tmpfs of 60 MB holds the stored files; a file fills it up, and is removed again',
    mounts: true,
    run: (options) => diskFull(options, 'blobs', 60),
  },
  'disk-full-log': {
    is: 'the log goes to a file on a tmpfs of 1 MB that is full',
    mounts: true,
    run: logFull,
  },
  'fsync-stalled': {
    is: 'an ext4 on a loop device holds all data, and is frozen for 5 s at a time: writes and fsync wait, reads go on',
    mounts: true,
    run: fsyncStalled,
  },
  'database-stopped': {
    is: 'SIGSTOP to every process of PostgreSQL for 5 s at a time: to the service as a stalled disk, reads included',
    run: databaseStopped,
  },
  'clock-forward': {
    is: 'the clock of the service jumps an hour forward; that of the database stays, and the count of milliseconds too',
    run: (options) => clockJumps(options, 3_600_000),
  },
  'clock-back': {
    is: 'the clock of the service jumps an hour back, in the same way',
    run: (options) => clockJumps(options, -3_600_000),
  },
  'killed-for-memory': {
    is: 'SIGKILL to processes of PostgreSQL, to children that decode, and to the service, one at a time, at random',
    run: killedForMemory,
  },
  'little-memory': {
    is: 'the heap of the service is bounded at 48 MB, below what it needs under load',
    run: littleMemory,
  },
  'no-descriptors': {
    is: 'the service may open 256 files, and 1,000 connections are opened and kept',
    run: noDescriptors,
  },
};

/** Has a shop under load, lets something happen to it, and proves that it came back. */
async function under(shop: NightShop, trouble: (load: Load) => Promise<Report>): Promise<Report> {
  try {
    const load = shop.load(LANES);
    await eventually('orders before', () => load.placed.size > 20, WITHIN_MS);
    const said = await trouble(load).catch(async (error: unknown) => {
      await load.stop().catch(() => undefined);
      throw error;
    });
    const back = performance.now();
    const before = load.placed.size;
    await eventually('orders after it, without a person', () => load.placed.size > before + 20, WITHIN_MS);
    const backMs = Math.round(performance.now() - back);
    await load.stop();
    const proof: Proof = await prove(shop, load, (text) => queryNow(shop.dataDir, text));
    const answers = [...load.statuses]
      .toSorted(([a], [b]) => a - b)
      .map(([status, times]) => `${status || 'none'}: ${times}`);
    assert.ok(shop.service().isRunning());
    return { ...said, back_after_ms: backMs, answers: answers.join(', '), ...proof };
  } finally {
    await shop.close();
  }
}

function mountTmpfs(path: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'none', path]);
}

/** Fills the disk of a folder up to its last byte; returns how to free it. */
function fillUp(folder: string): () => void {
  const path = join(folder, 'ballast');
  const file = openSync(path, 'w');
  for (const bytes of [1_048_576, 4_096]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes));
    } catch {
      // No space is left for a piece of this size.
    }
  }
  closeSync(file);
  return () => rmSync(path);
}

async function diskFull({ parent, seconds }: DayOptions, what: 'data' | 'blobs', megabytes: number): Promise<Report> {
  let disk = '';
  const shop = await openNightShop(parent, {
    prepare: async (dataDir) => {
      disk = what === 'data' ? dataDir : join(dataDir, 'blobs');
      await mkdir(disk, { recursive: true });
      mountTmpfs(disk, megabytes);
    },
  });
  shop.atClose(() => unmount(disk));
  await shop.start();
  return under(shop, async (load) => {
    const supervisor = shop.supervise();
    let refused = 0;
    for (let round = 0; round < 2; round += 1) {
      const free = fillUp(disk);
      const before = load.statuses.get(503) ?? 0;
      await pause((seconds / 2) * 1_000);
      refused += (load.statuses.get(503) ?? 0) - before;
      free();
      const known = load.placed.size;
      await eventually('orders with room again', () => load.placed.size > known + 10, WITHIN_MS);
    }
    return { refused_while_full: refused, restarts: await supervisor.end() };
  });
}

async function logFull({ parent, seconds }: DayOptions): Promise<Report> {
  const shop = await openNightShop(parent, { env: { LOG_LEVEL: 'info' } });
  const disk = join(shop.folder, 'log');
  await mkdir(disk);
  mountTmpfs(disk, 1);
  const path = join(disk, 'service.log');
  const log = openSync(path, 'a');
  shop.atClose(() => {
    closeSync(log);
    unmount(disk);
  });
  await shop.start({ logFd: log });
  return under(shop, async (load) => {
    const free = fillUp(disk);
    const before = load.placed.size;
    await pause(seconds * 1_000);
    const placed = load.placed.size - before;
    assert.ok(placed > 0, 'orders are placed although nothing can be logged');
    free();
    const size = statSync(path).size;
    await eventually('the log goes on', () => statSync(path).size > size, WITHIN_MS);
    return { placed_while_full: placed };
  });
}

const STALL_MS = 5_000;

async function fsyncStalled({ parent, seconds }: DayOptions): Promise<Report> {
  let disk = '';
  const shop = await openNightShop(parent, {
    prepare: async (dataDir) => {
      disk = dataDir;
      await mkdir(disk, { recursive: true });
      const image = `${dataDir}.img`;
      execFileSync('truncate', ['-s', '1500M', image]);
      execFileSync('mkfs.ext4', ['-q', image]);
      execFileSync('mount', ['-o', 'loop', image, disk]);
      // What the file system makes for itself is no data of ours.
      rmSync(join(disk, 'lost+found'), { recursive: true, force: true });
      chmodSync(disk, 0o755);
    },
  });
  shop.atClose(() => unmount(disk));
  await shop.start();
  return under(shop, async (load) => {
    let longestMs = 0;
    let stalls = 0;
    for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; stalls += 1) {
      // The process that thaws is there before the disk is frozen, so that a failure here leaves nothing frozen.
      const thaw = spawn('sh', ['-c', `sleep ${STALL_MS / 1_000}; fsfreeze -u '${disk}'`], { stdio: 'ignore' });
      execFileSync('fsfreeze', ['-f', disk]);
      const [frozen, known] = [performance.now(), load.placed.size];
      await new Promise((resolve) => thaw.once('exit', resolve));
      await eventually('orders after the stall', () => load.placed.size > known + LANES, WITHIN_MS);
      longestMs = Math.max(longestMs, performance.now() - frozen);
      await pause(2_000);
    }
    return { stalls, longest_until_orders_ms: Math.round(longestMs) };
  });
}

function unmount(path: string): void {
  execFileSync('umount', ['-l', path]);
}

async function databaseStopped({ parent, seconds }: DayOptions): Promise<Report> {
  const shop = await openNightShop(parent);
  await shop.start();
  return under(shop, async (load) => {
    let stalls = 0;
    for (const endsAt = performance.now() + seconds * 1_000; performance.now() < endsAt; stalls += 1) {
      const pids = postgresOf(shop);
      const known = load.placed.size;
      for (const pid of pids) signal(pid, 'SIGSTOP');
      await pause(STALL_MS);
      for (const pid of pids) signal(pid, 'SIGCONT');
      await eventually('orders after it', () => load.placed.size > known + LANES, WITHIN_MS);
      await pause(2_000);
    }
    return { stalls };
  });
}

async function clockJumps({ parent, seconds }: DayOptions, jumpMs: number): Promise<Report> {
  const wrong = fileURLToPath(new URL('../harness/wrong-clock.ts', import.meta.url));
  const shop = await openNightShop(parent, {
    env: { NODE_OPTIONS: `--import ${wrong}`, TEST_CLOCK_JUMP_MS: String(jumpMs), CANCELLATION_WINDOW_SECONDS: '1800' },
  });
  await shop.start();
  return under(shop, async (load) => {
    const before = load.placed.size;
    process.kill(shop.service().pid, 'SIGUSR2');
    await pause(seconds * 1_000);
    const placed = load.placed.size - before;
    assert.ok(placed > 0, 'orders are placed after the jump');
    // By the database's clock, which did not jump: each order's window ends half an hour after it was placed.
    for (const { created_at: at, cancellable_until: until } of load.placed.values()) {
      assert.equal(Date.parse(until) - Date.parse(at), 1_800_000);
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000, at);
    }
    const [late] = await queryNow<{ n: number }>(
      shop.dataDir,
      "select count(*)::int as n from webhook_delivery where state in ('pending', 'retrying') and due_at < now() - interval '30 seconds'",
    );
    const [jobs] = await queryNow<{ n: number }>(
      shop.dataDir,
      "select count(*)::int as n from job where failed_at is null and run_at < now() - interval '60 seconds'",
    );
    assert.deepEqual([late?.n, jobs?.n], [0, 0], 'background work goes on');
    return { placed_after_the_jump: placed };
  });
}

async function killedForMemory({ parent, seconds }: DayOptions): Promise<Report> {
  const shop = await openNightShop(parent);
  await shop.start();
  return under(shop, async () => {
    const supervisor = shop.supervise();
    const killed = { postgres: 0, children: 0, service: 0 };
    const endsAt = performance.now() + seconds * 1_000;
    for (let round = 0; performance.now() < endsAt; round += 1) {
      const { pid } = shop.service();
      const children = childrenOf(pid).filter((child) => isProgram(child, 'node'));
      const [kind, pids] =
        round % 5 === 4
          ? (['service', [pid]] as const)
          : round % 2 === 0
            ? (['postgres', postgresOf(shop)] as const)
            : (['children', children] as const);
      const victim = pids[round % Math.max(pids.length, 1)];
      if (victim !== undefined && signal(victim, 'SIGKILL')) killed[kind] += 1;
      await pause(2_500);
    }
    assert.ok(killed.postgres > 0);
    return { ...prefixed('killed', killed), restarts: await supervisor.end() };
  });
}

async function littleMemory({ parent, seconds }: DayOptions): Promise<Report> {
  const shop = await openNightShop(parent);
  const hardship = { before: 'export NODE_OPTIONS=--max-old-space-size=48' };
  await shop.start(hardship);
  return under(shop, async () => {
    const supervisor = shop.supervise(hardship);
    await pause(seconds * 1_000);
    return { restarts: await supervisor.end() };
  });
}

async function noDescriptors({ parent, seconds }: DayOptions): Promise<Report> {
  const shop = await openNightShop(parent);
  await shop.start({ before: 'ulimit -n 256' });
  return under(shop, async (load) => {
    const sockets = new Set<Socket>();
    const open = (): void => {
      const socket = connect(shop.service().port, '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    };
    const endsAt = performance.now() + seconds * 1_000;
    let most = 0;
    while (performance.now() < endsAt) {
      while (sockets.size < 1_000) open();
      await pause(500);
      most = Math.max(most, readdirSync(`/proc/${shop.service().pid}/fd`).length);
    }
    assert.ok(shop.service().isRunning());
    assert.ok(most > 200, `${most} files were open`);
    for (const socket of sockets) socket.destroy();
    await pause(1_000);
    return { files_open_at_most: most, refused: load.statuses.get(503) ?? 0 };
  });
}

/** The processes of a shop's PostgreSQL: the server and all that it has started. */
export function postgresOf(shop: NightShop): number[] {
  const servers = childrenOf(shop.service().pid).filter((pid) => isProgram(pid, 'postgres'));
  return servers.flatMap((pid) => [pid, ...childrenOf(pid)]);
}

/** The ids of the processes that a process has started. */
export function childrenOf(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .split(' ')
        .flatMap((id) => (id === '' ? [] : [Number(id)])),
    );
  } catch {
    return [];
  }
}

function isProgram(pid: number, name: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').includes(name);
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function prefixed(prefix: string, figures: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}_${name}`, value]));
}
