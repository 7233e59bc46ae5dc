import { constants, copyFile } from 'node:fs/promises';
import { BlobLost } from '../lib/blobs/failures.ts';
import type { StagedBlob, StoredBlob } from '../lib/blobs.ts';
import type { Uuid } from '../lib/ids.ts';
import type { Asker } from '../lib/turns/owner.ts';
import type { ArtworkContext } from './context.ts';
import { listKeptDesigns } from './sql.ts';

/**
 * Finds the design of an account that an address names as a stored file of this service.
 * A design is the account's own, so that the address need not be signed any more (docs/decisions/0083). Undefined for
 * any other address, which is fetched or refused as ever: another account's file and an unknown one are the same.
 */
export async function findOwnArtwork(
  { database, config }: Pick<ArtworkContext, 'database' | 'config'>,
  accountId: Uuid,
  url: string,
): Promise<StoredBlob | undefined> {
  const hash = storedHashOf(config.baseUrl, url);
  if (hash === undefined) return undefined;
  const [design] = await listKeptDesigns(database, accountId, [hash]);
  return design;
}

/** The hash in the address of a stored file; undefined for any other address. */
export function storedHashOf(baseUrl: string, url: string): string | undefined {
  const prefix = `${baseUrl}/files/`;
  if (!url.startsWith(prefix)) return undefined;
  return /^([0-9a-f]{64})(?:[?#]|$)/.exec(url.slice(prefix.length))?.[1];
}

/**
 * Copies a design of the account into staging, in place of a download.
 * From there it goes the way of a fetched file: a deletion of the stored bytes meanwhile loses nothing.
 */
export async function copyOwnArtwork(
  { blobs }: Pick<ArtworkContext, 'blobs'>,
  { hash, bytes }: StoredBlob,
  staged: Pick<StagedBlob, 'reserve'>,
  { path, asker }: { readonly path: string; readonly asker: Asker },
): Promise<(StoredBlob & { readonly kind: 'ok' }) | { kind: 'failed'; code: string; message: string }> {
  await staged.reserve(bytes, asker);
  try {
    await copyFile(await blobs.path(hash), path, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (!(error instanceof BlobLost)) throw error;
    return { kind: 'failed', code: 'fetch', message: 'The stored file is not there any more. Give the artwork anew.' };
  }
  return { kind: 'ok', hash, bytes };
}

/** Those of some designs (hex) that the account has, and whose bytes are kept. */
export async function keptDesignsOf(
  { database }: Pick<ArtworkContext, 'database'>,
  accountId: Uuid,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await listKeptDesigns(database, accountId, hashes)).map(({ hash }) => hash));
}
