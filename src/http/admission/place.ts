import type { ServerResponse } from 'node:http';
import type { Asker, Owner } from '../../lib/turns/owner.ts';
import { signalOf } from '../take-request.ts';
import type { Admission, RequestKind } from './admission.ts';

/** The place of a request among those that are worked on. */
export type RequestPlace = {
  /** For whom the request is; its signal aborts when the client goes. */
  readonly asker: Asker;
  readonly refuseEarly: () => void;
  readonly take: (bodyBytes: number) => Promise<void>;
  /**
   * Does a further part of the request in a place, and takes one if it has none: a page of a long list.
   * It counts as a large one, for its records may have many lines each.
   */
  readonly inPlace: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Gives the place back. */
  readonly end: () => void;
};

/** As much as a request counts at most. */
const LARGE_BYTES = 65_536;

/** Makes the place of a request; it has none until it takes one. */
export function createPlace(
  admission: Admission,
  { owner, ...kind }: RequestKind & { readonly owner: Owner },
  response: ServerResponse,
): RequestPlace {
  let signal: AbortSignal | undefined;
  let release: (() => void) | undefined;
  let bodyBytes = 0;
  let waits = 0;
  let hasEnded = false;

  const giveBack = (): void => {
    release?.();
    release = undefined;
  };
  const takeAgain = async (): Promise<void> => {
    try {
      const taken = await admission.take(asker, { ...kind, bodyBytes });
      if (hasEnded || waits > 0 || release !== undefined) taken();
      else release = taken;
    } catch {
      // A request that was admitted is not refused any more. It goes on without a place.
    }
  };
  const asker: Asker = {
    owner,
    get signal() {
      signal ??= signalOf(response);
      return signal;
    },
    hasGone: () => response.destroyed,
    away: async (wait) => {
      if (hasEnded) return wait();
      waits += 1;
      giveBack();
      try {
        return await wait();
      } finally {
        waits -= 1;
        if (waits === 0) await takeAgain();
      }
    },
  };
  const end = (): void => {
    hasEnded = true;
    giveBack();
  };
  return {
    asker,
    refuseEarly: () => admission.refuseEarly(asker, kind.urgent),
    take: async (bytes) => {
      bodyBytes = bytes;
      release = await admission.take(asker, { ...kind, bodyBytes });
    },
    inPlace: async (work) => {
      if (release !== undefined) return work();
      hasEnded = false;
      bodyBytes = LARGE_BYTES;
      await takeAgain();
      try {
        return await work();
      } finally {
        end();
      }
    },
    end,
  };
}
