import { once } from 'node:events';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ARTWORK_SERVER_HOST } from '../lib/outbound/artwork-server.ts';
import { certificateOf, newKeys, serverExtensions } from '../lib/outbound/certificate.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};
const CONNECTIONS_MAX = 32;
const REQUEST_TIMEOUT_MS = 15_000;
const CERTIFICATE_DAYS = 30;

/**
 * Serves the images of a folder over https on a port of 127.0.0.1; 0 picks a free one.
 * For development (docs/decisions/0022-artwork-on-this-machine.md). The certificate is new, and its
 * key is never written. No other file is served, and no link is followed out of the folder.
 */
export async function startArtworkServer(
  root: string,
  port: number,
): Promise<{ readonly server: Server; readonly port: number; readonly certificate: string }> {
  const { key, cert } = newLocalCertificate('platen serve-artwork');
  const server = createServer({ key, cert, requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(root, request, response).catch(() => response.destroy());
  });
  server.maxConnections = CONNECTIONS_MAX;
  // A client that does not accept the certificate hangs up; that is its own affair.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, certificate: cert };
}

/** Makes a certificate for this machine alone, and its key, which is never written. */
export function newLocalCertificate(name: string): { key: string; cert: string } {
  const { publicKey, privateKey } = newKeys();
  const cert = certificateOf({
    subject: name,
    issuer: name,
    publicKey,
    signer: privateKey,
    validDays: [-1, CERTIFICATE_DAYS],
    extensions: serverExtensions([ARTWORK_SERVER_HOST], ['127.0.0.1']),
  });
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert };
}

async function answer(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const image = await openImage(root, request.url ?? '/');
  if (image === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no image at this path.\n');
    return;
  }
  await using file = image.file;
  const { size } = await file.stat();
  const headers = { 'content-type': image.type, 'content-length': size, 'x-content-type-options': 'nosniff' };
  response.writeHead(200, headers);
  if (request.method === 'HEAD' || size === 0) response.end();
  else await pipeline(file.createReadStream({ end: size - 1, autoClose: false }), response);
}

/** Opens the image at a path; undefined for anything else, and for what is not in the folder. */
async function openImage(root: string, url: string): Promise<{ file: FileHandle; type: string } | undefined> {
  const names = namesIn(url);
  if (names === undefined) return undefined;
  const path = await realpath(join(root, ...names)).catch(() => undefined);
  if (path === undefined || !path.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined;
  const type = MEDIA_TYPES[extname(path).toLowerCase()];
  // A link may lead to a hidden file.
  if (type === undefined || relative(root, path).split(sep).some(isHidden)) return undefined;
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  if ((await file.stat()).isFile()) return { file, type };
  await file.close();
  return undefined;
}

/** The names between the slashes of a path; undefined when one is empty, hidden or no name of a file. */
function namesIn(url: string): readonly string[] | undefined {
  try {
    const path = decodeURIComponent(url.split('?', 1)[0] ?? '');
    const names = path.split('/').slice(1);
    const isPlain = (name: string): boolean => name !== '' && !isHidden(name) && !/[\\\0]/.test(name);
    return path.startsWith('/') && names.every(isPlain) ? names : undefined;
  } catch {
    return undefined; // Not UTF-8.
  }
}

function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** The address of the first image in the folder itself, below the address of its server. */
export async function firstImage(root: string, url: string): Promise<string | null> {
  const names = (await readdir(root)).filter((name) => !isHidden(name) && extname(name).toLowerCase() in MEDIA_TYPES);
  const first = names.toSorted()[0];
  return first === undefined ? null : `${url}/${encodeURIComponent(first)}`;
}
