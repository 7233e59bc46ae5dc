import { mkdir, readdir, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../../lib/error-message.ts';
import { DEMO_SELLER, demoSellerFor } from '../demo-seller.ts';
import { UsageError } from '../report.ts';

export type SandboxOptions = {
  readonly port?: number;
  readonly speed: number;
  readonly dataDir?: string;
  readonly json?: boolean;
};

/**
 * What leads to the data or the address of the real installation, and what its papers bear.
 * An invoice of a sandbox must not look like one of the real seller. `isIgnored` adds its money.
 */
const IGNORED = [
  'DATABASE_URL',
  'BLOB_STORE',
  'SECRET_KEY',
  'SECRET_KEY_OLD',
  'BASE_URL',
  'VALKEY_URL',
  ...Object.keys(DEMO_SELLER),
];

const isIgnored = (name: string): boolean => IGNORED.includes(name) || name.startsWith('STRIPE_');

/** An hour of a real shop, in milliseconds of a sandbox. */
export function hourMs(speed: number): number {
  return 3_600_000 / speed;
}

/**
 * Makes the environment of a sandbox from that of the real installation beside it.
 * It has its own folder and port, the demo shop as seller, and none of the settings in `IGNORED`; `ignored` names those
 * that were set.
 */
export function sandboxEnvironment(
  real: NodeJS.ProcessEnv,
  options: SandboxOptions,
): { readonly env: NodeJS.ProcessEnv; readonly ignored: readonly string[] } {
  const isSet = (name: string): boolean => (real[name] ?? '').trim() !== '';
  const kept = Object.fromEntries(Object.entries(real).filter(([name]) => !isIgnored(name) && isSet(name)));
  const realPort = Number(kept.PORT ?? '8080');
  const env = {
    LOG_LEVEL: 'warn',
    WEBHOOK_FLUSH_SECONDS: '0',
    CANCELLATION_WINDOW_SECONDS: String(Math.max(1, Math.round(hourMs(options.speed) / 1_000))),
    ...kept,
    ...demoSellerFor(kept),
    AUTO_PROMOTE: 'on',
    PORT: String(options.port ?? (realPort === 0 ? 0 : realPort + 1)),
    DATA_DIR: sandboxFolder(kept.DATA_DIR, options.dataDir),
  };
  return {
    env,
    ignored: Object.keys(real)
      .filter((name) => isIgnored(name) && isSet(name))
      .toSorted(),
  };
}

function sandboxFolder(realDir = '.data', given?: string): string {
  const folder = resolve(given ?? join(realDir.trim(), 'sandbox'));
  if (folder === resolve(realDir.trim())) {
    throw new UsageError(`--data-dir is the DATA_DIR of the real installation (${folder}): name another folder`);
  }
  return folder;
}

/** Marks a folder as a sandbox's. */
const MARK = 'THIS-IS-A-SANDBOX';

/**
 * Claims a folder for sandboxes for good.
 * Refuses one with anything in it that no sandbox made, such as the data of a real installation under another name.
 */
export async function claimSandboxFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = await readdir(folder);
    if (names.length > 0 && !names.includes(MARK)) {
      throw new UsageError(`${await realpath(folder)} holds data that no sandbox made: name an empty folder`);
    }
    await writeFile(join(folder, MARK), 'Made by platen sandbox. Nothing in this folder is real: delete it freely.\n');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`the folder of the sandbox cannot be used: ${messageOf(error)}`);
  }
}
