import { randomOf } from './random.ts';

// What clients mean to do, drawn from a seed: which it comes to depends on what the others have done meanwhile.

/** What a client can mean to do: customers, operators, the payment provider and its weather. */
export type Kind =
  | 'place'
  | 'repeat'
  | 'steal'
  | 'cancel'
  | 'read'
  | 'advance'
  | 'promote'
  | 'promote_many'
  | 'hold'
  | 'resume'
  | 'start'
  | 'finish'
  | 'spoil'
  | 'ship'
  | 'correct'
  | 'cancel_by_ops'
  | 'cancel_pieces'
  | 'refund'
  | 'refund_paid'
  | 'settle'
  | 'retry_payment'
  | 'top_up'
  | 'receive'
  | 'count'
  | 'replace'
  | 'callback'
  | 'weather';

/** One intention. The numbers are from 0 to below 1, and are made choices of when it is acted on. */
export type Intention = {
  readonly kind: Kind;
  /**
   * Unique, and the same each time the seed is played: an Idempotency-Key, an external reference, a tracking number.
   */
  readonly key: string;
  /** Which order. */
  readonly pick: number;
  readonly line: number;
  readonly amount: number;
  readonly other: number;
  /** The request is sent twice at once. */
  readonly isTwin: boolean;
};

/** How often each is meant, in parts of their sum: orders have to get on, or nothing late in their life is ever met. */
const WEIGHTS: Readonly<Record<Kind, number>> = {
  place: 12,
  repeat: 3,
  steal: 1,
  cancel: 5,
  read: 2,
  advance: 32,
  promote: 3,
  promote_many: 2,
  hold: 3,
  resume: 3,
  start: 4,
  finish: 2,
  spoil: 3,
  ship: 6,
  correct: 2,
  cancel_by_ops: 2,
  cancel_pieces: 4,
  refund: 4,
  refund_paid: 3,
  settle: 3,
  retry_payment: 3,
  top_up: 4,
  receive: 3,
  count: 2,
  replace: 2,
  callback: 4,
  weather: 4,
};
const KINDS = Object.entries(WEIGHTS).map(([kind, weight]) => ({ kind: kind as Kind, weight }));

const TWINS = 0.12;

/** Numbers from 0 to below 1, the same for the same seed. */
export function numbersOf(seed: number): () => number {
  const { between } = randomOf(seed);
  return () => between(0, 999_999) / 1_000_000;
}

/** The intentions of one client, without end. */
export function* intentionsOf(seed: number, client: number): Generator<Intention, never> {
  const random = randomOf(Math.imul(seed, 0x9e3779b1) ^ Math.imul(client + 1, 0x85ebca6b));
  const draw = (): number => random.between(0, 999_999) / 1_000_000;
  for (let index = 0; ; index += 1) {
    yield {
      kind: random.weighted(KINDS).kind,
      key: `s${seed}-c${client}-${index}`,
      pick: draw(),
      line: draw(),
      amount: draw(),
      other: draw(),
      isTwin: random.chance(TWINS),
    };
  }
}
