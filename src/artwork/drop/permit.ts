import { randomBytes } from 'node:crypto';
import type { Uuid } from '../../lib/ids.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { type Static, Type } from '../../lib/typebox.ts';
import { checkShape } from '../../lib/validation/validate.ts';
import { ARTWORK_BYTES_MAX, type ImageMime } from '../sniff/header.ts';

/** How long a permit can be used; the file that it brings stays longer. */
export const PERMIT_MS = 600_000;
/** How long a file stays in the drop. */
export const DROPPED_MS = 86_400_000;

/** What of one account may be there at once. */
export const FILES_OF_EACH_MAX = 100;
export const BYTES_OF_EACH_MAX = 1_073_741_824;

/** The endings of the addresses of dropped files. */
export const DROP_ENDINGS: Readonly<Record<ImageMime, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
};

const Permit = Type.Object(
  {
    folder: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    name: Type.String({ pattern: '^[0-9a-f]{32}$' }),
    type: Type.Union([Type.Literal('image/png'), Type.Literal('image/jpeg'), Type.Literal('image/webp')]),
    size: Type.Integer({ minimum: 1, maximum: ARTWORK_BYTES_MAX }),
    until: Type.Integer(),
  },
  { additionalProperties: false },
);

/** What a person may leave in the drop: one file of exactly this type and size, under this name, once. */
export type Permit = Static<typeof Permit>;

/**
 * Draws a permit for a file of an account.
 * The name cannot be guessed, and the folder does not tell the account.
 */
export function drawPermit(
  secrets: Secrets,
  accountId: Uuid,
  { type, size, nowMs }: { readonly type: ImageMime; readonly size: number; readonly nowMs: number },
): Permit {
  const folder = secrets.digest(`drop folder ${accountId}`).toString('hex').slice(0, 16);
  return { folder, name: randomBytes(16).toString('hex'), type, size, until: nowMs + PERMIT_MS };
}

/** The path of the file that a permit is for. */
export function dropPath({ folder, name, type }: Pick<Permit, 'folder' | 'name' | 'type'>): string {
  return `/${folder}/${name}.${DROP_ENDINGS[type]}`;
}

/** Writes a permit as text that only this service can have made. */
export function signPermit(secrets: Secrets, permit: Permit): string {
  const text = Buffer.from(JSON.stringify(permit)).toString('base64url');
  return `${text}.${secrets.sign(`drop permit ${text}`)}`;
}

/** Reads a permit of ours that has not ended; undefined for any other text. */
export function readPermit(secrets: Secrets, text: string, nowMs: number): Permit | undefined {
  const dot = text.indexOf('.');
  const payload = text.slice(0, Math.max(dot, 0));
  if (payload === '' || !secrets.verify(`drop permit ${payload}`, text.slice(dot + 1))) return undefined;
  const permit = checkShape(Permit, JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  return permit.kind === 'ok' && permit.value.until > nowMs ? permit.value : undefined;
}
