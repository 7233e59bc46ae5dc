import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** A folder for the pictures of a test file; `remove` it at the end. */
export type PictureFolder = {
  readonly save: (bytes: Uint8Array) => Promise<string>;
  readonly path: () => string;
  readonly remove: () => void;
};

export function openPictureFolder(): PictureFolder {
  const folder = mkdtempSync(join(tmpdir(), 'platen-pictures-'));
  let files = 0;
  const path = (): string => {
    files += 1;
    return join(folder, String(files));
  };
  return {
    path,
    save: async (bytes) => {
      const file = path();
      await writeFile(file, bytes);
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A PNG chunk with its checksum. */
export function pngChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

export const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function pngHeader(width: number, height: number, depth = 1, colourType = 0): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.writeUInt8(depth, 8);
  data.writeUInt8(colourType, 9);
  return pngChunk('IHDR', data);
}

/** A black PNG of one bit a pixel: the cheapest legal picture of any size. `extra` stands before its pixels. */
export function blackPng(width: number, height: number, ...extra: Uint8Array[]): Buffer {
  const rows = Buffer.alloc((1 + Math.ceil(width / 8)) * height);
  const pixels = pngChunk('IDAT', deflateSync(rows));
  return Buffer.concat([PNG_SIGNATURE, pngHeader(width, height), ...extra, pixels, pngChunk('IEND', Buffer.alloc(0))]);
}

/** A JPEG segment: marker, length, data. */
export function jpegSegment(marker: number, data: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff]), data]);
}

/** The frame header of a JPEG in grey. */
export function jpegFrame(width: number, height: number, marker = 0xc0): Buffer {
  return jpegSegment(marker, Buffer.from([8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]));
}

/** A WebP file around chunks. */
export function webpFile(...chunks: Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...chunks]);
  return Buffer.concat([riffHeader('RIFF', body.length), body]);
}

export function webpChunk(type: string, data: Uint8Array): Buffer {
  return Buffer.concat([riffHeader(type, data.length), data, Buffer.alloc(data.length % 2)]);
}

function riffHeader(type: string, length: number): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(length, 4);
  return header;
}

export function webpExtended(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data.writeUInt8(flags, 0);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return webpChunk('VP8X', data);
}

/** A picture with detail everywhere, so that no part of its file is idle. */
export function noise(width: number, height: number): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  let seed = 1;
  for (let index = 0; index < pixels.length; index += 1) {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    pixels[index] = seed >>> 24;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export function flat(width: number, height: number, background: string): Sharp {
  return sharp({ create: { width, height, channels: 4, background } });
}

/** Red, green, blue and alpha of one pixel. */
export async function pixelAt(path: string, x: number, y: number): Promise<readonly number[]> {
  return [...(await sharp(path).ensureAlpha().extract({ left: x, top: y, width: 1, height: 1 }).raw().toBuffer())];
}

/** The box around all pixels that are at least half opaque: left, top, right, bottom; undefined when there are none. */
export async function inkBox(path: string): Promise<readonly [number, number, number, number] | undefined> {
  const { data, info } = await sharp(path).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  let box: [number, number, number, number] | undefined;
  for (let index = 0; index < info.width * info.height; index += 1) {
    if ((data[4 * index + 3] ?? 0) < 128) continue;
    const x = index % info.width;
    const y = Math.floor(index / info.width);
    box = box
      ? [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x + 1), Math.max(box[3], y + 1)]
      : [x, y, x + 1, y + 1];
  }
  return box;
}

/** The chunks of a PNG by name, in order. */
export function pngChunks(bytes: Buffer): string[] {
  const names: string[] = [];
  for (let offset = 8; offset < bytes.length; offset += 12 + bytes.readUInt32BE(offset)) {
    names.push(bytes.toString('latin1', offset + 4, offset + 8));
  }
  return names;
}
