import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../lib/errors.ts';

/** The largest JSON body (decisions, "Other statuses"). */
export const BODY_BYTES_MAX = 1_048_576;

export type JsonBody = {
  readonly value: unknown;
  readonly bytes: number;
  /** False when no string or name in `value` can hold U+0000 or half a surrogate pair. */
  readonly mayHoldBadText: boolean;
};

/**
 * Reads a request's body as JSON.
 * Throws 413, 415, then 400, in that order (decisions, "Order of checks"; bad input A1 to A14). Duplicate names: the
 * last wins. A member called `__proto__` is a member like any other, so nothing is polluted. `beforeParsing` is called
 * once the body is whole.
 */
export async function readJsonBody(
  request: IncomingMessage,
  beforeParsing: (bytes: number) => Promise<void>,
): Promise<JsonBody> {
  rejectDeclaredSize(request, BODY_BYTES_MAX);
  if (hasBody(request)) {
    rejectContentEncoding(request.headers['content-encoding']);
    rejectMediaType(request.headers['content-type']);
  }
  const bytes = await readBody(request, BODY_BYTES_MAX);
  await beforeParsing(bytes.length);
  return parseJson(bytes);
}

/**
 * Reads a request's body as bytes.
 * Throws 413 when it is larger than `bytesMax`, declared or not, and 400 when the connection closes
 * before its end.
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  rejectDeclaredSize(request, bytesMax);
  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        // Later bytes are dropped here until the refusal has closed the connection.
        chunks.length = 0;
        reject(tooLarge(bytesMax));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, bytes));
    });
    request.on('error', () =>
      reject(new ApiError('invalid_request', 'The connection closed before the body was whole.')),
    );
  });
}

/** Whether a request announces a body of at least one byte. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
}

function rejectDeclaredSize(request: IncomingMessage, bytesMax: number): void {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('payload_too_large', `The body may have at most ${bytesMax} bytes.`);
}

/** Nothing is ever decompressed: a megabyte of gzip can be a gigabyte of zeros. */
function rejectContentEncoding(header: string | undefined): void {
  if (header === undefined || header.trim().toLowerCase() === 'identity') return;
  throw new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.', {
    headers: { 'accept-encoding': 'identity' },
  });
}

function rejectMediaType(header: string | undefined): void {
  if (header === 'application/json') return;
  const [type, ...parameters] = (header ?? '').toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  const isUtf8Named = charset === undefined || /^charset=("?)utf-?8\1$/.test(charset);
  if (type?.trim() === 'application/json' && isUtf8Named) return;
  throw new ApiError('unsupported_media_type', 'Send the body as Content-Type: application/json, encoded in UTF-8.');
}

// Only an escape can add one: the bytes are known to be UTF-8, and JSON has no bare control characters.
const BAD_TEXT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/** Parses a body that was read as bytes. Throws 400. */
export function parseJson(bytes: Buffer): JsonBody {
  if (bytes.length === 0) throw new ApiError('invalid_request', 'The body is empty; a JSON object is expected.');
  if (!isUtf8(bytes)) throw new ApiError('invalid_request', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  try {
    // A byte order mark is not white space to the parser, so it is refused here too.
    return { value: JSON.parse(text), bytes: bytes.length, mayHoldBadText: BAD_TEXT_ESCAPE.test(text) };
  } catch (error) {
    // The parser's own message repeats a piece of the body, which may be private; the position is enough.
    const where = whereReadingStopped(text, error instanceof Error ? error.message : '');
    throw new ApiError('invalid_request', `The body is not valid JSON${where}.`);
  }
}

/** How much of a long text V8 shows beside an unexpected character, in place of its position. */
const SHOWN_CHARACTERS = 10;

function whereReadingStopped(text: string, message: string): string {
  if (message.includes('end of JSON')) return ': it ends too early';
  const named = / in JSON at position (\d+)/.exec(message)?.[1];
  const position = named === undefined ? positionOfShown(text, message) : Number(named);
  return position === undefined ? '' : ` near character ${position}`;
}

function positionOfShown(text: string, message: string): number | undefined {
  const [, before, shown, after] = /, (\.\.\.)?"(.*)"(\.\.\.)? is not valid JSON$/s.exec(message) ?? [];
  if (shown === undefined) return undefined;
  if (before === undefined) return after === undefined ? undefined : shown.length - SHOWN_CHARACTERS;
  if (after === undefined) return text.length - shown.length + SHOWN_CHARACTERS;
  const start = text.indexOf(shown);
  return text.includes(shown, start + 1) ? undefined : start + SHOWN_CHARACTERS;
}
