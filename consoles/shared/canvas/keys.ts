import type { KeyboardEvent } from 'react';
import { type Box, type Limits, scaleBox, wrapped } from './geometry.ts';

/** Every key of a thing on the plane, for the text beside it. */
export const PLANE_KEYS: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Arrows', does: 'move by 1 mm, with Shift by 10 mm, with Alt by 0.1 mm' },
  { keys: '+ and -', does: 'make larger or smaller, with Alt in finer steps' },
  { keys: '[ and ]', does: 'turn by 1 degree, with Shift by 15' },
];

const STEP_MM = 1;
const FAR_MM = 10;
const FINE_MM = 0.1;
const LARGER = 1.05;
const FINE_LARGER = 1.01;
const TURN = 1;
const FAR_TURN = 15;

/** The box after a key, or undefined when the key is none of the plane's. */
export function boxAfterKey(
  { key, code, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent,
  { box, canTurn }: { box: Box; canTurn: boolean },
  limits: Limits,
): Box | undefined {
  if (ctrlKey || metaKey) return undefined;
  const step = altKey ? FINE_MM : shiftKey ? FAR_MM : STEP_MM;
  if (key === 'ArrowLeft') return { ...box, x: rounded(box.x - step) };
  if (key === 'ArrowRight') return { ...box, x: rounded(box.x + step) };
  if (key === 'ArrowUp') return { ...box, y: rounded(box.y - step) };
  if (key === 'ArrowDown') return { ...box, y: rounded(box.y + step) };
  const factor = altKey ? FINE_LARGER : LARGER;
  if (key === '+' || key === '=') return scaleBox(box, factor, limits);
  if (key === '-' || key === '_') return scaleBox(box, 1 / factor, limits);
  if (!canTurn) return undefined;
  const turn = shiftKey ? FAR_TURN : TURN;
  if (code === 'BracketLeft' || key === '[') return { ...box, degrees: wrapped(box.degrees - turn) };
  if (code === 'BracketRight' || key === ']') return { ...box, degrees: wrapped(box.degrees + turn) };
  return undefined;
}

/** Sums of tenths stay tenths. */
function rounded(mm: number): number {
  return Math.round(mm * 1_000) / 1_000;
}
