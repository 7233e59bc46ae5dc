import { useCallback, useState } from 'react';

/** Steps that can be undone; older ones are forgotten. */
const STEPS_MAX = 200;

/** A value with its past: what was undone can be done again until something else is changed. */
export type History<Value> = {
  readonly past: readonly Value[];
  readonly present: Value;
  readonly future: readonly Value[];
  /** The gesture that made the present value, while it may still go on. */
  readonly gesture: string | undefined;
};

/** A value without a past. */
export function startHistory<Value>(present: Value): History<Value> {
  return { past: [], present, future: [], gesture: undefined };
}

/** The next value. Changes of one gesture (a drag, a key that is held) are one step back. */
export function recorded<Value>(history: History<Value>, next: Value, gesture?: string): History<Value> {
  if (Object.is(next, history.present)) return history;
  if (gesture !== undefined && gesture === history.gesture) return { ...history, present: next, future: [] };
  return { past: [...history.past, history.present].slice(-STEPS_MAX), present: next, future: [], gesture };
}

/** One step back; the same history where there is none. */
export function undone<Value>({ past, present, future, gesture }: History<Value>): History<Value> {
  const last = past.at(-1);
  if (last === undefined) return { past, present, future, gesture };
  return { past: past.slice(0, -1), present: last, future: [present, ...future], gesture: undefined };
}

/** One step forward again; the same history where there is none. */
export function redone<Value>({ past, present, future, gesture }: History<Value>): History<Value> {
  const [next, ...later] = future;
  if (next === undefined) return { past, present, future, gesture };
  return { past: [...past, present], present: next, future: later, gesture: undefined };
}

/**
 * A value of a page that can be undone.
 * `change` takes the next value or a function of the present one, and the name of the gesture that it belongs to.
 * `reset` starts anew, such as when the stored value was read.
 */
export function useHistory<Value extends object>(initial: Value | (() => Value)) {
  const [history, setHistory] = useState(() => startHistory(typeof initial === 'function' ? initial() : initial));
  const change = useCallback((next: Value | ((present: Value) => Value), gesture?: string) => {
    setHistory((before) => recorded(before, typeof next === 'function' ? next(before.present) : next, gesture));
  }, []);
  const undo = useCallback(() => setHistory(undone), []);
  const redo = useCallback(() => setHistory(redone), []);
  const reset = useCallback((value: Value) => setHistory(startHistory(value)), []);
  return {
    value: history.present,
    change,
    undo,
    redo,
    reset,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
  };
}
