import { open } from 'node:fs/promises';
import { asStoreFailure } from '../../lib/blobs/failures.ts';
import { type ByteWindow, openByteWindow } from './byte-window.ts';
import { ARTWORK_BYTES_MAX, count, fault, type ImageFault, type ImageHeader } from './header.ts';
import { sniffJpeg } from './jpeg.ts';
import { sniffPng } from './png.ts';
import { sniffWebp } from './webp.ts';

/**
 * Reads the structure of a file and refuses what is over a limit or incomplete.
 * It allocates nothing by what the file claims. The signature alone decides the format, the dimensions
 * are checked against the limits, and every part must be complete (spec 8). The decoder checks the
 * content of the parts. Throws `BlobStoreAway` when the file cannot be read.
 */
export async function sniffImage(path: string): Promise<ImageHeader | ImageFault> {
  try {
    return await sniffFile(path);
  } catch (error) {
    throw asStoreFailure(error);
  }
}

async function sniffFile(path: string): Promise<ImageHeader | ImageFault> {
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

const LONGEST_SIGNATURE = 12;

async function sniff(file: ByteWindow): Promise<ImageHeader | ImageFault> {
  const start = (await file.read(0, Math.min(LONGEST_SIGNATURE, file.size))).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return sniffPng(file);
  // Two bytes that end there are the start of a truncated JPEG; two with other bytes after them are something else.
  if (start === '\xff\xd8' || start.startsWith('\xff\xd8\xff')) return sniffJpeg(file);
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return sniffWebp(file);
  return fault('format', 'The file is not a PNG, JPEG or WebP picture; its content decides, not its name.');
}
