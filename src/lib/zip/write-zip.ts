import { crc32 } from 'node:zlib';

/** A file of an archive. Its name has slashes for folders, and is of ASCII. */
export type ZipFile = { readonly name: string; readonly bytes: Buffer; readonly changedAt: Date };

/** The format without its extension for large archives counts in 16 and 32 bits. */
const FILES_MAX = 0xffff;
const BYTES_MAX = 0xffff_ffff;

/** Version 2.0, the first with folders. */
const VERSION = 20;
/** Made on Unix: the attributes of a file are then its mode. */
const MADE_BY = (3 << 8) | VERSION;
const REGULAR_FILE_MODE = 0o100_644;

type Written = { readonly head: Buffer; readonly name: Buffer; readonly offset: number };

/**
 * Writes a ZIP archive, file by file (APPNOTE 6.3.10, 4.3), as it is read.
 * Files are stored as they are: those that it is for, PDFs, are compressed already. Size and checksum stand before each
 * file, so that readers which read from the beginning can read it, too. What the files throw is thrown; an archive
 * without its end is read by nothing.
 */
export async function* writeZip(files: AsyncIterable<ZipFile> | Iterable<ZipFile>): AsyncGenerator<Buffer> {
  const written: Written[] = [];
  let offset = 0;
  for await (const file of files) {
    const name = nameOf(file.name);
    const head = headOf(file, name);
    if (written.length === FILES_MAX || offset + head.length + file.bytes.length > BYTES_MAX) {
      throw new Error('a ZIP archive without extensions holds 65,535 files and 4 GiB');
    }
    written.push({ head, name, offset });
    const local = Buffer.concat([SIGNATURE_OF_FILE, head, name]);
    yield local;
    yield file.bytes;
    offset += local.length + file.bytes.length;
  }
  const directory = Buffer.concat(written.flatMap(entryOf));
  yield directory;
  yield endOf({ files: written.length, bytes: directory.length, offset });
}

const SIGNATURE_OF_FILE = Buffer.from('PK\x03\x04', 'latin1');
const SIGNATURE_OF_ENTRY = Buffer.from('PK\x01\x02', 'latin1');

function nameOf(text: string): Buffer {
  if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(text) || text.includes('..')) {
    throw new Error(`"${text}" is no name for a file in an archive`);
  }
  return Buffer.from(text, 'latin1');
}

/** What the head of a file and its entry in the directory have in common: 26 bytes. */
function headOf({ bytes, changedAt }: ZipFile, name: Buffer): Buffer {
  const { time, date } = dosTime(changedAt);
  const head = Buffer.alloc(26);
  head.writeUInt16LE(VERSION, 0);
  // No flags (2), and stored (4).
  head.writeUInt16LE(time, 6);
  head.writeUInt16LE(date, 8);
  head.writeUInt32LE(crc32(bytes), 10);
  head.writeUInt32LE(bytes.length, 14);
  head.writeUInt32LE(bytes.length, 18);
  head.writeUInt16LE(name.length, 22);
  return head;
}

function entryOf({ head, name, offset }: Written): Buffer[] {
  const madeBy = Buffer.alloc(2);
  madeBy.writeUInt16LE(MADE_BY);
  // No comment, the first disk, no text: then the mode and where the file is.
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(REGULAR_FILE_MODE * 0x1_0000, 6);
  rest.writeUInt32LE(offset, 10);
  return [SIGNATURE_OF_ENTRY, madeBy, head, rest, name];
}

function endOf({ files, bytes, offset }: { files: number; bytes: number; offset: number }): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files, 8);
  end.writeUInt16LE(files, 10);
  end.writeUInt32LE(bytes, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** The time in UTC, by two seconds, from 1980 on. */
function dosTime(at: Date): { time: number; date: number } {
  const year = Math.min(Math.max(at.getUTCFullYear(), 1980), 2107);
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}
