import { createCounter } from './instruments.ts';

/** More different messages than the code has; a bound on the series whatever is logged. */
const MESSAGES_MAX = 200;

const count = createCounter({
  name: 'platen_log_lines_total',
  help: 'Log lines by level (warn, error) and by their message up to its first colon, whatever LOG_LEVEL is.',
  labels: ['level', 'message'],
});
const seen = new Set<string>();

/**
 * Counts a line of the log.
 * Variable text stands in fields, or behind the colon of a message, and is not shown.
 */
export function countLogLine(level: 'warn' | 'error', message: string): void {
  const [head = ''] = message.split(':', 1);
  if (!seen.has(head) && seen.size >= MESSAGES_MAX) {
    count({ level, message: 'another' });
    return;
  }
  seen.add(head);
  count({ level, message: head });
}
