import type { Config } from '../../lib/config.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** What goes, in the words of reports and metrics; several walks may end the same kind. */
export const RETENTION_KINDS = [
  'deliveries',
  'events',
  'print_files',
  'designs',
  'line_mocks',
  'addresses',
  'audit_log',
  'problem_photos',
  'closed_tasks',
  'failed_jobs',
  'mails',
  'requests',
  'order_files',
  'shop_orders',
  'sign_ins',
  'revoked_access',
  'expired_sign_ins',
  'unpaid_top_ups',
  'method_savings',
  'brands',
] as const;
export type RetentionKind = (typeof RETENTION_KINDS)[number];

/** The settings and the time that decide what has reached its end. */
export type WalkTerms = { readonly config: Config; readonly now: Date };

/** What the sweep runs with. */
export type SweepContext = Pick<Context, 'config' | 'database' | 'clock' | 'log'>;

/** Something that has reached its end: its key as text, and since when its time ran. */
export type Due = { readonly account_id: Uuid | null; readonly key: string; readonly at: Date };

/** What one look of a walk found. */
export type Found = {
  readonly due: readonly Due[];
  /** Orders whose time is over and which keep what they have a while longer. */
  readonly waiting?: readonly Due[];
  /** Where the next look goes on. */
  readonly next: string | undefined;
  /** Whether this look has reached the end of the walk. */
  readonly isEnd: boolean;
};

/**
 * A walk over something that ends, in bounded looks.
 * `find` reads only, so a dry run is the same walk without `drop`. `drop` looks at each row again under its lock: what
 * was taken up since then stays. Any of it may be repeated.
 */
export type Walk = {
  /** The key of its row in `retention_walk`. */
  readonly name: string;
  readonly kind: RetentionKind;
  /** The time of the end, in days; 0: kept for ever. */
  readonly keepDays: (config: Config) => number;
  /** The wait between two passes. */
  readonly everyMs: number;
  /** How many rows one statement may delete. */
  readonly batch: number;
  /** Goes on where the last pass ended, since what it has passed never becomes due again. */
  readonly keepsPlace?: true;
  readonly find: (db: Db, terms: WalkTerms, place: string | undefined, limit: number) => Promise<Found>;
  /** Deletes in the caller's transaction and returns how many went. */
  readonly drop: (tx: Db, terms: WalkTerms, found: Found, ctx: SweepContext) => Promise<number>;
};

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The time so many days before now; the beginning of time for 0, which ends nothing. */
export function daysBefore(now: Date, days: number): Date {
  return days === 0 ? new Date(0) : new Date(now.getTime() - days * DAY_MS);
}
