import { errors } from 'undici';
import { outOfHandles } from '../errors.ts';
import type { FetchFailureCode } from './addresses.ts';

/**
 * Why a call to a remote host failed: half a sentence for the caller.
 * It holds no address and nothing that the host sent (bad-input G 121). An aborted signal outranks the
 * error that it led to. Throws what is our own bug, and 503 when this process may open no further
 * connection: neither is the host's fault.
 */
export function explainFailure(error: unknown, signal: AbortSignal): { code: FetchFailureCode; reason: string } {
  if (signal.aborted) return { code: 'fetch', reason: 'it took too long' };
  const noHandle = outOfHandles(error);
  if (noHandle !== undefined) throw noHandle;
  const code = codeOf(error);
  if (code === undefined || code.startsWith('UND_ERR_INVALID')) throw error;
  if (code === 'ERR_OTHER_ADDRESS') return { code: 'ssrf', reason: 'the server was not at a checked address' };
  const known = REASONS.find(({ codes }) => codes.test(code));
  return { code: 'fetch', reason: known?.reason ?? 'the connection failed' };
}

function codeOf(error: unknown): string | undefined {
  // Some of these have no code of their own.
  if (error instanceof errors.HTTPParserError) return 'HPE';
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const REASONS: readonly { readonly codes: RegExp; readonly reason: string }[] = [
  { codes: /^CERT_HAS_EXPIRED$/, reason: "the server's TLS certificate has expired" },
  { codes: /^CERT_NOT_YET_VALID$/, reason: "the server's TLS certificate is not valid yet" },
  { codes: /^ERR_TLS_CERT_ALTNAME/, reason: "the server's TLS certificate is for another host name" },
  { codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/, reason: "the server's TLS certificate is self-signed" },
  { codes: /CERT|UNABLE_TO|CRL|CA_|HOSTNAME/, reason: "the server's TLS certificate is not trusted" },
  { codes: /^(ERR_SSL|ERR_TLS|EPROTO)/, reason: 'the TLS handshake with the server failed' },
  { codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/, reason: 'the server takes no connection' },
  { codes: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT)/, reason: 'the connection ended too early' },
  { codes: /^UND_ERR_HEADERS_OVERFLOW$/, reason: 'the headers of the answer are too large' },
  { codes: /^HPE/, reason: 'the answer is not valid HTTP' },
];

/** A connection that we ended ourselves, with a code as system errors have. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
