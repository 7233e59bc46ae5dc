import { isBadAnswer, isForbidden, isRejected, ShopFault } from '../platforms/shop-call.ts';

/** After so many things in a row that a shop answers badly it is asked something else. */
const IN_A_ROW = 2;

type Held = {
  readonly fault: ShopFault;
  readonly putOff: (fault: ShopFault, isItsOwn: boolean) => Promise<void>;
};

/** Does the things of a sync apart, so that one which a shop answers badly stops no other. */
export type Apart = {
  /** Notes that the shop has answered. */
  readonly answered: () => void;
  /**
   * Does one thing.
   * What is rejected is put off at once by `putOff`, and so is what is kept from us by a shop that lets us in. Any
   * other fault is kept until it is known whose it is. Throws the fault of a shop that answers nothing else either,
   * that does not let us in or asks us to wait.
   */
  readonly one: (work: () => Promise<void>, putOff: Held['putOff']) => Promise<void>;
  /** Ends a round: puts off what was answered badly. Throws the fault of a shop that answers nothing. */
  readonly settle: () => Promise<void>;
  /** Ends a sync that failed: what was answered badly last is not at fault itself. */
  readonly end: () => Promise<void>;
};

/**
 * Opens this for one sync.
 * A thing that fails by a bug of ours stops no other either; `noteBug` is called with each.
 * A shop that answers `probe`, or has answered anything in this sync, is well: so the fault is the thing's own. What is
 * answered badly in a row is a reason to probe anew.
 */
export function openApart(probe: () => Promise<void>, noteBug: (error: Error) => void): Apart {
  let hasAnswered = false;
  let isLetIn = false;
  let own: Held[] = [];
  let inRow: Held[] = [];
  const answered = (): void => {
    hasAnswered = true;
    own.push(...inRow);
    inRow = [];
  };
  const putOff = async (held: readonly Held[], isItsOwn: boolean): Promise<void> => {
    for (const { fault, putOff: off } of held) await off(fault, isItsOwn);
  };
  const end = async (): Promise<void> => {
    const [ofThings, ofShop] = [own, inRow];
    own = [];
    inRow = [];
    await putOff(ofThings, true);
    await putOff(ofShop, false);
  };
  const ask = async (): Promise<void> => {
    await probe();
    answered();
  };
  return {
    answered,
    one: async (work, off) => {
      try {
        await work();
      } catch (error) {
        if (isRejected(error)) {
          await off(error, true);
          return;
        }
        if (isForbidden(error)) {
          // Asked once a round: it may be a page of orders.
          if (!isLetIn) await ask();
          isLetIn = true;
          await off(new ShopFault('rejected', KEPT_FROM_US), true);
          return;
        }
        if (isOwnBug(error)) {
          noteBug(error);
          await off(new ShopFault('broken', FAULT_OF_OURS), true);
          return;
        }
        if (!isBadAnswer(error)) throw error;
        inRow.push({ fault: error, putOff: off });
        if (inRow.length >= IN_A_ROW) await ask();
      }
    },
    settle: async () => {
      if (inRow.length > 0 && !hasAnswered) await ask();
      answered();
      isLetIn = false;
      await end();
    },
    end,
  };
}

/** Whether an error is of our own code: those of a database or a network have a code or a name. */
function isOwnBug(error: unknown): error is Error {
  if (error instanceof TypeError || error instanceof RangeError) return true;
  return error instanceof Error && error.constructor === Error && !('code' in error);
}

const FAULT_OF_OURS = 'It fails by a fault of ours, which the print shop looks at. It is tried again.';

const KEPT_FROM_US =
  'The shop lets the print shop in, and does not let it see or change this. Its people can give the print shop the right to.';
