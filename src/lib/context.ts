import type { BlobStore } from './blobs.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './db.ts';
import type { Log } from './log.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Secrets } from './secrets.ts';
import type { Asker } from './turns/owner.ts';

/** What every use case takes first: database, stores, outbound calls, settings and time. */
export type Context = {
  /**
   * For whom it works: the caller of a request, or background work.
   * Its resources wait for this owner's turn.
   */
  readonly asker: Asker;
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly blobs: BlobStore;
  readonly outbound: Outbound;
  readonly secrets: Secrets;
  /** Wakes the workers of this process for a job of this kind; a hint only. */
  readonly wake: (kind: string) => void;
};
