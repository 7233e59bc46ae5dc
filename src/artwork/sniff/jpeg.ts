import type { ByteWindow } from './byte-window.ts';
import { corrupt, dimensionFault, type ImageFault, type ImageHeader, PARTS_MAX, rowsBytes } from './header.ts';

/** A legal image of 801 scans costs 16 s (bad-input, finding 1); common encoders write about a dozen. */
const SCANS_MAX = 100;
const START_OF_IMAGE = 0xd8;
const END_OF_IMAGE = 0xd9;
const START_OF_SCAN = 0xda;
const COEFFICIENT_BYTES = 2;

type Frame = { widthPx: number; heightPx: number; progressive: boolean; components: number; coefficients: number };

/**
 * Walks the segments and scans of a JPEG to its end marker (ITU-T T.81, annex B).
 * Bytes after the end are ignored. Thumbnails are inside segments, which are skipped, so they are not
 * taken for the image.
 */
export async function sniffJpeg(file: ByteWindow): Promise<ImageHeader | ImageFault> {
  let frame: Frame | undefined;
  let scans = 0;
  let offset = 2;
  for (let parts = 0; parts < PARTS_MAX; parts += 1) {
    const marker = await nextMarker(file, offset);
    if (marker === undefined) return corrupt('it ends before its end marker');
    if (marker.code === END_OF_IMAGE) {
      return frame === undefined || scans === 0 ? corrupt('it has no pixels') : headerOf(frame, scans);
    }
    if (marker.code === START_OF_IMAGE) return corrupt('it begins twice');
    offset = marker.end;
    if (marker.code === 0x01) continue;

    const length = offset + 2 <= file.size ? (await file.read(offset, 2)).readUInt16BE(0) : 0;
    if (length < 2 || offset + length > file.size) return corrupt('it ends within a segment');
    if (isFrame(marker.code)) {
      if (frame !== undefined) return corrupt('it has two frames');
      const parsed = parseFrame(marker.code, await file.read(offset + 2, length - 2));
      if (parsed.kind === 'refused') return parsed;
      frame = parsed.frame;
    }
    if (marker.code === START_OF_SCAN) {
      if (frame === undefined) return corrupt('a scan comes before its frame');
      scans += 1;
      if (scans > SCANS_MAX) return corrupt(`it has more than ${SCANS_MAX} scans`);
    }
    offset += length;
  }
  return corrupt('it has too many segments');
}

/**
 * The next marker at or after an offset, past compressed data, stuffed zeros, fill bytes and restart
 * markers; undefined at the end of the file.
 */
async function nextMarker(file: ByteWindow, from: number): Promise<{ code: number; end: number } | undefined> {
  let afterFill = false;
  for (let offset = from; offset < file.size; ) {
    const bytes = await file.ahead(offset);
    let index = 0;
    while (index < bytes.length) {
      if (!afterFill) {
        const found = bytes.indexOf(0xff, index);
        if (found === -1) break;
        afterFill = true;
        index = found + 1;
        continue;
      }
      const byte = bytes.readUInt8(index);
      index += 1;
      if (byte === 0xff) continue;
      if (byte !== 0 && !(byte >= 0xd0 && byte <= 0xd7)) return { code: byte, end: offset + index };
      afterFill = false;
    }
    offset += bytes.length;
  }
  return undefined;
}

/** SOF0 to SOF15 without the tables that share their range (DHT, JPG, DAC). */
function isFrame(code: number): boolean {
  return code >= 0xc0 && code <= 0xcf && code !== 0xc4 && code !== 0xc8 && code !== 0xcc;
}

function parseFrame(code: number, segment: Buffer): { kind: 'parsed'; frame: Frame } | ImageFault {
  const components = segment.length < 6 ? 0 : segment.readUInt8(5);
  if (components === 0 || segment.length < 6 + 3 * components) return corrupt('its frame header is cut short');
  const heightPx = segment.readUInt16BE(1);
  const widthPx = segment.readUInt16BE(3);
  const refusal = dimensionFault(widthPx, heightPx);
  if (refusal !== undefined) return refusal;

  const areas: number[] = [];
  for (let index = 0; index < components; index += 1) {
    const sampling = segment.readUInt8(7 + 3 * index);
    areas.push((sampling >> 4) * (sampling & 0x0f));
  }
  // Each component has as many coefficients as samples, and the most finely sampled one has one for each pixel.
  const finest = Math.max(...areas, 1);
  const coefficients = (widthPx * heightPx * areas.reduce((sum, area) => sum + area, 0)) / finest;
  return { kind: 'parsed', frame: { widthPx, heightPx, progressive: (code & 0x03) === 2, components, coefficients } };
}

function headerOf({ widthPx, heightPx, progressive, components, coefficients }: Frame, scans: number): ImageHeader {
  // Pixels are complete only after the last scan, so a decoder holds the coefficients of all of them.
  const held = progressive || scans > 1 ? coefficients * COEFFICIENT_BYTES : 0;
  const decodeBytes = held + rowsBytes(widthPx * heightPx * components);
  return { kind: 'ok', mime: 'image/jpeg', widthPx, heightPx, pages: 1, decodeBytes };
}
