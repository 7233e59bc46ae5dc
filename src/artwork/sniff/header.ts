/** What the structure of an image file says before anything decodes it. */
export type ImageHeader = {
  readonly kind: 'ok';
  readonly mime: ImageMime;
  /** As stored, before any EXIF orientation. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** 1 for a still image. */
  readonly pages: number;
  /** The most memory that a decoder holds for it, in bytes. */
  readonly decodeBytes: number;
};

export type ImageMime = 'image/png' | 'image/jpeg' | 'image/webp';

/** Why a file is refused: a code of `POST /uploads/validate` (decisions) and a message for the caller. */
export type ImageFault = {
  readonly kind: 'refused';
  readonly code: 'format' | 'dimensions' | 'corrupt' | 'size';
  readonly message: string;
};

/** spec 8, "File size": 50 MB per file; inclusive (decisions, "Artwork fetch"). */
export const ARTWORK_BYTES_MAX = 52_428_800;
/** spec 8, "Dimensions". */
export const SIDE_PX_MAX = 12_000;
export const PICTURE_PX_MAX = 60_000_000;
/** Chunks or segments of a file. An encoder that flushes every kilobyte writes half as many in 50 MB. */
export const PARTS_MAX = 100_000;
/** What a decoder that works row by row holds of the widest image. */
const ROWS_BYTES_MAX = 64 * 1024 * 1024;

/** Makes the refusal of an image. */
export function fault(code: ImageFault['code'], message: string): ImageFault {
  return { kind: 'refused', code, message };
}

/** Makes the refusal of an incomplete file, with what is wrong in it. */
export function corrupt(what: string): ImageFault {
  return fault('corrupt', `The file is damaged: ${what}.`);
}

/** Checks claimed dimensions, however large, against spec 8; undefined when they are within it. */
export function dimensionFault(widthPx: number, heightPx: number): ImageFault | undefined {
  if (widthPx === 0 || heightPx === 0) return corrupt('it claims a side of 0 pixels');
  if (widthPx <= SIDE_PX_MAX && heightPx <= SIDE_PX_MAX && widthPx * heightPx <= PICTURE_PX_MAX) return undefined;
  const claimed = `${count(widthPx)} x ${count(heightPx)} pixels`;
  return fault(
    'dimensions',
    `The picture has ${claimed}; at most ${count(SIDE_PX_MAX)} on a side and ${count(PICTURE_PX_MAX)} in all are accepted.`,
  );
}

/** Memory of a decoder that keeps rows only, for an image of this many bytes. */
export function rowsBytes(wholeBytes: number): number {
  return Math.min(wholeBytes, ROWS_BYTES_MAX);
}

/** A whole number with separators for people: 12,000. */
export function count(value: number): string {
  return value.toLocaleString('en-GB');
}
