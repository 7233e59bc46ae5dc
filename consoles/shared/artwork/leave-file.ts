import { call, type Input, type Reply, serviceNowMs } from '../api/client.ts';
import { problemOf, Refused } from '../api/failures.ts';

/** Nothing that was sent arrived for sure: it can be sent again. */
export class NotArrived extends Error {
  override name = 'NotArrived';
}

/** One try to send a file. */
export type Try = {
  /** How much has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
  readonly signal: AbortSignal;
};

/** The drop's own limit for a file. */
const TIMEOUT_MS = 480_000;
/** A permit that ends sooner is not begun with. */
const LEAST_LEFT_MS = 30_000;
/** What the drop and a bucket answer when the permit has brought a file already. */
const IS_THERE: readonly number[] = [409, 412];

/**
 * Makes what leaves one file in the drop, a server with an origin of its own, or in a bucket.
 * A try that comes to nothing can be repeated: it is then by the same permit, as long as that lasts, so that a file which had
 * arrived counts as left. Each try resolves to the address of the file. It throws `Refused` with the words of the service or the
 * drop, `NotArrived` when there was no answer, and the signal's reason.
 */
export function leaverOf(file: File): (terms: Try) => Promise<string> {
  let permit: Reply<'permitUpload'> | undefined;
  let isRepeated = false;
  return async (terms) => {
    if (permit === undefined || Date.parse(permit.upload_until) - serviceNowMs() < LEAST_LEFT_MS) {
      const type = file.type as Input<'permitUpload'>['body']['type'];
      permit = await call('permitUpload', { body: { type, size: file.size } }, terms.signal);
      isRepeated = false;
    }
    const { status, text } = await put(permit, file, terms);
    const isThere = isRepeated && IS_THERE.includes(status);
    isRepeated = true;
    if (status < 300 || isThere) return permit.url;
    throw new Refused({ ...problemOf({ status, headers: new Headers() }, text), ...wordsOf(status, text) });
  };
}

/** A bucket answers in XML, which says nothing to a person. */
function wordsOf(status: number, text: string): { title?: string; detail?: string } {
  if (text.startsWith('{')) return {};
  return {
    title: `The file was not taken (${status})`,
    detail: 'The place for files did not take it. Try again; if it goes on, tell the print shop.',
  };
}

/** Sends a file; unlike `fetch`, this tells how much of it has gone. */
async function put(
  { upload_url: to, headers }: Reply<'permitUpload'>,
  file: File,
  { onProgress, signal }: Try,
): Promise<{ readonly status: number; readonly text: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', to);
    request.timeout = TIMEOUT_MS;
    for (const { name, value } of headers) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => resolve({ status: request.status, text: request.responseText }));
    const lost = (): void => reject(new NotArrived('The file did not arrive. Check the connection and try again.'));
    request.addEventListener('error', lost);
    request.addEventListener('timeout', lost);
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}
