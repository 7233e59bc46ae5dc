import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AppContext, Outside } from '../app/context.ts';
import { openDatabaseServer } from '../app/database-server.ts';
import { readSecretKeys } from '../app/secrets/key-files.ts';
import { refuseMissingKeys } from '../app/secrets/status.ts';
import { type Role, type Starting, startService } from '../app/service.ts';
import type { WorkerEntry } from '../app/workers.ts';
import { type Config, readConfig } from '../lib/config.ts';
import { messageOf } from '../lib/error-message.ts';
import { stackOf } from '../lib/log/stack.ts';
import { createLog, type Log } from '../lib/log.ts';
import { migrate } from '../lib/migrations/migrate.ts';
import { readArtworkServer } from '../lib/outbound/artwork-server.ts';
import type { OutboundSettings } from '../lib/outbound/outbound.ts';
import { missingOfSeller, refuseUnnumbered } from '../lib/settings/seller.ts';
import { replayLedger } from '../privacy/ledger/replay.ts';

/** Runs `platen serve`: the service without demo data, until a signal ends it. */
export async function serve(options: { readonly role: Role; readonly json?: boolean }): Promise<void> {
  const config = await withPort(readConfig());
  const log = createLog(config.logLevel);
  const end = waitForShutdown(log);
  if (config.blobStore.startsWith('file:') && options.role !== 'all') {
    log.warn({}, 'BLOB_STORE is a folder of this machine: the API and the workers must share it');
  }
  const { role } = options;
  const running = await startProcess({ config, log, role, onProgress: () => {}, prepare: async () => {}, until: end });
  if (running.hasStarted) sayReady(config, running.port, options);
  process.exitCode = await end;
  await running.stop();
}

function sayReady(config: Config, port: number, options: { readonly role: Role; readonly json?: boolean }): void {
  const { role } = options;
  const address = { url: config.baseUrl, port, role };
  process.stdout.write(
    options.json === true ? `${JSON.stringify(address)}\n` : `Platen (${role}) is ready on ${config.baseUrl}\n`,
  );
}

/**
 * Checks that the port is free, and replaces PORT=0 by a free one.
 * Runs before anything is started or written. The port must be known early, since addresses that are signed and printed
 * contain it.
 */
export async function withPort(config: Config): Promise<Config> {
  const probe = createServer();
  try {
    probe.listen(config.port, config.host);
    await once(probe, 'listening');
  } catch (error) {
    throw portTrouble(config, error);
  }
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (config.port !== 0) return config;
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  const own = new URL(config.baseUrl);
  if (own.port === '0') own.port = String(address.port);
  return { ...config, port: address.port, baseUrl: own.origin };
}

function portTrouble(config: Config, error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `PORT ${config.port} on HOST ${config.host}`;
  if (code === 'EADDRINUSE') return new Error(`${where} is in use already; end what uses it or set another PORT`);
  if (code === 'EACCES') return new Error(`${where} may not be used by this user; set a PORT above 1023`);
  return new Error(`${where} cannot be listened on; check both`, { cause: error });
}

export type Running = {
  /** False when a stop was requested before its database could be reached. */
  readonly hasStarted: boolean;
  readonly port: number;
  readonly stop: () => Promise<void>;
};

/**
 * Starts the database server, migrates, runs `prepare`, then starts the service.
 * `stop` undoes it in reverse order.
 */
export async function startProcess(options: {
  config: Config;
  log: Log;
  role: Role;
  onProgress: (line: string) => void;
  /** What must be in the database before the first request. */
  prepare: (ctx: AppContext) => Promise<void>;
  /** Ends the wait for a database that cannot be reached. */
  until: Promise<unknown>;
  outside?: Outside;
  /** What runs beside the workers of every service. */
  workers?: readonly WorkerEntry<AppContext>[];
}): Promise<Running> {
  const { config, log, role, onProgress, until, outside = {}, workers = [] } = options;
  if (config.trustedPrivateHosts.size > 0) {
    const hosts = [...config.trustedPrivateHosts];
    log.warn({ hosts }, 'TRUSTED_PRIVATE_HOSTS is set: artwork and webhooks may reach these private addresses');
  }
  const missing = missingOfSeller(config.seller);
  if (missing !== undefined) log.warn({}, missing);
  const server = await openDatabaseServer(config, log, onProgress);
  try {
    const keys = await readSecretKeys(config);
    const prepare = async (ctx: AppContext, starting: Starting): Promise<void> => {
      refuseUnnumbered(config.seller, ctx.clock.now());
      starting.say('Migrations are being applied.');
      const say = (line: string): void => {
        starting.say(`Migrations are being applied: ${line}.`);
        log.info({ progress: line }, 'a migration is under way');
        onProgress(line);
      };
      const { applied, moved } = await migrate(ctx.database, { say, log, signal: starting.signal });
      if (applied.length > 0) onProgress(`Schema brought up to date: ${shortList(applied)}`);
      await refuseMissingKeys(ctx);
      if (moved) log.info({}, 'the database came from another server: its events are continued on this one');
      // Before files are deleted that the ledger names.
      await starting.openStore();
      starting.say('The ledger of erasures is being compared.');
      const { orders, accounts } = await replayLedger(
        ctx,
        (progress) => {
          starting.say(`${progress}.`);
          onProgress(progress);
        },
        starting.signal,
      );
      if (orders + accounts > 0)
        log.warn({ orders, accounts }, 'what was erased was in the database again: it is erased');
      await options.prepare(ctx);
    };
    const service = await startService({
      config,
      address: server.address,
      ...keys,
      log,
      role,
      prepare,
      until,
      outside,
      workers,
    });
    return {
      hasStarted: service.hasStarted,
      port: service.port,
      stop: async () => {
        await service.stop();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * The server of artwork for development counts while the service is this machine's own: the embedded
 * database, and no address that others can reach (docs/decisions/0022-artwork-on-this-machine.md).
 */
export function forDevelopment({ databaseUrl, host, dataDir }: Config): Pick<OutboundSettings, 'artworkServer'> {
  const isOwn = databaseUrl === undefined && ['127.0.0.1', '::1', 'localhost'].includes(host);
  return isOwn ? { artworkServer: () => readArtworkServer(dataDir) } : {};
}

/**
 * A terminal's Ctrl-C may reach the process twice, from its group and from its parent.
 * Signals within this time count as one.
 */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves with the exit status when the process has to end.
 * 0 for SIGINT or SIGTERM, 1 for an uncaught error. An uncaught error is a bug and leaves an unknown state behind. The
 * caller then drains; one that is still starting finishes that first. A second signal ends the process at once; the
 * embedded database then shuts itself down.
 */
export function waitForShutdown(log: Log): Promise<number> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        const nowMs = performance.now();
        if (askedAt !== undefined && nowMs - askedAt > SAME_SIGNAL_MS) process.exit(1);
        if (askedAt !== undefined) return;
        askedAt = nowMs;
        log.info({ signal }, 'stopping');
        resolve(0);
      });
    }
    process.on('uncaughtException', (error) => {
      log.error({ error: messageOf(error), stack: stackOf(error) }, 'an error was not caught: stopping');
      resolve(1);
    });
  });
}

const NAMED_MAX = 10;

/** The files that were applied; of a new database, which has them all, how many and the last. */
function shortList(applied: readonly string[]): string {
  return applied.length > NAMED_MAX ? `${applied.length} files, the last ${applied.at(-1)}` : applied.join(', ');
}
