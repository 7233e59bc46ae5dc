import { FIRST_ID, type Uuid } from '../ids.ts';

/** A piece of background work, recorded in the transaction that caused it. */
export type Job = {
  readonly id: Uuid;
  readonly kind: string;
  readonly key: string;
  readonly payload: unknown;
  /** How often it has failed by a fault of its own. */
  readonly attempts: number;
  /** Whose turn it takes; zeros for work of no account. */
  readonly account_id: Uuid;
};

/** How urgent a job is: a tier is served when none before it waits, and `spare` only a few at a time. */
export const TIERS = { first: 0, ordinary: 1, spare: 2 } as const;

export type Tier = (typeof TIERS)[keyof typeof TIERS];

/** The account of work that is of none. */
export const NO_ACCOUNT = FIRST_ID as Uuid;

/** The line within an account of work whose kind has but one. */
export const NO_LINE = FIRST_ID as Uuid;
