import { findTag, iccDescription } from './icc-description.ts';

type Chromaticity = readonly [x: number, y: number];

/** Red, green and blue of sRGB, adapted to D50 as in profiles (ICC.1:2022, annex E). */
const SRGB: readonly [Chromaticity, Chromaticity, Chromaticity] = [
  [0.6485, 0.3309],
  [0.3212, 0.5979],
  [0.1559, 0.066],
];
/** How far outside the triangle of sRGB a primary lies before colours are seen to change. */
const OUTSIDE_MIN = 0.01;
const COLOUR_SPACE_AT = 16;
const XYZ_DATA_AT = 8;
const NUMBER_BYTES = 4;

/**
 * Whether an ICC colour profile of RGB reaches colours that sRGB lacks.
 * Display P3 and Adobe RGB do. The primaries decide, whatever the profile is called. One without primaries, as those of
 * cameras and printers, counts as wide unless its name says sRGB. Profiles come from outside: one that cannot be read
 * is not wide, since the image library ignores it.
 */
export function isWideGamut(profile: Buffer): boolean {
  try {
    if (profile.toString('latin1', COLOUR_SPACE_AT, COLOUR_SPACE_AT + NUMBER_BYTES) !== 'RGB ') return false;
    const primaries = ['rXYZ', 'gXYZ', 'bXYZ'].map((name) => primaryOf(profile, name));
    if (primaries.includes(undefined)) return !/srgb/i.test(iccDescription(profile) ?? 'srgb');
    return primaries.some((primary) => primary !== undefined && distanceOutside(primary) > OUTSIDE_MIN);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The chromaticity of one primary; undefined when the profile has none. Its numbers are 65,536ths. */
function primaryOf(profile: Buffer, name: string): Chromaticity | undefined {
  const start = findTag(profile, name);
  if (start === undefined) return undefined;
  const [x = 0, y = 0, z = 0] = [0, 1, 2].map((index) =>
    profile.readInt32BE(start + XYZ_DATA_AT + NUMBER_BYTES * index),
  );
  const sum = x + y + z;
  return sum === 0 ? undefined : [x / sum, y / sum];
}

/** How far a point lies beyond the sides of the triangle of sRGB; negative inside it. */
function distanceOutside([x, y]: Chromaticity): number {
  return Math.max(
    ...SRGB.map(([fromX, fromY], index) => {
      const [toX, toY] = SRGB[(index + 1) % SRGB.length] ?? SRGB[0];
      // The corners go round against the clock, so outside is to the right of each side.
      return ((x - fromX) * (toY - fromY) - (y - fromY) * (toX - fromX)) / Math.hypot(toX - fromX, toY - fromY);
    }),
  );
}
