import { messageOf } from '../error-message.ts';
import { ApiError } from '../errors.ts';
import { backfill } from './backfill.ts';
import type { Migration } from './files.ts';
import { buildIndex } from './index-build.ts';
import { type MigrationRun, withShortLocks } from './run.ts';
import { ADVANCE, BEGIN_STEPS, END_STEPS, FIND_STEP, RECORD, type Standing, type StepRow } from './sql.ts';
import { tablesAltered } from './statements.ts';
import type { Step } from './steps.ts';

/**
 * Applies one migration from where it stands to its end, and records it.
 * What a step does and the record that it is done are one transaction, wherever the step can be in one; a step that
 * cannot is found done when it is tried again. Throws with the name of the migration and what the server says.
 */
export async function applyMigration(run: MigrationRun, migration: Migration): Promise<void> {
  const { name, steps } = migration;
  let at = await beginAt(run, migration);
  while (at.step < steps.length) {
    run.check();
    const step = steps[at.step];
    if (step === undefined) break;
    const where = steps.length > 1 ? `${name}, step ${at.step + 1} of ${steps.length}` : name;
    run.watch.begin(step.kind === 'index' ? `${where}, index ${step.index}` : where);
    try {
      at = await takeStep(run, migration, { step, at });
    } catch (error) {
      run.check();
      if (error instanceof ApiError) throw error;
      throw new Error(`${where} failed: ${messageOf(error)}`, { cause: error });
    }
  }
}

async function beginAt({ session }: MigrationRun, migration: Migration): Promise<Standing> {
  const start = { step: 0, cursor: null, rows: 0 };
  if (!isInSteps(migration)) return start;
  const [row] = await session.query<StepRow>(FIND_STEP, [migration.version]);
  if (row === undefined) {
    await session.query(BEGIN_STEPS, [migration.version, migration.checksum]);
    return start;
  }
  if (row.checksum !== migration.checksum) {
    throw new Error(
      `${migration.name} was changed after its step ${row.step} was done; put back the file that it was begun with`,
    );
  }
  return row;
}

async function takeStep(
  run: MigrationRun,
  migration: Migration,
  { step, at }: { step: Step; at: Standing },
): Promise<Standing> {
  const { session } = run;
  const next = { step: at.step + 1, cursor: null, rows: 0 };
  switch (step.kind) {
    case 'transaction':
      await withShortLocks(run, tablesAltered(step.text), async () => {
        await session.query(step.text);
        await moveOn(run, migration, at, next);
      });
      break;
    case 'index':
      await buildIndex(run, step);
      await withShortLocks(run, [], () => moveOn(run, migration, at, next));
      break;
    case 'drop_index':
      await session.query(step.text);
      await withShortLocks(run, [], () => moveOn(run, migration, at, next));
      break;
    case 'batches':
      await backfill(run, step, at, (from, to) => moveOn(run, migration, from, to ?? next));
  }
  return next;
}

/** Writes where the migration stands, in the open transaction; with the last step it is applied. */
async function moveOn({ session }: MigrationRun, migration: Migration, from: Standing, to: Standing): Promise<void> {
  const { version, name, checksum, steps } = migration;
  if (isInSteps(migration)) {
    const moved = await session.query(ADVANCE, [version, from.step, from.cursor, to.step, to.cursor, to.rows]);
    if (moved.length === 0) throw new Error('another process has gone on with it meanwhile');
  }
  if (to.step < steps.length) return;
  if (isInSteps(migration)) await session.query(END_STEPS, [version]);
  await session.query(RECORD, [version, name, checksum]);
}

/** A file in one transaction needs no record of its steps. */
function isInSteps({ steps }: Migration): boolean {
  return steps.length !== 1 || steps[0]?.kind !== 'transaction';
}
