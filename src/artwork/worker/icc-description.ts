const HEADER_BYTES = 128;
const TAG_BYTES = 12;
const TAGS_MAX = 100;
const DESCRIPTION_MAX = 100;

/**
 * The name that an ICC colour profile states (ICC.1:2022, 9.2.41), such as `Display P3`.
 * At most 100 characters; null when there is no readable name. Profiles come from outside: every offset and size in
 * them is a claim that may be false.
 */
export function iccDescription(profile: Buffer): string | null {
  try {
    return readDescription(profile);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readDescription(profile: Buffer): string | null {
  const start = findTag(profile, 'desc');
  if (start === undefined) return null;
  const text = textAt(profile, start)
    // Also halves of surrogate pairs: the name is stored, and no database takes one.
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .trim();
  return text === '' ? null : text;
}

/**
 * Where the data of a profile's tag are claimed to start; undefined without such a tag.
 * Throws a `RangeError` for a profile that is cut off.
 */
export function findTag(profile: Buffer, name: string): number | undefined {
  const tags = Math.min(profile.readUInt32BE(HEADER_BYTES), TAGS_MAX);
  for (let index = 0; index < tags; index += 1) {
    const tag = HEADER_BYTES + 4 + TAG_BYTES * index;
    if (profile.toString('latin1', tag, tag + 4) === name) return profile.readUInt32BE(tag + 4);
  }
  return undefined;
}

/**
 * The text of a tag.
 * Version 2 profiles have it in Latin-1 (`desc`), version 4 in UTF-16 by language (`mluc`; the first is taken).
 */
function textAt(profile: Buffer, start: number): string {
  const type = profile.toString('latin1', start, start + 4);
  if (type === 'desc') {
    const length = Math.min(profile.readUInt32BE(start + 8), DESCRIPTION_MAX);
    return profile.toString('latin1', start + 12, start + 12 + length);
  }
  if (type !== 'mluc') return '';
  const bytes = Math.min(profile.readUInt32BE(start + 20), 2 * DESCRIPTION_MAX) & ~1;
  const text = start + profile.readUInt32BE(start + 24);
  return Buffer.from(profile.subarray(text, text + bytes))
    .swap16()
    .toString('utf16le');
}
