import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@platen/embedded-postgres';
import pg from 'pg';
import { silentLog } from '../../../src/lib/log.ts';
import { eventually } from '../../harness/context.ts';
import { freePort } from '../../harness/process.ts';

// A server of Medusa of its own packages, on a database of its own.

export const MEDUSA_VERSION = '2.21.2';

const INSTALL_MS = 600_000;
const MIGRATE_MS = 300_000;
const START_MS = 120_000;
const ADMIN = { email: 'merchant@shop.example', password: 'a password of the nightly run' } as const;

export type MedusaServer = typeof ADMIN & {
  /** By plain HTTP, on this machine. */
  readonly url: string;
  readonly port: number;
  readonly stop: () => Promise<void>;
};

/** It is no fault of this project's: what is missing stands in the message. */
export class NotHere extends Error {
  override name = 'NotHere';
}

/** Installs Medusa from its packages into a folder, unless it is there. Throws `NotHere` when it cannot be. */
export async function installMedusa(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    ['medusa', 'framework', 'cli'].map((name) => [`@medusajs/${name}`, MEDUSA_VERSION]),
  );
  const about = { name: 'medusa-shop', version: '1.0.0', private: true, dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(about));
  await writeFile(join(folder, 'medusa-config.js'), CONFIG);
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--loglevel=error'];
  await run('npm', args, { folder, timeoutMs: INSTALL_MS }).catch((error: unknown) => {
    throw new NotHere(`Medusa ${MEDUSA_VERSION} cannot be installed from its packages: ${firstLine(error)}`);
  });
}

/** Without Redis: its modules for events, cache and locks are in memory unless reported otherwise. */
const CONFIG = `const { defineConfig } = require('@medusajs/framework/utils');
module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false },
    http: {
      storeCors: '*',
      adminCors: '*',
      authCors: '*',
      jwtSecret: 'a secret of the nightly run',
      cookieSecret: 'another secret of the nightly run',
    },
  },
});
`;

/** Starts a server of an installed Medusa on an empty database in a folder of its own, with a user of its admin. */
export async function startMedusa(installed: string, dataDir: string): Promise<MedusaServer> {
  const database = await startDatabase(dataDir);
  const port = await freePort();
  const env = {
    DATABASE_URL: database.url,
    MEDUSA_DISABLE_TELEMETRY: 'true',
    PORT: String(port),
    NODE_ENV: 'production',
  };
  try {
    const medusa = join(installed, 'node_modules', '@medusajs', 'cli', 'cli.js');
    const by = (args: readonly string[]) =>
      run(process.execPath, [medusa, ...args], { folder: installed, env, timeoutMs: MIGRATE_MS });
    await by(['db:migrate']);
    await by(['user', '--email', ADMIN.email, '--password', ADMIN.password]);
    const child = spawn(process.execPath, [medusa, 'start'], {
      cwd: installed,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = keepTail(child);
    const url = `http://127.0.0.1:${port}`;
    await eventually(
      'Medusa answers',
      () => {
        if (child.exitCode !== null) throw new Error(`Medusa ended with ${child.exitCode}: ${said()}`);
        return fetch(`${url}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      },
      START_MS,
    );
    const stop = async (): Promise<void> => {
      await end(child);
      await database.stop();
    };
    return { ...ADMIN, url, port, stop };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/**
 * A database of its own. The embedded PostgreSQL listens on a socket in its folder, and some modules of Medusa know of
 * TCP alone, so that a relay of this process takes their connections.
 */
async function startDatabase(dataDir: string): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog });
  const { host, port, user, password } = server.connection;
  const client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
  await client.query('create database medusa');
  await client.end();
  const relay = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  const relayPort = await freePort();
  relay.listen(relayPort, '127.0.0.1');
  await once(relay, 'listening');
  return {
    url: `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${relayPort}/medusa`,
    stop: async () => {
      relay.close();
      await server.stop();
    },
  };
}

async function run(
  program: string,
  args: readonly string[],
  of: { readonly folder: string; readonly env?: Readonly<Record<string, string>>; readonly timeoutMs: number },
): Promise<void> {
  const { folder: cwd, env = {}, timeoutMs: timeout } = of;
  await promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1_048_576,
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await gone;
  clearTimeout(timer);
}

/** The last of what a process says. */
function keepTail({ stdout, stderr }: ChildProcess): () => string {
  let tail = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      tail = (tail + chunk).slice(-4_000);
    });
  }
  return () => tail;
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message?: string };
  const lines = `${stderr ?? ''}\n${message ?? ''}`.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '') ?? 'for no stated reason';
}
