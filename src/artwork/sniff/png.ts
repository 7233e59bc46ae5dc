import type { ByteWindow } from './byte-window.ts';
import { corrupt, dimensionFault, type ImageFault, type ImageHeader, PARTS_MAX, rowsBytes } from './header.ts';

const SIGNATURE_BYTES = 8;
const HEADER_CHUNK_BYTES = 13;
/** Length, type and checksum around the data of a chunk. */
const AROUND_BYTES = 12;
/**
 * Samples of a pixel by colour type (PNG, 11.2.1).
 * A palette is decoded to colours with or without alpha.
 */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 4, 4: 2, 6: 4 };

/**
 * Walks the chunks of a PNG to its end (PNG, third edition, 5.3 and 11.2).
 * Bytes after the end are ignored.
 */
export async function sniffPng(file: ByteWindow): Promise<ImageHeader | ImageFault> {
  if (file.size < SIGNATURE_BYTES + AROUND_BYTES + HEADER_CHUNK_BYTES) return corrupt('it ends in its header');
  const header = await file.read(SIGNATURE_BYTES, 8 + HEADER_CHUNK_BYTES);
  if (header.readUInt32BE(0) !== HEADER_CHUNK_BYTES || header.toString('latin1', 4, 8) !== 'IHDR') {
    return corrupt('it does not begin with a PNG header');
  }
  const widthPx = header.readUInt32BE(8);
  const heightPx = header.readUInt32BE(12);
  const sampleBytes = header.readUInt8(16) > 8 ? 2 : 1;
  const samples = SAMPLES[header.readUInt8(17)];
  const interlaced = header.readUInt8(20) !== 0;
  const refusal = dimensionFault(widthPx, heightPx);
  if (refusal !== undefined) return refusal;
  if (samples === undefined) return corrupt('its colour type does not exist');

  const rest = await walkChunks(file, SIGNATURE_BYTES + AROUND_BYTES + HEADER_CHUNK_BYTES);
  if (rest.kind === 'refused') return rest;
  const wholeBytes = widthPx * heightPx * samples * sampleBytes;
  // An interlaced image is complete only with its last pass, so a decoder holds all of it.
  const decodeBytes = (interlaced ? wholeBytes : 0) + rowsBytes(wholeBytes);
  return { kind: 'ok', mime: 'image/png', widthPx, heightPx, pages: rest.pages, decodeBytes };
}

async function walkChunks(file: ByteWindow, first: number): Promise<{ kind: 'whole'; pages: number } | ImageFault> {
  let offset = first;
  let pages = 1;
  let hasPixels = false;
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    if (offset + AROUND_BYTES > file.size) return corrupt('it ends before its last chunk');
    const chunk = await file.read(offset, 8);
    const length = chunk.readUInt32BE(0);
    const type = chunk.toString('latin1', 4, 8);
    if (offset + AROUND_BYTES + length > file.size) return corrupt('it ends within a chunk');
    if (type === 'IHDR') return corrupt('it has two headers');
    if (type === 'IDAT') hasPixels = true;
    if (type === 'acTL' && length >= 4) pages = Math.max(1, (await file.read(offset + 8, 4)).readUInt32BE(0));
    if (type === 'IEND') return hasPixels ? { kind: 'whole', pages } : corrupt('it has no pixels');
    offset += AROUND_BYTES + length;
  }
  return corrupt('it has too many chunks');
}
