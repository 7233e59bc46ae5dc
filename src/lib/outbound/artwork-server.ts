import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { hostPortOf, readTarget } from './addresses.ts';
import type { Reachable } from './gate.ts';

/**
 * A server of artwork on this machine, for development (`platen serve-artwork`).
 * docs/decisions/0022-artwork-on-this-machine.md says what it may do and why.
 */
export type ArtworkServer = {
  readonly port: number;
  /** Its self-signed certificate (PEM): the only one that is accepted from it. */
  readonly certificate: string;
};

/** What the server records while it runs, where only the owner of DATA_DIR can write. */
export type ArtworkServerRecord = ArtworkServer & {
  /** Unix milliseconds; renewed while the server runs, so that the record of a killed one expires. */
  readonly valid_until: number;
};

/** The name by which artwork on the server is addressed. */
export const ARTWORK_SERVER_HOST = 'localhost';
/** How long a record is good for. */
export const ARTWORK_RECORD_MS = 5_000;
const RECORD_BYTES_MAX = 8_192;

/** Where the record of the server is kept. */
export function artworkServerFile(dataDir: string): string {
  return join(dataDir, 'artwork-dev', 'server.json');
}

/** Reads the record of a server that runs now; undefined when there is none, or it cannot be read. */
export async function readArtworkServer(dataDir: string): Promise<ArtworkServer | undefined> {
  try {
    await using file = await open(artworkServerFile(dataDir), 'r');
    const { size } = await file.stat();
    if (size > RECORD_BYTES_MAX) return undefined;
    return currentServer(JSON.parse(await file.readFile('utf8')));
  } catch {
    // No server runs, or what stands there is none of ours: nothing is trusted.
    return undefined;
  }
}

function currentServer(value: unknown): ArtworkServer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { port, certificate, valid_until: validUntil } = value as Partial<Record<keyof ArtworkServerRecord, unknown>>;
  if (!Number.isInteger(port) || typeof certificate !== 'string' || typeof validUntil !== 'number') return undefined;
  const leftMs = validUntil - Date.now();
  if (leftMs <= 0 || leftMs > ARTWORK_RECORD_MS) return undefined;
  return { port: Number(port), certificate };
}

/**
 * The server as a target, when a URL names exactly its host and port.
 * It is reached at 127.0.0.1, without a look-up.
 */
export function targetOn(server: ArtworkServer, url: string): Reachable | undefined {
  const target = readTarget(url, 'The URL');
  if (target.kind === 'refused' || hostPortOf(target) !== `${ARTWORK_SERVER_HOST}:${server.port}`) return undefined;
  return { ...target, addresses: ['127.0.0.1'] };
}
