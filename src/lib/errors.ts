import type { ErrorCode } from './error-catalogue.ts';

/**
 * One problem of a request.
 * `path` is in the request's own notation (`items[0].quantity`), `""` for the body itself.
 */
export type Problem = {
  readonly path: string;
  /** A stable snake_case word for what is wrong, e.g. `required`, `type`, `unknown_variant`, `ssrf`. */
  readonly code: string;
  /** What is wrong and what would be right, for a person. */
  readonly message: string;
  readonly valid_values?: readonly string[];
};

/**
 * An error that ends the request: the caller's fault or a rule of the trade.
 * An outcome that code acts on is returned as a value instead. `error-catalogue.ts` says what each
 * code means and carries.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** Top-level members of the body beside the standard ones (`errors`, `oversold`, `placed_at`, …). */
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    detail: string,
    options: { extras?: Record<string, unknown>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.extras = options.extras ?? {};
    this.headers = options.headers ?? {};
  }
}

/** A body never lists more problems than this; `detail` counts the rest. */
const PROBLEMS_MAX = 100;

/** 422 `validation_failed` with every problem found, so that a caller can correct all of them at once. */
export function validationFailed(problems: readonly Problem[], extras: Record<string, unknown> = {}): ApiError {
  return new ApiError('validation_failed', detailOf(problems), {
    extras: { errors: problems.slice(0, PROBLEMS_MAX), ...extras },
  });
}

function detailOf(problems: readonly Problem[]): string {
  const first = problems[0];
  const where = first === undefined || first.path === '' ? '' : `${first.path}: `;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see errors)` : '';
  return `${where}${first?.message ?? 'The request is not valid.'}${more}`;
}

/**
 * 404 for an unknown resource and for another account's.
 * The text is the same, so that a caller cannot learn which it was.
 */
export function notFound(): ApiError {
  return new ApiError('not_found', 'There is no such resource in this account. Check the id.');
}

/** 404 for a body that names resources that are unknown or of another account: a problem for each. */
export function notFoundIn(problems: readonly Problem[]): ApiError {
  return new ApiError('not_found', detailOf(problems), { extras: { errors: problems.slice(0, PROBLEMS_MAX) } });
}

/** 404 where the caller may know of everything that there is: an operator, a command. */
export function noSuch(
  what:
    | 'account'
    | 'app'
    | 'entry of the books'
    | 'erasure'
    | 'grant'
    | 'invitation'
    | 'ledger account'
    | 'operator'
    | 'order'
    | 'problem'
    | 'product'
    | 'request'
    | 'second factor'
    | 'saving'
    | 'session'
    | 'shop'
    | 'shop order'
    | 'sign-up'
    | 'task'
    | 'token'
    | 'top-up'
    | 'user',
): ApiError {
  return new ApiError('not_found', `There is no such ${what}. Check the id.`);
}

/** 503: the database is away or the service drains. */
export function unavailable(detail: string, cause?: unknown): ApiError {
  return new ApiError('unavailable', detail, { headers: { 'retry-after': '5' }, cause });
}

/**
 * 503 when the process may open no further file or connection; undefined for any other error.
 * The caller did nothing wrong (bad input N218).
 */
export function outOfHandles(error: unknown): ApiError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  return unavailable('Too many connections are open right now. Try again in a few seconds.', error);
}

/** A caller's text inside a message: in quotes and shortened, so that a message stays a sentence. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
