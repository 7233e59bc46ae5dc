import { messageOf } from '../lib/error-message.ts';
import { ApiError } from '../lib/errors.ts';
import { pence, poundsText } from '../lib/money.ts';

/** A command refuses its arguments: exit status 2 and this one line. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Prints a command's result: a JSON object for scripts, else the lines for a person. */
export function printResult(options: { readonly json?: boolean }, result: object, lines: readonly string[]): void {
  const text = options.json === true ? JSON.stringify(result) : lines.join('\n');
  process.stdout.write(`${text}\n`);
}

/** Pounds of a reply as documents show them: `1,234.50`. */
export function poundsShown(amount: number): string {
  return poundsText(pence(Math.round(amount * 100)));
}

/** As many problems of a file as fit a line that a person can read. */
const PROBLEMS_SHOWN_MAX = 20;

/** Describes an error in one line, with each problem where there are several. */
export function describeFailure(error: unknown): string {
  return oneLine(failureText(error));
}

/** Joins the lines of another program's text: a caller reads one line (operating, "Commands"). */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}

function failureText(error: unknown): string {
  const problems: unknown = error instanceof ApiError ? error.extras.errors : undefined;
  if (!Array.isArray(problems) || problems.length < 2) return messageOf(error);
  const shown = problems
    .slice(0, PROBLEMS_SHOWN_MAX)
    .map((problem: { path: string; message: string }) => `${problem.path}: ${problem.message}`);
  return `${problems.length} problems: ${shown.join(' | ')}`;
}
