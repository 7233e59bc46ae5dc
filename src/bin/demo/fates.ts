/** What is done with an order of the demo month. */
export type Verb =
  | 'promote'
  | 'promote in vain'
  | 'hold'
  | 'resume'
  | 'change address'
  | 'start'
  | 'spoil'
  | 'pause'
  | 'finish'
  | 'ship a part'
  | 'ship'
  | 'correct tracking'
  | 'cancel'
  | 'cancel by ops'
  | 'cancel a piece'
  | 'refund'
  | 'report a problem'
  | 'refund the problem'
  | 'refuse the problem'
  | 'ask to cancel'
  | 'cancel as asked'
  | 'refuse to cancel'
  | 'replace'
  | 'promote again'
  | 'start again'
  | 'finish again'
  | 'ship again';

/** A verb, so many days after the order was placed, at an hour of that day. */
type FateStep = readonly [verb: Verb, days: number, hour: number];

const PROMOTED: readonly FateStep[] = [['promote', 1, 8.6]];
const STARTED: readonly FateStep[] = [...PROMOTED, ['start', 1, 10.2]];
const MADE: readonly FateStep[] = [...STARTED, ['finish', 1, 14.5]];
const SENT: readonly FateStep[] = [...MADE, ['ship', 1, 16.4]];

/**
 * What becomes of the orders of the demo month.
 * The first group ends within four days; an order of the others is left in the state that its name says.
 */
export const FATES = {
  'straight through': SENT,
  'a day later': [
    ['promote', 1, 9.1],
    ['start', 2, 9.4],
    ['finish', 2, 13.2],
    ['ship', 2, 15.8],
  ],
  'two parcels': [...MADE, ['ship a part', 1, 16], ['ship', 3, 11.3]],
  'a piece is spoiled': [...STARTED, ['spoil', 1, 11.5], ['finish', 1, 15], ['ship', 2, 10.4]],
  'held for a day': [
    ['hold', 1, 8.2],
    ['resume', 2, 9.3],
    ['promote', 2, 9.5],
    ['start', 2, 11],
    ['finish', 2, 14],
    ['ship', 2, 16.2],
  ],
  'cancelled by its owner': [['cancel', 0, 0]],
  'cancelled by ops': [...PROMOTED, ['cancel by ops', 1, 11.1]],
  'a piece is cancelled': [...STARTED, ['cancel a piece', 1, 11.2], ['finish', 1, 14.6], ['ship', 2, 9.8]],
  'refunded in part': [...SENT, ['refund', 4, 10.1]],
  replaced: [
    ...SENT,
    ['replace', 4, 9.2],
    ['promote again', 4, 9.4],
    ['start again', 4, 11.6],
    ['finish again', 4, 14.3],
    ['ship again', 4, 16.1],
  ],
  'tracking corrected': [...SENT, ['correct tracking', 2, 9.1]],
  'another address': [
    ['change address', 1, 8.3],
    ['promote', 1, 8.7],
    ['start', 1, 10.4],
    ['finish', 1, 14],
    ['ship', 2, 10.6],
  ],
  'a problem is refunded': [...SENT, ['report a problem', 4, 9.7], ['refund the problem', 5, 10.4]],
  'a problem is refused': [...SENT, ['report a problem', 4, 11.2], ['refuse the problem', 5, 9.6]],
  'cancelled as asked': [
    ['ask to cancel', 1, 7.4],
    ['cancel as asked', 1, 8.1],
  ],
  'asked in vain': [
    ...STARTED,
    ['ask to cancel', 1, 10.9],
    ['refuse to cancel', 1, 11.7],
    ['finish', 1, 14.5],
    ['ship', 1, 16.4],
  ],
  waiting: [],
  released: PROMOTED,
  'in production': STARTED,
  'ready to ship': MADE,
  'shipped in part': [...MADE, ['ship a part', 1, 16.1]],
  'on hold': [['hold', 1, 9.2]],
  'on hold after its release': [...PROMOTED, ['hold', 1, 9.6]],
  paused: [...STARTED, ['pause', 1, 11.4]],
  'no blanks': [['promote in vain', 1, 8.9]],
  'a problem is reported': [...SENT, ['report a problem', 4, 10.2]],
  'asked to be cancelled': [...PROMOTED, ['ask to cancel', 1, 9.8]],
  'short of a blank': [...STARTED, ['spoil', 1, 10.9]],
} as const satisfies Readonly<Record<string, readonly FateStep[]>>;
export type Fate = keyof typeof FATES;

/** The fates of the first group, each as often in a hundred ended orders. */
export const ENDED_FATES: readonly (readonly [fate: Fate, share: number])[] = [
  ['straight through', 50],
  ['a day later', 22],
  ['two parcels', 3],
  ['a piece is spoiled', 4],
  ['held for a day', 3],
  ['cancelled by its owner', 4],
  ['cancelled by ops', 2],
  ['a piece is cancelled', 3],
  ['refunded in part', 3],
  ['replaced', 2],
  ['tracking corrected', 2],
  ['another address', 2],
];

/** Fates that need an order of two pieces or more. */
export const OF_SEVERAL: readonly Fate[] = ['two parcels', 'a piece is cancelled', 'shipped in part'];
