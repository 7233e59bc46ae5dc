import type { Secrets } from '../../lib/secrets.ts';
import type { GarmentPrint } from '../mockup/garment.ts';
import { SIGNED_URL_SECONDS, signatureOf } from '../signed-url.ts';

/** The widths that a stored picture is shown in; others would be drawn and kept for one caller each. */
export const PICTURE_WIDTHS = [192, 640, 800] as const;
export type PictureWidth = (typeof PICTURE_WIDTHS)[number];

/** A stored picture at a width, on the colour of a variant if it names one. */
export type ShownPicture = { readonly hash: string; readonly widthPx: PictureWidth; readonly onSku?: string };

/** Stored artwork on the picture of the garment that a variant is, at a print area. */
export type ShownMockup = GarmentPrint & {
  readonly hash: string;
  readonly widthPx: PictureWidth;
  readonly onSku: string;
};

type Signs = Pick<Secrets, 'sign'>;

const expiryOf = (now: Date): number => Math.floor(now.getTime() / 1_000) + SIGNED_URL_SECONDS;

/** The URL of a proof for an hour, and when it ends. */
export function proofUrl(secrets: Signs, baseUrl: string, name: string, now: Date): { url: string; expiresAt: Date } {
  const expires = expiryOf(now);
  const signature = secrets.sign(proofMaterial(name, expires));
  const url = `${baseUrl}/proofs/${name}?expires=${expires}&signature=${signature}`;
  return { url, expiresAt: new Date(expires * 1_000) };
}

/** The URL of a stored picture at a width for an hour. The signature covers the width and the variant. */
export function pictureUrl(secrets: Signs, baseUrl: string, picture: ShownPicture, now: Date): string {
  const expires = expiryOf(now);
  const { hash, widthPx, onSku } = picture;
  const on = onSku === undefined ? '' : `&on=${encodeURIComponent(onSku)}`;
  const signature = signatureOf(secrets, pictureMaterial(picture, expires), expires);
  return `${baseUrl}/pictures/${hash}?width=${widthPx}${on}&expires=${expires}&signature=${signature}`;
}

/** The URL of a drawn mockup for an hour. The signature covers all of its query. */
export function mockupUrl(secrets: Signs, baseUrl: string, mockup: ShownMockup, now: Date): string {
  const expires = expiryOf(now);
  const { hash, widthPx, onSku, printArea } = mockup;
  const named = `area=${encodeURIComponent(printArea)}&on=${encodeURIComponent(onSku)}&at=${placeOf(mockup)}`;
  const signature = signatureOf(secrets, mockupMaterial(mockup, expires), expires);
  return `${baseUrl}/mockups/${hash}?width=${widthPx}&${named}&expires=${expires}&signature=${signature}`;
}

const placeOf = ({ position: { x, y, scale, rotation } }: GarmentPrint): string => [x, y, scale, rotation].join(',');

type Signed = { readonly expires: string; readonly signature: string };

/** Whether we signed the URL of a proof and it has not ended. */
export function isSignedProof(secrets: Pick<Secrets, 'verify'>, name: string, signed: Signed, now: Date): boolean {
  return /^[0-9a-f]{64}$/.test(name) && isGenuine(secrets, signed, now, (expires) => proofMaterial(name, expires));
}

/** The picture of a URL that we signed and that has not ended; undefined for any other. */
export function signedPicture(
  secrets: Pick<Secrets, 'verify'>,
  { hash, width, on, ...signed }: Signed & { hash: string; width: string; on?: string | undefined },
  now: Date,
): ShownPicture | undefined {
  const widthPx = PICTURE_WIDTHS.find((one) => String(one) === width);
  if (widthPx === undefined || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const picture = { hash, widthPx, ...(on === undefined ? {} : { onSku: on }) };
  return isGenuine(secrets, signed, now, (expires) => pictureMaterial(picture, expires)) ? picture : undefined;
}

/** The mockup of a URL that we signed and that has not ended; undefined for any other. */
export function signedMockup(
  secrets: Pick<Secrets, 'verify'>,
  asked: Signed & { hash: string; width: string; area: string; on: string; at: string },
  now: Date,
): ShownMockup | undefined {
  const widthPx = PICTURE_WIDTHS.find((one) => String(one) === asked.width);
  const [x, y, scale, rotation, ...others] = asked.at.split(',').map(Number);
  if (widthPx === undefined || !/^[0-9a-f]{64}$/.test(asked.hash) || others.length > 0) return undefined;
  if (x === undefined || y === undefined || scale === undefined || rotation === undefined) return undefined;
  const position = { x, y, scale, rotation };
  const mockup = { hash: asked.hash, widthPx, onSku: asked.on, printArea: asked.area, position };
  return isGenuine(secrets, asked, now, (expires) => mockupMaterial(mockup, expires)) ? mockup : undefined;
}

function isGenuine(
  secrets: Pick<Secrets, 'verify'>,
  { expires, signature }: Signed,
  now: Date,
  materialOf: (expires: number) => string,
): boolean {
  if (!/^\d{1,12}$/.test(expires)) return false;
  return secrets.verify(materialOf(Number(expires)), signature) && now.getTime() <= Number(expires) * 1_000;
}

function proofMaterial(name: string, expires: number): string {
  return ['proof', name, expires].join(':');
}

function mockupMaterial(mockup: ShownMockup, expires: number): string {
  const { hash, widthPx, onSku, printArea } = mockup;
  return ['mockup', hash, widthPx, expires, printArea, placeOf(mockup), onSku].join(':');
}

function pictureMaterial({ hash, widthPx, onSku }: ShownPicture, expires: number): string {
  return ['picture', hash, widthPx, expires, ...(onSku === undefined ? [] : [onSku])].join(':');
}
