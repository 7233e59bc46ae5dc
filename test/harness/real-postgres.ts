import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchParent } from './scratch.ts';

/** Where Debian keeps the programs of each version of its PostgreSQL. */
const DEBIAN = '/usr/lib/postgresql';
const NEEDED = ['initdb', 'pg_ctl', 'createdb', 'pg_dump', 'pg_restore', 'pg_basebackup'];
/** Whom Debian runs it as, and whom root must become, since PostgreSQL refuses to run for root. */
const USER = 'postgres';

/** A PostgreSQL of this machine's, with the programs that operators use. */
export type RealPostgres = {
  /** The address of a new and empty database on it. */
  readonly createDatabase: (name: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** The newest folder of programs that this machine has, or what is missing. Only `npm run test:debian` asks for it. */
export function findPrograms(): { readonly folder: string } | { readonly missing: string } {
  if (process.env.PLATEN_DEBIAN !== '1') return { missing: "npm run test:debian tries it with Debian's PostgreSQL" };
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folder = versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((bin) => NEEDED.every((name) => existsSync(join(bin, name))));
  if (folder === undefined) return { missing: `no ${NEEDED.join(', ')} in ${DEBIAN}: apt-get install postgresql` };
  if (process.getuid?.() === 0 && owner() === undefined) return { missing: `root needs a user ${USER}` };
  return { folder };
}

/** Starts a new cluster in a scratch folder, on a socket alone. */
export async function startRealPostgres(folder: string): Promise<RealPostgres> {
  const scratch = await mkdtemp(join(scratchParent(), 'platen-pg-'));
  const user = process.getuid?.() === 0 ? owner() : undefined;
  if (user !== undefined) await chown(scratch, user.uid, user.gid);
  const data = join(scratch, 'data');
  const run = (name: string, ...args: string[]) => runAs(join(folder, name), args, user);
  await run('initdb', '-D', data, '-U', 'platen', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const options = `-c listen_addresses= -k ${scratch} -c fsync=off`;
  await run('pg_ctl', '-D', data, '-w', '-l', join(scratch, 'log'), '-o', options, 'start');
  return {
    createDatabase: async (name) => {
      await run('createdb', '-h', scratch, '-U', 'platen', name);
      return `postgres://platen@localhost/${name}?host=${encodeURIComponent(scratch)}`;
    },
    stop: async () => {
      await run('pg_ctl', '-D', data, '-w', '-m', 'immediate', 'stop');
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** One that archives its log, for a return to a moment. */
export type ArchivingPostgres = RealPostgres & {
  readonly baseBackup: () => Promise<void>;
  /** Loses the server, and starts one from the base backup that recovers from the archive to a moment. */
  readonly returnTo: (moment: string) => Promise<void>;
};

/** Starts a new cluster with the settings that the runbook names. */
export async function startArchivingPostgres(folder: string): Promise<ArchivingPostgres> {
  const scratch = await mkdtemp(join(scratchParent(), 'platen-pg-'));
  const user = process.getuid?.() === 0 ? owner() : undefined;
  const data = join(scratch, 'data');
  const base = join(scratch, 'base');
  const archive = join(scratch, 'archive');
  await mkdir(archive);
  if (user !== undefined) {
    for (const path of [scratch, archive]) await chown(path, user.uid, user.gid);
  }
  const run = (name: string, ...args: string[]) => runAs(join(folder, name), args, user);
  await run('initdb', '-D', data, '-U', 'platen', '--auth=trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const settings = [
    "listen_addresses = ''",
    `unix_socket_directories = '${scratch}'`,
    'archive_mode = on',
    `archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`,
    'archive_timeout = 60',
  ];
  await appendFile(join(data, 'postgresql.conf'), `${settings.join('\n')}\n`);
  const start = (cluster: string) => run('pg_ctl', '-D', cluster, '-w', '-l', join(scratch, 'log'), 'start');
  await start(data);
  let running = data;
  return {
    createDatabase: async (name) => {
      await run('createdb', '-h', scratch, '-U', 'platen', name);
      return `postgres://platen@localhost/${name}?host=${encodeURIComponent(scratch)}`;
    },
    baseBackup: () => run('pg_basebackup', '-h', scratch, '-U', 'platen', '-X', 'stream', '-c', 'fast', '-D', base),
    returnTo: async (moment) => {
      // Its last log is archived at the end; a lost machine loses at most what archive_timeout leaves open.
      await run('pg_ctl', '-D', data, '-w', '-m', 'fast', 'stop');
      const recovery = [`restore_command = 'cp ${archive}/%f %p'`, `recovery_target_time = '${moment}'`];
      await appendFile(join(base, 'postgresql.conf'), `${recovery.join('\n')}\n`);
      await writeFile(join(base, 'recovery.signal'), '');
      await start(base);
      running = base;
    },
    stop: async () => {
      await run('pg_ctl', '-D', running, '-w', '-m', 'immediate', 'stop');
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** The runbook's way: a dump in PostgreSQL's own format, restored into an empty database. */
export async function dumpAndRestore(folder: string, from: string, to: string): Promise<void> {
  const scratch = await mkdtemp(join(scratchParent(), 'platen-dump-'));
  const file = join(scratch, 'platen.dump');
  try {
    await runAs(join(folder, 'pg_dump'), ['-Fc', '-f', file, from], undefined);
    await runAs(join(folder, 'pg_restore'), ['--exit-on-error', '--no-owner', '-d', to, file], undefined);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

type User = { readonly uid: number; readonly gid: number };

function owner(): User | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`${USER}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function runAs(program: string, args: readonly string[], user: User | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = (error: ExecFileException | null, _stdout: string, stderr: string): void => {
      if (error === null) resolve();
      else reject(new Error(`${program} failed: ${stderr}`, { cause: error }));
    };
    const child = execFile(program, args, { ...user, cwd: '/' }, ended);
    // The server that pg_ctl starts keeps them open for as long as it runs.
    child.once('exit', () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
  });
}
