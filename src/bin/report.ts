import { ApiError } from '../lib/errors.ts';

/** A command's own refusal of its arguments: exit status 2 and this one line. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Prints a command's result: a JSON object for scripts, else the lines for a person. */
export function printResult(options: { readonly json?: boolean }, result: object, lines: readonly string[]): void {
  const text = options.json === true ? JSON.stringify(result) : lines.join('\n');
  process.stdout.write(`${text}\n`);
}

/** One clear line of what went wrong, and what each problem is where there are several. */
export function describeFailure(error: unknown): string {
  if (error instanceof ApiError) {
    const problems: unknown = error.extras.errors;
    if (!Array.isArray(problems) || problems.length < 2) return error.message;
    const shown = problems
      .slice(0, 20)
      .map((problem: { path: string; message: string }) => `${problem.path}: ${problem.message}`);
    return `${problems.length} problems:\n  ${shown.join('\n  ')}`;
  }
  return error instanceof Error ? error.message : String(error);
}
