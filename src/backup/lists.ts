import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { type Copied, writeAll } from './copy-file.ts';

// Lists are in the form of `sha256sum`, so that a backup can be checked without this program.

export type ListedFile = { readonly sha256: string; readonly path: string };

const LINE = /^([0-9a-f]{64}) {2}(\S.*)$/;
const BUFFERED_CHARACTERS = 64 * 1024;

/**
 * Reads a list, line by line.
 * Throws an Error that names it when a line has another form or the last is cut off.
 */
export async function* readList(path: string): AsyncGenerator<ListedFile> {
  const file = await open(path, 'r');
  // Closes the file at the end, and when the caller ends early.
  for await (const line of file.readLines({ encoding: 'utf8' })) {
    const [, sha256, listed] = LINE.exec(line) ?? [];
    if (sha256 === undefined || listed === undefined) throw new Error(`${path} is damaged: ${JSON.stringify(line)}`);
    yield { sha256, path: listed };
  }
}

/** A list that is being written; `end` makes it durable and returns what it is. */
export type ListWriter = {
  readonly add: (file: ListedFile) => Promise<void>;
  readonly end: () => Promise<Copied>;
};

/** Begins a list; `end` must be called, also after a failure, to close it. */
export async function writeList(path: string): Promise<ListWriter> {
  const file = await open(path, 'wx', 0o600);
  const digest = createHash('sha256');
  let bytes = 0;
  let buffered = '';
  const flush = async (): Promise<void> => {
    const chunk = Buffer.from(buffered);
    buffered = '';
    await writeAll(file, path, chunk);
    digest.update(chunk);
    bytes += chunk.length;
  };
  return {
    add: async ({ sha256, path: listed }) => {
      buffered += `${sha256}  ${listed}\n`;
      if (buffered.length > BUFFERED_CHARACTERS) await flush();
    },
    end: async () => {
      try {
        await flush();
        await file.sync();
        return { bytes, sha256: digest.digest('hex') };
      } finally {
        await file.close();
      }
    },
  };
}
