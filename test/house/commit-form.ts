import { execFileSync } from 'node:child_process';

/**
 * `npm run check:commits`: holds every commit since this file came in to the form that CONTRIBUTING asks for. The
 * subject is `slice: what holds now`; a change of more than 200 lines says why in its body. Generated files, the
 * lockfile and moved lines do not count. Prints the commits that differ and exits with 1.
 */

const FILE = 'test/house/commit-form.ts';
const SUBJECT_CHARACTERS_MAX = 110;
const LINES_WITHOUT_BODY_MAX = 200;
const NOT_COUNTED = [
  ':!package-lock.json',
  ':!docs/generated',
  ':!sdk/src/generated.ts',
  ':!consoles/shared/api/portal-operations.ts',
];

export type Commit = { readonly subject: string; readonly body: string; readonly changedLines: number };

/** What is wrong with the form of a commit, a sentence each; none for a good one. */
export function formProblems({ subject, body, changedLines }: Commit): string[] {
  const problems: string[] = [];
  if (!/^[a-z0-9][a-z0-9 ,/-]*: [^\sA-Z]/.test(subject)) {
    problems.push('The subject has the form "slice: what holds now", in small letters.');
  }
  if (subject.length > SUBJECT_CHARACTERS_MAX) {
    problems.push(`The subject has ${subject.length} characters, at most ${SUBJECT_CHARACTERS_MAX} are read.`);
  }
  if (subject.endsWith('.')) problems.push('The subject ends without a full stop.');
  if (/\b(wip|work in hand|under way\)|fixup!|squash!)/i.test(subject)) {
    problems.push('The subject says what holds now; unfinished work is not committed to main.');
  }
  if (changedLines > LINES_WITHOUT_BODY_MAX && body.trim() === '') {
    problems.push(`${changedLines} changed lines, and no reason in the body.`);
  }
  return problems;
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
}

function readCommit(hash: string): Commit {
  const [subject = '', ...body] = git('log', '-1', '--format=%s%n%b', hash).split('\n');
  const counts = git('show', '--numstat', '--find-renames', '--format=', hash, '--', '.', ...NOT_COUNTED);
  const changedLines = counts
    .split('\n')
    .flatMap((line) => line.split('\t').slice(0, 2))
    .reduce((sum, count) => sum + (Number.parseInt(count, 10) || 0), 0);
  return { subject, body: body.join('\n'), changedLines };
}

/** The commits to look at, the oldest first; undefined where there is no history (an archive, a shallow clone). */
function commitsToCheck(): string[] | undefined {
  try {
    const first = git('log', '--diff-filter=A', '--format=%H', '--', FILE).trim().split('\n').at(-1) ?? '';
    if (first === '') return undefined;
    return git('log', '--reverse', '--no-merges', '--format=%H', `${first}..HEAD`).split('\n').filter(Boolean);
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const hashes = commitsToCheck();
  if (hashes === undefined) process.stdout.write('There is no history here, so no commit was looked at.\n');
  for (const hash of hashes ?? []) {
    const commit = readCommit(hash);
    for (const problem of formProblems(commit)) {
      process.stdout.write(`${hash.slice(0, 9)} ${commit.subject}\n  ${problem}\n`);
      process.exitCode = 1;
    }
  }
}
