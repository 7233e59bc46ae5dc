import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const FIRST_CHUNK = 8;
const AROUND_BYTES = 12;
const METRES_PER_INCH = 0.0254;
/** The chunk comes right after the header in the files that this is for. */
const SEARCHED_BYTES = 4_096;

/**
 * Writes dots per inch into a PNG file that already states some density, in place.
 *
 * The chunk is `pHYs` (PNG, third edition, 11.3.4.3). The encoder's own way of setting it brings an EXIF block along,
 * and print files carry none. Throws when the file has no such chunk near its start.
 */
export async function stampDensity(path: string, dpi: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SEARCHED_BYTES), 0, SEARCHED_BYTES, 0);
    const start = findDensity(buffer.subarray(0, bytesRead));
    const chunk = buffer.subarray(start, start + AROUND_BYTES + 9);
    const perMetre = Math.round(dpi / METRES_PER_INCH);
    chunk.writeUInt32BE(perMetre, 8);
    chunk.writeUInt32BE(perMetre, 12);
    chunk.writeUInt8(1, 16);
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 17)), 17);
    await file.write(chunk, 0, chunk.length, start);
  } finally {
    await file.close();
  }
}

function findDensity(bytes: Buffer): number {
  let offset = FIRST_CHUNK;
  while (offset + AROUND_BYTES + 9 <= bytes.length) {
    if (bytes.toString('latin1', offset + 4, offset + 8) === 'pHYs') return offset;
    offset += AROUND_BYTES + bytes.readUInt32BE(offset);
  }
  throw new Error('The encoder wrote a PNG without a density.');
}
