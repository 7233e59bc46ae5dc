import { execFile } from 'node:child_process';
import { cpSync, globSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Row, rowOf } from './figures.ts';

const run = promisify(execFile);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INSTALL_MS_MAX = 300_000;
const BYTES_OF_A_MB = 1_048_576;
/** What `npm ci` reads. */
const READ = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'packages/*/package.json',
  'src/bin/link-node.js',
  'src/bin/bundle/bundle.js',
  'consoles/build.js',
];

/** Installs the packages without those of development into a scratch folder, and measures what they take on disk. */
export async function measureInstall(say: (line: string) => void): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-bench-'));
  try {
    for (const path of globSync(READ, { cwd: ROOT })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      cpSync(join(ROOT, path), join(folder, path));
    }
    say('npm ci --omit=dev');
    // The settings of the npm that runs this are not for the other.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder, env, timeout: INSTALL_MS_MAX });
    const megabytes = bytesOnDisk(join(folder, 'node_modules')) / BYTES_OF_A_MB;
    return [
      rowOf([{ ours: megabytes }], {
        what: 'packages without those of development',
        unit: 'MB',
        goal: { of: 'ours', is: 'at most', value: 450 },
      }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What all files and folders below a folder take on the disk. A link counts by itself. */
export function bytesOnDisk(path: string): number {
  const entry = lstatSync(path);
  const names = entry.isDirectory() ? readdirSync(path) : [];
  return names.reduce((sum, name) => sum + bytesOnDisk(join(path, name)), entry.blocks * 512);
}
