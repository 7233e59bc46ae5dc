import { createTurns, type Turns } from '../../lib/turns/turns.ts';

/**
 * Drawn at once in this process.
 * Of the two children that decode, one stays free for print files and intake.
 */
const AT_ONCE = 1;
/** A page of a list shows 25 pictures at once; more than that of one caller are refused. */
const WAITING_MAX = 200;
const WAITING_MAX_OF_EACH = 60;
/** A picture that is not drawn by then is refused: who asked has looked away. */
const WAIT_MS = 10_000;

/**
 * The turns of pictures to look at: proofs and small pictures.
 * A limit of its own in front of the image pool, so that they never delay what is produced.
 */
export function openProofTurns(): Turns {
  return createTurns({
    resource: 'proofs',
    capacity: AT_ONCE,
    capOfEach: AT_ONCE,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs: WAIT_MS,
  });
}
