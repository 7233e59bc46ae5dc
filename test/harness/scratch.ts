import { spawnSync } from 'node:child_process';
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A memory file system that Linux has; a container's is often too small, or runs no programs. */
const MEMORY = '/dev/shm';
/** A whole run of the tests has never taken half of it. */
const FREE_BYTES_MIN = 4 * 1024 ** 3;

/**
 * Where scratch of tests belongs: in memory where the machine has enough of it, otherwise in the system's temporary
 * directory. What tests prove of durability is that it survives a killed process, and that holds in memory too;
 * waiting for a disk would take a third of their time.
 */
export function scratchParent(): string {
  // Set by whoever wants it elsewhere, the runner of the tests among them.
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= FREE_BYTES_MIN && runsPrograms(MEMORY) ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * A fresh directory in `scratchParent()` that every user may go through, as PostgreSQL's own user must; and its
 * removal.
 */
export function makeScratch(): { readonly directory: string; readonly remove: () => void } {
  const directory = mkdtempSync(join(scratchParent(), 'platen-tests-'));
  chmodSync(directory, 0o1777);
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }) };
}

function runsPrograms(parent: string): boolean {
  const directory = mkdtempSync(join(parent, 'platen-exec-'));
  try {
    const program = join(directory, 'program');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
