/** Reasons of one error that are listed; more of them say nothing new. */
const REASONS_MAX = 3;
/** Causes behind causes that are followed; an error can be its own cause. */
const DEPTH_MAX = 5;
const CHARACTERS_MAX = 2_000;

/**
 * The reason of a failure for a person who reads a log line or the output of a command. Never empty.
 * That is the message; without one, the reasons that an AggregateError gathered, the cause, the code, or at least the
 * kind. Node.js reports a refused connection without a message. A cause is added in brackets when the message does not
 * contain it. Anything can be thrown; of what is no error nothing but a message or a code is shown.
 */
export function messageOf(thrown: unknown): string {
  const text = reasonOf(thrown, 0) ?? withoutReason(thrown);
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX - 1)}…` : text;
}

/** The reason that a thrown value states; undefined when it states none. */
function reasonOf(thrown: unknown, depth: number): string | undefined {
  if (typeof thrown === 'string') return nonBlank(thrown);
  if (typeof thrown === 'number' || typeof thrown === 'bigint' || typeof thrown === 'boolean') return String(thrown);
  if (typeof thrown !== 'object' || thrown === null || depth > DEPTH_MAX) return undefined;
  const deeper = (value: unknown): string | undefined => (value === thrown ? undefined : reasonOf(value, depth + 1));
  if (thrown instanceof SuppressedError) return listOf([deeper(thrown.suppressed), deeper(thrown.error)]);
  const { message, code, cause } = thrown as { message?: unknown; code?: unknown; cause?: unknown };
  const own = nonBlank(message);
  const behind = thrown instanceof AggregateError ? listOf(thrown.errors.map(deeper)) : deeper(cause);
  if (own === undefined) return behind ?? nonBlank(code);
  return behind === undefined || own.includes(behind) ? own : `${own} (${behind})`;
}

/** The different reasons among these, the first few of them in full. */
function listOf(reasons: readonly (string | undefined)[]): string | undefined {
  const different = [...new Set(reasons.filter((reason) => reason !== undefined))];
  const left = different.length - REASONS_MAX;
  const shown = different.slice(0, REASONS_MAX);
  return nonBlank((left > 0 ? [...shown, `and ${left} more`] : shown).join('; '));
}

function nonBlank(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function withoutReason(thrown: unknown): string {
  if (thrown instanceof Error) return `${thrown.name} without a message`;
  if (thrown === '') return 'an empty text was thrown';
  if (typeof thrown === 'object' && thrown !== null) return 'an object without a message was thrown';
  return `${String(thrown)} was thrown`;
}
