import type { Reply } from './call.ts';

/**
 * An event, as it is delivered and as the log has it. Tell events apart by `event`; one that is newer than this
 * client has a name that no case of a `switch` has, so leave those alone.
 */
export type PlatenEvent = Reply<'listEvents'>['data'][number];

type HeadersObject = { get(name: string): string | null };
type PlainHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a delivery: a `Headers` object, or a plain one with names in any letter case. */
export type HeaderSource = HeadersObject | PlainHeaders;

export type VerifyWebhookOptions = {
  /** The whole `whsec_…` that the subscription was made with; while it is being changed, both. */
  readonly secret: string | readonly string[];
  readonly headers: HeaderSource;
  /** The body exactly as it arrived, before anything has parsed it. */
  readonly rawBody: string | ArrayBuffer | ArrayBufferView;
  /** How far the delivery's time may be from this clock; 300 when left out. */
  readonly toleranceSeconds?: number | undefined;
  /** In place of the clock of the machine. */
  readonly now?: Date | undefined;
};

/** `secret`, `raw_body`: a mistake of the receiver's own code. The others: the delivery is not to be trusted. */
export type WebhookProblem = 'secret' | 'raw_body' | 'header_missing' | 'signature' | 'timestamp' | 'payload';

/** A delivery that is not genuine, or could not be checked. Answer with 400, and do nothing else with the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookProblem;

  constructor(code: WebhookProblem, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;

/**
 * Checks that a delivery was signed by the service with this secret, over these very bytes and not long ago (spec
 * 6.5), and gives its event. Signatures are compared in constant time. Throws `WebhookVerificationError` for
 * everything that is not so.
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<PlatenEvent> {
  const secrets = readSecrets(options.secret);
  // A copy: what is read at the end are the bytes that were verified, whatever becomes of the caller's buffer
  // meanwhile.
  const body = readBytes(options.rawBody).slice();
  const timestamp = headerOf(options.headers, 'svc-timestamp');
  const signatures = ['svc-signature', 'svc-signature-next']
    .map((name) => headerOf(options.headers, name))
    .filter((signature) => signature !== undefined);
  if (timestamp === undefined || signatures.length === 0) {
    throw new WebhookVerificationError(
      'header_missing',
      'The headers svc-timestamp and svc-signature must be there, each once. Hand over all headers of the request.',
    );
  }
  if (!(await isSigned(secrets, signatures, signedBytes(timestamp, body)))) {
    throw new WebhookVerificationError(
      'signature',
      'No signature matches. Check that the secret is the one of this subscription, and that the body is the raw one.',
    );
  }
  refuseOld(timestamp, options);
  return readEvent(body);
}

function readSecrets(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const usable = secrets.filter((one) => typeof one === 'string').filter((one) => /^whsec_\S+$/.test(one));
  if (usable.length > 0 && usable.length === secrets.length) return usable;
  throw new WebhookVerificationError(
    'secret',
    'The secret must be the whole text, whsec_ included, that the creation of the subscription returned.',
  );
}

function readBytes(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return new TextEncoder().encode(rawBody);
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  // Not instanceof: a buffer may come from another realm.
  if (Object.prototype.toString.call(rawBody) === '[object ArrayBuffer]') return new Uint8Array(rawBody as ArrayBuffer);
  throw new WebhookVerificationError(
    'raw_body',
    'The body must be the text or bytes that arrived. A parsed one cannot be verified: written out again it is other bytes.',
  );
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (isHeadersObject(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? [value] : []));
  const [value, second] = values.flat();
  return second === undefined ? value : undefined;
}

function isHeadersObject(headers: HeaderSource): headers is HeadersObject {
  return typeof headers.get === 'function';
}

function signedBytes(timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${timestamp}.`);
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  return bytes;
}

async function isSigned(
  secrets: readonly string[],
  signatures: readonly string[],
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let isFound = false;
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
    for (const signature of signatures) {
      // `verify` compares in constant time in every runtime; a text that is no signature never gets that far.
      const given = readHex(signature);
      if (given !== undefined && (await crypto.subtle.verify(algorithm, key, given, bytes))) isFound = true;
    }
  }
  return isFound;
}

/** The 32 bytes of an HMAC-SHA256 in lower-case hex. */
function readHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(text)) return undefined;
  return Uint8Array.from({ length: 32 }, (_none, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16));
}

/** After the signature: a genuine delivery that is too old is a clock that is wrong, or somebody who sends it again. */
function refuseOld(timestamp: string, options: VerifyWebhookOptions): void {
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS;
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  const apart = (options.now ?? new Date()).getTime() / 1_000 - seconds;
  if (Math.abs(apart) <= tolerance) return;
  throw new WebhookVerificationError(
    'timestamp',
    Number.isNaN(apart)
      ? 'svc-timestamp must be whole Unix seconds.'
      : `The delivery is ${Math.round(apart)} s old, and ${tolerance} s are allowed. Check the clock of this machine.`,
  );
}

function readEvent(body: Uint8Array): PlatenEvent {
  const event = readJson(body);
  if (typeof event === 'object' && event !== null && 'id' in event && 'event' in event && 'data' in event) {
    if (typeof event.id === 'string' && typeof event.event === 'string') return event as PlatenEvent;
  }
  throw new WebhookVerificationError('payload', 'The body is signed, and yet it is no event.');
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
