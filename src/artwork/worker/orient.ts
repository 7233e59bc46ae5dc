import type { QuarterTurn, Rectangle, Size } from '../place.ts';

/**
 * How stored pixels become the visible image.
 * They are flipped (top to bottom) or not, then turned clockwise.
 */
export type Orientation = { readonly flip: boolean; readonly turn: QuarterTurn };

/** EXIF 2.32, 4.6.4, tag Orientation. A mirror from left to right is the flip and half a turn. */
const BY_EXIF: Readonly<Record<number, Orientation>> = {
  1: { flip: false, turn: 0 },
  2: { flip: true, turn: 180 },
  3: { flip: false, turn: 180 },
  4: { flip: true, turn: 0 },
  5: { flip: true, turn: 90 },
  6: { flip: false, turn: 90 },
  7: { flip: true, turn: 270 },
  8: { flip: false, turn: 270 },
};

const UPRIGHT: Orientation = { flip: false, turn: 0 };

/** The orientation for an EXIF value; anything but 1 to 8 counts as upright, as viewers have it. */
export function orientationOf(exif: number | undefined): Orientation {
  return BY_EXIF[exif ?? 1] ?? UPRIGHT;
}

/** The orientation and then a further turn. */
export function turnFurther({ flip, turn }: Orientation, further: QuarterTurn): Orientation {
  const sum = (turn + further) % 360;
  return { flip, turn: sum === 90 || sum === 180 || sum === 270 ? sum : 0 };
}

/** The size of the visible image from the stored one, or the other way round. */
export function orientSize(size: Size, { turn }: Orientation): Size {
  return turn === 90 || turn === 270 ? { widthPx: size.heightPx, heightPx: size.widthPx } : size;
}

/** Where a rectangle of the visible image lies in the stored one. Takes the stored size. */
export function storedRectangle(seen: Rectangle, stored: Size, { flip, turn }: Orientation): Rectangle {
  const turnedBack = turnBack(seen, stored, turn);
  return flip ? { ...turnedBack, top: stored.heightPx - turnedBack.top - turnedBack.height } : turnedBack;
}

function turnBack({ left, top, width, height }: Rectangle, stored: Size, turn: QuarterTurn): Rectangle {
  if (turn === 90) return { left: top, top: stored.heightPx - left - width, width: height, height: width };
  if (turn === 180) return { left: stored.widthPx - left - width, top: stored.heightPx - top - height, width, height };
  if (turn === 270) return { left: stored.widthPx - top - height, top: left, width: height, height: width };
  return { left, top, width, height };
}
