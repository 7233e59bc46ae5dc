import { hasSqlState } from '../db.ts';
import type { MigrationRun } from './run.ts';
import { INDEX_STATE } from './sql.ts';
import type { Step } from './steps.ts';

/** A build that a killed process has left on the server ends a second later. */
const ATTEMPTS_MAX = 5;
const PAUSE_MS = 500;

/**
 * Builds an index while everybody writes, unless it is there already.
 * One that an earlier build left unfinished is dropped and built anew: writers keep it up, and nothing reads it. One
 * whose build fails, for instance since two rows of a unique index are equal, is dropped, and the failure thrown.
 */
export async function buildIndex(run: MigrationRun, step: Extract<Step, { kind: 'index' }>): Promise<void> {
  const { session } = run;
  for (let attempt = 1; ; attempt += 1) {
    const state = await stateOf(run, step.index);
    if (state === 'valid') return;
    if (attempt > ATTEMPTS_MAX) throw new Error(`index ${step.index} stays unfinished`);
    if (state === 'unfinished') await drop(run, step.index);
    try {
      await session.query(step.text);
    } catch (error) {
      if (!hasSqlState(error, '40P01')) {
        if (!session.isLost()) await drop(run, step.index);
        throw error;
      }
      await run.pause(PAUSE_MS);
    }
  }
}

async function stateOf({ session }: MigrationRun, index: string): Promise<'valid' | 'unfinished' | 'absent'> {
  const [row] = await session.query<{ is_valid: boolean }>(INDEX_STATE, [index]);
  if (row === undefined) return 'absent';
  return row.is_valid ? 'valid' : 'unfinished';
}

async function drop({ session }: MigrationRun, index: string): Promise<void> {
  await session.query(`drop index concurrently if exists ${index}`);
}
