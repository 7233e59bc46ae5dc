import { ERRORS, type ErrorCode } from '../lib/error-catalogue.ts';
import { ApiError, outOfHandles } from '../lib/errors.ts';

/**
 * The body of an error as it leaves the service (decisions, "Error body").
 * Flat, with a link to the code's description. It shows no internals.
 */
export function errorBody(error: ApiError, requestId: string): string {
  const { status, title } = ERRORS[error.code];
  return JSON.stringify({
    type: `/docs/errors#${error.code}`,
    title,
    status,
    code: error.code,
    detail: error.message,
    request_id: requestId,
    ...error.extras,
  });
}

/**
 * Turns a thrown value into the error that the caller sees.
 * An `ApiError` is itself, a refusal by the HTTP framework keeps its status with a code of our
 * catalogue, too many open files is 503. Anything else is a bug of ours and becomes `internal_error`,
 * which shows nothing.
 */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const code = frameworkCode(thrown);
  if (code !== undefined) return new ApiError(code, `${ERRORS[code].title}.`, { cause: thrown });
  const noHandle = outOfHandles(thrown);
  if (noHandle !== undefined) return noHandle;
  return new ApiError(
    'internal_error',
    'Something went wrong on our side. Try again; if it stays, quote the request id.',
    {
      cause: thrown,
    },
  );
}

const FRAMEWORK_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  408: 'request_timeout',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  503: 'unavailable',
};

function frameworkCode(thrown: unknown): ErrorCode | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('statusCode' in thrown)) return undefined;
  if (typeof thrown.code !== 'string' || !thrown.code.startsWith('FST_')) return undefined;
  return typeof thrown.statusCode === 'number' ? FRAMEWORK_CODES[thrown.statusCode] : undefined;
}
