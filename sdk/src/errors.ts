import type { ErrorBodies, Problem } from './generated.ts';

/** The codes of errors that the service sends. A newer service may send others. */
export type ErrorCode = keyof ErrorBodies | 'unreadable_answer' | (string & Record<never, never>);

/** What an error of this code carries beside the members that all have, by the names on the wire. */
export type ErrorExtras<Code> = Code extends keyof ErrorBodies
  ? Omit<ErrorBodies[Code], ReadMember>
  : Readonly<Record<string, unknown>>;

/** What is known of a call that failed, whichever way it did. */
type CallFacts = {
  /** How often the request was sent. */
  readonly attempts: number;
  /** How many of them got no answer, so that what was asked may have been done all the same. */
  readonly lostAnswers: number;
  /**
   * Of an order that was to be placed: its idempotency key, the caller's or the one the client made. Placing again with
   * it can never make a second order.
   */
  readonly externalReference: string | undefined;
};

/** The service refused a request or failed at it. Tell errors apart by `code`, never by their text. */
export class PlatenError extends Error {
  override readonly name = 'PlatenError';
  /**
   * As in the service's list of errors; `unreadable_answer` when the answer was not the service's, such as a proxy's
   * page.
   */
  readonly code: ErrorCode;
  /** What went wrong this time and what to change, for a person. */
  readonly detail: string;
  /** The HTTP status. */
  readonly status: number;
  /** Quote it to support; `''` when the answer had none. */
  readonly requestId: string;
  /** Of `validation_failed`: everything that is wrong with the request, at once. */
  readonly problems: readonly Problem[];
  /** What else the error carries, by the names on the wire; typed once `isPlatenError` has told the code. */
  readonly extras: Readonly<Record<string, unknown>>;
  /** How long the service asked to wait, in seconds. */
  readonly retryAfterSeconds: number | undefined;
  readonly attempts: number;
  readonly lostAnswers: number;
  readonly externalReference: string | undefined;

  constructor(
    error: {
      readonly code: ErrorCode;
      readonly detail: string;
      readonly status: number;
      readonly requestId: string;
      readonly problems: readonly Problem[];
      readonly extras: Readonly<Record<string, unknown>>;
      readonly retryAfterSeconds: number | undefined;
    },
    facts: CallFacts,
  ) {
    super(`${error.code}: ${error.detail}${error.requestId === '' ? '' : ` (${error.requestId})`}`);
    this.code = error.code;
    this.detail = error.detail;
    this.status = error.status;
    this.requestId = error.requestId;
    this.problems = error.problems;
    this.extras = error.extras;
    this.retryAfterSeconds = error.retryAfterSeconds;
    this.attempts = facts.attempts;
    this.lostAnswers = facts.lostAnswers;
    this.externalReference = facts.externalReference;
  }
}

/**
 * No answer came: the network failed or time ran out. What was asked may have been done; `cause` says what happened.
 */
export class PlatenConnectionError extends Error {
  override readonly name = 'PlatenConnectionError';
  readonly isTimeout: boolean;
  readonly attempts: number;
  readonly lostAnswers: number;
  readonly externalReference: string | undefined;

  constructor(message: string, facts: CallFacts & { readonly isTimeout: boolean; readonly cause: unknown }) {
    super(message, { cause: facts.cause });
    this.isTimeout = facts.isTimeout;
    this.attempts = facts.attempts;
    this.lostAnswers = facts.lostAnswers;
    this.externalReference = facts.externalReference;
  }
}

/** Whether a thrown value is an answer of the service. */
export function isPlatenError(thrown: unknown): thrown is PlatenError;
/** Whether a thrown value is an answer of the service with this code, whose `extras` are then typed. */
export function isPlatenError<Code extends ErrorCode>(
  thrown: unknown,
  code: Code,
): thrown is PlatenError & { readonly code: Code; readonly extras: ErrorExtras<Code> };
export function isPlatenError(thrown: unknown, code?: ErrorCode): boolean {
  return thrown instanceof PlatenError && (code === undefined || thrown.code === code);
}

/** What every error has, and the problems: members that `PlatenError` has under names of its own, or has no use for. */
const READ_MEMBERS = ['type', 'title', 'status', 'code', 'detail', 'request_id', 'errors'] as const;
type ReadMember = (typeof READ_MEMBERS)[number];

/** The error in an answer that is no success. `body` is what the answer held as JSON, undefined when it was none. */
export function readError(
  answer: { readonly status: number; readonly requestId: string; readonly retryAfterSeconds: number | undefined },
  body: unknown,
  facts: CallFacts,
): PlatenError {
  const { status, requestId, retryAfterSeconds } = answer;
  if (!isErrorBody(body)) {
    const detail = `HTTP ${status} with a body that is not of the service. Is something else answering at this address?`;
    const error = { code: 'unreadable_answer', detail, problems: [], extras: {} };
    return new PlatenError({ ...error, status, requestId, retryAfterSeconds }, facts);
  }
  const read = new Set<string>(READ_MEMBERS);
  const extras = Object.fromEntries(Object.entries(body).filter(([name]) => !read.has(name)));
  const { code, detail } = body;
  const problems = Array.isArray(body.errors) ? (body.errors as Problem[]) : [];
  return new PlatenError({ code, detail, status, requestId, problems, extras, retryAfterSeconds }, facts);
}

function isErrorBody(
  body: unknown,
): body is { readonly code: string; readonly detail: string; readonly errors?: unknown } {
  if (typeof body !== 'object' || body === null) return false;
  return 'code' in body && typeof body.code === 'string' && 'detail' in body && typeof body.detail === 'string';
}
