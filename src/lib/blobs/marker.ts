import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { asStoreFailure } from './failures.ts';

/** The file of a store that has its id. */
export const STORE_MARKER = 'store.id';

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** The id of the store in a folder; undefined when it has no marker, or one that is not whole. */
export async function readMarker(root: string): Promise<string | undefined> {
  try {
    return /^([0-9a-f-]{36})\n$/.exec(await readFile(join(root, STORE_MARKER), 'utf8'))?.[1];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw asStoreFailure(error);
  }
}

/** Marks a store durably, and returns the id that it has then: of two who mark it at once both get one. */
export async function writeMarker(root: string, id: string): Promise<string> {
  const draft = join(root, `.${randomUUID()}`);
  try {
    await writeFile(draft, `${id}\n`, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, join(root, STORE_MARKER));
    await using folder = await open(root, 'r');
    await folder.sync();
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw asStoreFailure(error);
  } finally {
    await rm(draft, { force: true });
  }
  const marker = await readMarker(root);
  if (marker === undefined) throw new Error(`${join(root, STORE_MARKER)} is damaged: remove it, and try again`);
  return marker;
}
