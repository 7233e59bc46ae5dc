import { randomBytes } from 'node:crypto';

/** This service's own span in a trace of its caller's (W3C Trace Context). */
export type Span = { readonly traceId: string; readonly spanId: string; readonly flags: string };

/** Version, trace, parent, flags; a later version may add members behind another hyphen. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 0x01;
/** Of Level 2 of the standard, whose version is 00 as well. */
const RANDOM_TRACE_ID = 0x02;

/**
 * Begins a span in the trace that a `traceparent` header names.
 * Undefined without the header and for an invalid one, which the standard has us ignore: nothing is refused for it.
 * Flags that the standard does not name are not passed on, and of a later version only the sampled flag is.
 */
export function beginSpan(traceparent: string | string[] | undefined): Span | undefined {
  const parts = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  if (parts === null) return undefined;
  const [, version = '', traceId = '', parentId = '', flags = '', more] = parts;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined;
  return { traceId, spanId: randomBytes(8).toString('hex'), flags: knownFlags(version, flags) };
}

/** The `traceparent` of a reply: the caller's trace, and the span of this service in it. */
export function traceparentOf({ traceId, spanId, flags }: Span): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

function knownFlags(version: string, flags: string): string {
  const known = version === '00' ? SAMPLED | RANDOM_TRACE_ID : SAMPLED;
  return (Number.parseInt(flags, 16) & known).toString(16).padStart(2, '0');
}
