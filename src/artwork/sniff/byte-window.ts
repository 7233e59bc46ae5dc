import type { FileHandle } from 'node:fs/promises';

/** A file read through a small window, whatever the size of the file. */
export type ByteWindow = {
  readonly size: number;
  /** Exactly these bytes, valid until the next read; the caller has checked them against `size`. */
  readonly read: (offset: number, length: number) => Promise<Buffer>;
  /** The bytes from here on, at least one and at most a window; empty at the end of the file. */
  readonly ahead: (offset: number) => Promise<Buffer>;
};

const WINDOW_BYTES = 64 * 1024;

/** Opens a window on a file of a known size. Reads are at most WINDOW_BYTES long; a longer one throws. */
export function openByteWindow(file: FileHandle, size: number): ByteWindow {
  const memory = Buffer.alloc(Math.min(WINDOW_BYTES, size));
  let start = 0;
  let end = 0;

  const moveTo = async (offset: number): Promise<void> => {
    start = offset;
    end = offset;
    while (end < Math.min(offset + memory.length, size)) {
      const { bytesRead } = await file.read(memory, end - start, memory.length - (end - start), end);
      if (bytesRead === 0) throw new Error('The file became shorter while it was read.');
      end += bytesRead;
    }
  };

  return {
    size,
    read: async (offset, length) => {
      if (length > memory.length || offset + length > size)
        throw new RangeError('The read is outside the file or window.');
      if (offset < start || offset + length > end) await moveTo(offset);
      return memory.subarray(offset - start, offset - start + length);
    },
    ahead: async (offset) => {
      if (offset < start || offset >= end) await moveTo(offset);
      return memory.subarray(offset - start, end - start);
    },
  };
}
