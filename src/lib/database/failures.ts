import pg from 'pg';
import { unavailable } from '../errors.ts';

/** The server's states for "not now": starting, stopping, full, read-only, out of disk, or out of time. */
const UNAVAILABLE_SQLSTATES = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57014',
  '53000',
  '53100',
  '53200',
  '53300',
  '55P03',
  '25006',
  '25P03',
  '40P01',
  '40001',
]);

/**
 * Turns a failed connection into 503.
 * An error that the server did not report came from the connection (refused, reset, timed out), so the
 * answer is "try again", never a wrong 404 or 401 (bad input N202).
 */
export function asApiError(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    if (UNAVAILABLE_SQLSTATES.has(code) || code.startsWith('08')) return unavailable(AWAY, error);
    return error;
  }
  return unavailable(AWAY, error);
}

/** The server's states for "not there": starting, stopping, read-only, without a free connection. */
const AWAY_SQLSTATES = new Set(['57P01', '57P02', '57P03', '53300', '25006']);

/** Whether the database cannot be reached or used at all, and not only what it was sent has failed. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  const code = error.code ?? '';
  return AWAY_SQLSTATES.has(code) || code.startsWith('08');
}

const AWAY = 'The database cannot be reached or is too busy right now. Try again in a few seconds.';

/** The code of an error of the database or of the connection to it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
