import type { Owner } from '../../turns/owner.ts';
import type { CallProgress, Failure } from '../failures.ts';
import type { Fetched } from './fetch-once.ts';

/** Which certificate authorities count: one (PEM) alone, or those of Node.js and one beside them. */
export type Trusted = { readonly only: string } | { readonly beside: string | undefined };

/** A file to be fetched from a host that may be contacted, as a message. */
export type FetchOrder = {
  readonly owner: Owner;
  readonly target: {
    readonly url: string;
    readonly host: string;
    readonly port: number;
    readonly addresses: readonly string[];
  };
  readonly trusted: Trusted;
  readonly path: string;
  readonly maxBytes: number;
};

export type ToThread =
  | { readonly kind: 'fetch'; readonly id: number; readonly order: FetchOrder }
  /** There is room for the file. */
  | { readonly kind: 'room'; readonly id: number }
  | { readonly kind: 'abort'; readonly id: number };

export type FromThread =
  | { readonly kind: 'phase'; readonly id: number; readonly phase: CallProgress['phase'] }
  | { readonly kind: 'reserve'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'ended'; readonly id: number; readonly outcome: FetchOutcome };

/** How a fetch has ended. */
export type FetchOutcome =
  | Fetched
  /** The host was not reached, or its answer did not come whole. */
  | { readonly kind: 'unreached'; readonly failure: Failure }
  /** The file could not be written; `code` is the system's. */
  | { readonly kind: 'not written'; readonly code: string; readonly message: string }
  | { readonly kind: 'bug'; readonly stack: string };
