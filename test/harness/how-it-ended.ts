/** How a child process ended, as far as its parent knows. */
export type Ending = {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it printed on standard error. */
  readonly stderr: string;
  readonly ms: number;
  /** Its parent ends it after this time. */
  readonly timeoutMs: number;
};

/**
 * Says why a process did not end with status 0: what it said, and what it cannot say itself. A process that its parent
 * ended for its time, as on a busy machine, has said nothing.
 */
export function howItEnded({ status, signal, stderr, ms, timeoutMs }: Ending): string {
  const said = stderr.trim();
  const seconds = (ms / 1_000).toFixed(1);
  if (status !== null) return said === '' ? `ended with status ${status} after ${seconds} s and said nothing` : said;
  const why = ms >= timeoutMs ? `, since it had not ended within ${timeoutMs / 1_000} s` : '';
  const words = said === '' ? 'It had said nothing.' : `It had said: ${said}`;
  return `was ended by ${signal} after ${seconds} s${why}. ${words}`;
}
