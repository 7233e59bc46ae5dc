import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../lib/config.ts';
import {
  ARTWORK_RECORD_MS,
  ARTWORK_SERVER_HOST,
  type ArtworkServerRecord,
  artworkServerFile,
  readArtworkServer,
} from '../lib/outbound/artwork-server.ts';
import { firstImage, startArtworkServer } from './artwork-folder.ts';
import { printResult, UsageError } from './report.ts';

export type ServeArtworkOptions = { readonly port?: number; readonly json?: boolean };

const RENEW_MS = 1_000;
const ANOTHER = 'another serve-artwork runs on this DATA_DIR';

/**
 * Runs `platen serve-artwork`: serves the images of a folder over https on this machine, until Ctrl-C.
 * A service started by `npm start` on the same DATA_DIR trusts it meanwhile, and no other
 * (docs/decisions/0022-artwork-on-this-machine.md).
 */
export async function serveArtwork(folder: string, options: ServeArtworkOptions): Promise<void> {
  const { dataDir, databaseUrl } = readConfig();
  if (databaseUrl !== undefined) {
    throw new UsageError('serve-artwork is for the embedded database of npm start, and DATABASE_URL is set');
  }
  const root = await folderOf(folder, 'DIR');
  await folderOf(dataDir, 'DATA_DIR, which npm start makes,');
  if ((await readArtworkServer(dataDir)) !== undefined) throw new Error(ANOTHER);
  const { server, port, certificate } = await startArtworkServer(root, options.port ?? 0);
  const record = artworkServerFile(dataDir);
  const isAnothers = async (): Promise<boolean> => {
    const current = await readArtworkServer(dataDir);
    return current !== undefined && current.certificate !== certificate;
  };
  const renew = (): Promise<void> =>
    writeRecord(record, { port, certificate, valid_until: Date.now() + ARTWORK_RECORD_MS });
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  try {
    await renew();
    const url = `https://${ARTWORK_SERVER_HOST}:${port}`;
    const example = await firstImage(root, url);
    printResult(options, { url, folder: root, example }, [
      `Serving the images of ${root} at ${url} until Ctrl-C, to npm start on the same DATA_DIR.`,
      example === null ? 'There is no image in it yet: .png, .jpg, .jpeg or .webp.' : `For example  ${example}`,
    ]);
    for (;;) {
      await delay(RENEW_MS, undefined, { signal: stop.signal });
      // Of two that start at the same moment the one that wrote last goes on, and the other finds its record here.
      if (await isAnothers()) throw new Error(ANOTHER);
      await renew();
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end);
    process.off('SIGTERM', end);
    if (!(await isAnothers())) await rm(record, { force: true });
    server.closeAllConnections();
    server.close();
  }
}

async function folderOf(path: string, name: string): Promise<string> {
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) throw new UsageError(`${name} must be a folder that exists, and is ${path}`);
  return realpath(path);
}

/** Writes the record beside its place and moves it there, so that no reader finds half of it. */
async function writeRecord(file: string, record: ArtworkServerRecord): Promise<void> {
  const written = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(written, JSON.stringify(record), { mode: 0o600 });
  await rename(written, file);
}
