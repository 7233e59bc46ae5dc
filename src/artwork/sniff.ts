import { open } from 'node:fs/promises';
import { type ByteWindow, openByteWindow } from './byte-window.ts';

/** What the structure of a picture file says before anything decodes it. */
export type PictureHeader = {
  readonly kind: 'ok';
  readonly mime: PictureMime;
  /** As stored, before any EXIF orientation. */
  readonly widthPx: number;
  readonly heightPx: number;
  /** 1 for a still picture. */
  readonly pages: number;
  /** The most memory that a decoder holds for it, in bytes, beside a few rows. */
  readonly decodeBytes: number;
};

export type PictureMime = 'image/png' | 'image/jpeg' | 'image/webp';

/** Why a file is not accepted: a code of `POST /uploads/validate` (decisions) and words for the caller. */
export type PictureFault = {
  readonly kind: 'refused';
  readonly code: 'format' | 'dimensions' | 'corrupt' | 'size';
  readonly message: string;
};

/** spec 8, "File size": 50 MB per file; inclusive (decisions, "Artwork fetch"). */
export const ARTWORK_BYTES_MAX = 52_428_800;
/** spec 8, "Dimensions". */
export const SIDE_PX_MAX = 12_000;
export const PICTURE_PX_MAX = 60_000_000;

/** A legal picture with 801 scans costs 16 s (bad-input, finding 1); encoders in use write at most a dozen. */
const SCANS_MAX = 100;
/** Chunks, segments or frames of a file. An encoder that flushes every kilobyte writes half as many in 50 MB. */
const PARTS_MAX = 100_000;
/** What a decoder that works row by row holds at the widest. */
const ROWS_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads the structure of a file on disk, allocating nothing by what it claims: its signature decides the format
 * (spec 8), its dimensions are held against the limits, and its parts must be whole to the end. Throws when the file
 * cannot be read.
 */
export async function sniffPicture(path: string): Promise<PictureHeader | PictureFault> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > ARTWORK_BYTES_MAX) {
      return fault('size', `The file has ${count(size)} bytes; at most ${count(ARTWORK_BYTES_MAX)} are accepted.`);
    }
    return await sniff(openByteWindow(file, size));
  } finally {
    await file.close();
  }
}

const PNG_SIGNATURE = '89504e470d0a1a0a';

async function sniff(file: ByteWindow): Promise<PictureHeader | PictureFault> {
  const start = await file.read(0, Math.min(12, file.size));
  if (start.toString('hex', 0, 8) === PNG_SIGNATURE) return sniffPng(file);
  if (start.readUIntBE(0, Math.min(2, start.length)) === 0xffd8 && (start[2] ?? 0xff) === 0xff) return sniffJpeg(file);
  if (start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP') return sniffWebp(file);
  return fault('format', 'The file is not a PNG, JPEG or WebP picture. Its content decides, not its name.');
}
