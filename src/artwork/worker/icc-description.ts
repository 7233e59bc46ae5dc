import { parse } from 'icc';

/** Names are at the beginning, tables of colours behind them. */
const READ_BYTES_MAX = 16 * 1024;
const TAG_COUNT_AT = 128;
const TAGS_MAX = 100;
const DESCRIPTION_MAX = 100;

/**
 * The name that an ICC colour profile states (ICC.1:2022, 9.2.41), such as `Display P3`.
 * At most 100 characters; null when its first 16 KiB hold no readable name. Profiles come from
 * outside: the sizes and tags that they claim may be false.
 */
export function iccDescription(profile: Buffer): string | null {
  // The library holds 32 bytes for each character of a text, so a megabyte of it takes a child's whole heap.
  const head = Buffer.from(profile.subarray(0, READ_BYTES_MAX));
  if (head.length <= TAG_COUNT_AT + 4) return null;
  // It walks as many tags as are claimed, present or not: seven minutes for the most that a profile can claim.
  if (head.readUInt32BE(TAG_COUNT_AT) > TAGS_MAX) return null;
  // It requires the true size; some files pad their profile.
  head.writeUInt32BE(head.length, 0);
  const text = descriptionIn(head)
    ?.slice(0, DESCRIPTION_MAX)
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
  return text === undefined || text === '' ? null : text;
}

function descriptionIn(profile: Buffer): string | undefined {
  try {
    const { description } = parse(profile);
    // A tag of another type is numbers, whatever the library declares.
    return typeof description === 'string' ? description : undefined;
  } catch {
    // A false claim, for which the library throws plain errors: a profile without a name.
    return undefined;
  }
}
