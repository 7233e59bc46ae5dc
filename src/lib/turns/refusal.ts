/**
 * `full`: too much waits or would wait too long; `late`: it waited too long; `gone`.
 * Its signal aborted.
 */
export type RefusalReason = 'full' | 'late' | 'gone' | 'closed';

/** A task gets no turn. It has done nothing, and may be tried again. */
export class TurnRefused extends Error {
  override name = 'TurnRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(`no turn: ${reason}`);
    this.reason = reason;
  }
}
