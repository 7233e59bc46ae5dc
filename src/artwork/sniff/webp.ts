import type { ByteWindow } from './byte-window.ts';
import { corrupt, dimensionFault, type ImageFault, type ImageHeader, PARTS_MAX } from './header.ts';

const RIFF_HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;
/** How many bytes of a chunk hold its dimensions: `VP8X` and `VP8 ` 10, `VP8L` 5, `ANMF` 16. */
const EXTENDED_BYTES = 10;
const LOSSY_BYTES = 10;
const LOSSLESS_BYTES = 5;
const FRAME_BYTES = 16;
const ANIMATION_FLAG = 0x02;
/** The decoder's own four bytes a pixel and the four of its output. */
const PIXEL_BYTES = 8;

type Size = { kind: 'size'; widthPx: number; heightPx: number };
type Chunk = { kind: 'chunk'; type: string; data: number; length: number; next: number };

/**
 * Walks the chunks of a WebP (RFC 9649, 2) within the size that its header states.
 * Bytes after that are ignored. The canvas of an extended file and the image in it must agree.
 */
export async function sniffWebp(file: ByteWindow): Promise<ImageHeader | ImageFault> {
  const end = 8 + (await file.read(4, 4)).readUInt32LE(0);
  if (end > file.size) return corrupt('it is shorter than it says');
  const first = await chunkAt(file, RIFF_HEADER_BYTES, end);
  if (first.kind === 'refused') return first;
  const size = first.type === 'VP8X' ? await extendedSize(file, first) : await pictureSize(file, first);
  if (size.kind === 'refused') return size;
  const refusal = dimensionFault(size.widthPx, size.heightPx);
  if (refusal !== undefined) return refusal;

  const pages = first.type === 'VP8X' ? await walkExtended(file, first, end, size) : 1;
  if (typeof pages !== 'number') return pages;
  const { widthPx, heightPx } = size;
  return { kind: 'ok', mime: 'image/webp', widthPx, heightPx, pages, decodeBytes: widthPx * heightPx * PIXEL_BYTES };
}

async function chunkAt(file: ByteWindow, offset: number, end: number): Promise<Chunk | ImageFault> {
  if (offset + CHUNK_HEADER_BYTES > end) return corrupt('it ends before its picture');
  const header = await file.read(offset, CHUNK_HEADER_BYTES);
  const length = header.readUInt32LE(4);
  const data = offset + CHUNK_HEADER_BYTES;
  if (data + length > end) return corrupt('it ends within a chunk');
  return { kind: 'chunk', type: header.toString('latin1', 0, 4), data, length, next: data + length + (length % 2) };
}

async function extendedSize(file: ByteWindow, chunk: Chunk): Promise<Size | ImageFault> {
  if (chunk.length < EXTENDED_BYTES) return corrupt('its header is cut short');
  const data = await file.read(chunk.data, EXTENDED_BYTES);
  return { kind: 'size', widthPx: data.readUIntLE(4, 3) + 1, heightPx: data.readUIntLE(7, 3) + 1 };
}

/** Dimensions in the compressed image itself: lossy (RFC 6386, 9.1) or lossless (RFC 9649, 3.4). */
async function pictureSize(file: ByteWindow, chunk: Chunk): Promise<Size | ImageFault> {
  if (chunk.type === 'VP8 ' && chunk.length >= LOSSY_BYTES) {
    const data = await file.read(chunk.data, LOSSY_BYTES);
    const isKeyFrame = (data.readUInt8(0) & 1) === 0;
    if (!isKeyFrame || data.readUIntBE(3, 3) !== 0x9d012a)
      return corrupt('its picture does not begin with a key frame');
    return { kind: 'size', widthPx: data.readUInt16LE(6) & 0x3fff, heightPx: data.readUInt16LE(8) & 0x3fff };
  }
  if (chunk.type === 'VP8L' && chunk.length >= LOSSLESS_BYTES) {
    const data = await file.read(chunk.data, LOSSLESS_BYTES);
    if (data.readUInt8(0) !== 0x2f) return corrupt('its picture has no signature');
    const bits = data.readUInt32LE(1);
    return { kind: 'size', widthPx: (bits & 0x3fff) + 1, heightPx: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return corrupt('it has no picture where one should be');
}

/** The number of pages of an extended file: its frames, or 1. */
async function walkExtended(file: ByteWindow, header: Chunk, end: number, canvas: Size): Promise<number | ImageFault> {
  const isAnimated = ((await file.read(header.data, 1)).readUInt8(0) & ANIMATION_FLAG) !== 0;
  let pages = 0;
  let offset = header.next;
  for (let parts = 0; offset < end; parts += 1) {
    if (parts === PARTS_MAX) return corrupt('it has too many chunks');
    const chunk = await chunkAt(file, offset, end);
    if (chunk.kind === 'refused') return chunk;
    if (chunk.type === 'VP8X') return corrupt('it has two headers');
    const isPicture = chunk.type === 'VP8 ' || chunk.type === 'VP8L';
    if (isPicture || chunk.type === 'ANMF') {
      const refusal = isPicture ? await stillFault(file, chunk, canvas) : await frameFault(file, chunk, canvas);
      if (refusal !== undefined) return refusal;
      if (isPicture === isAnimated) return corrupt('it mixes a still picture with frames');
      if (isPicture && pages === 1) return corrupt('it has two pictures');
      pages += 1;
    }
    offset = chunk.next;
  }
  return pages === 0 ? corrupt('it has no picture') : pages;
}

async function stillFault(file: ByteWindow, chunk: Chunk, canvas: Size): Promise<ImageFault | undefined> {
  const size = await pictureSize(file, chunk);
  if (size.kind === 'refused') return size;
  const agrees = size.widthPx === canvas.widthPx && size.heightPx === canvas.heightPx;
  return agrees ? undefined : corrupt('its header and its picture differ in size');
}

/** A frame must lie on the canvas and hold an image of the size that it states. */
async function frameFault(file: ByteWindow, frame: Chunk, canvas: Size): Promise<ImageFault | undefined> {
  if (frame.length < FRAME_BYTES) return corrupt('a frame is cut short');
  const data = await file.read(frame.data, FRAME_BYTES);
  const leftPx = data.readUIntLE(0, 3) * 2;
  const topPx = data.readUIntLE(3, 3) * 2;
  const widthPx = data.readUIntLE(6, 3) + 1;
  const heightPx = data.readUIntLE(9, 3) + 1;
  if (leftPx + widthPx > canvas.widthPx || topPx + heightPx > canvas.heightPx)
    return corrupt('a frame leaves its canvas');

  const end = frame.data + frame.length;
  let chunk = await chunkAt(file, frame.data + FRAME_BYTES, end);
  if (chunk.kind === 'chunk' && chunk.type === 'ALPH') chunk = await chunkAt(file, chunk.next, end);
  return chunk.kind === 'refused' ? chunk : stillFault(file, chunk, { kind: 'size', widthPx, heightPx });
}
