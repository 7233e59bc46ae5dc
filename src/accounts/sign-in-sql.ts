import { type Db, statement } from '../lib/db.ts';

export type SignInAttemptRow = { subject: string; attempts: number; ends_at: Date };

/** Each attempt deletes at most this many windows that have ended. */
const ENDED_ATTEMPTS_CLEARED_MAX = 20;

// In the order of the subjects, so that two statements that count the same ones cannot deadlock.
const COUNT_ATTEMPTS = statement<SignInAttemptRow>(
  'accounts_count_sign_in_attempts',
  `with ended as (
     delete from sign_in_attempt where subject in (
       select subject from sign_in_attempt where ends_at <= $2 and subject <> all($1::text[])
       order by ends_at limit ${ENDED_ATTEMPTS_CLEARED_MAX} for update skip locked)
   )
   insert into sign_in_attempt as s (subject, attempts, ends_at)
   select subject, 1, $3 from unnest($1::text[]) as subject order by subject
   on conflict (subject) do update set
     attempts = case when s.ends_at <= $2 then 1 else s.attempts + 1 end,
     ends_at = case when s.ends_at <= $2 then excluded.ends_at else s.ends_at end
   returning subject, attempts, ends_at`,
);

/**
 * Counts an attempt for each subject in its window.
 * Opens a window to `endsAt` for a subject that has none.
 */
export async function countSignInAttempts(
  db: Db,
  attempt: { subjects: readonly string[]; now: Date; endsAt: Date },
): Promise<SignInAttemptRow[]> {
  return db.all(COUNT_ATTEMPTS, [attempt.subjects, attempt.now, attempt.endsAt]);
}

const FORGIVE_ATTEMPTS = statement<never>(
  'accounts_forgive_sign_in_attempts',
  `with cleared as (delete from sign_in_attempt where subject = any($1))
   update sign_in_attempt set attempts = greatest(attempts - 1, 0) where subject = $2`,
);

/** Clears the counts of some subjects and takes one attempt back from another. */
export async function forgiveSignInAttempts(
  db: Db,
  subjects: { cleared: readonly string[]; lowered: string },
): Promise<void> {
  await db.all(FORGIVE_ATTEMPTS, [subjects.cleared, subjects.lowered]);
}
