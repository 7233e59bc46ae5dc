import { ApiError } from '../errors.ts';
import { TurnRefused } from '../turns/refusal.ts';
import type { FetchFailureCode } from './addresses.ts';

/**
 * Whose failure it is (docs/decisions/0029-what-counts-against-a-receiver.md).
 *
 * `host`: the remote host, or its name, did it. `busy`: no place in a queue of this process. `down`: this process or
 * its machine lacks what every call needs. `unclear`: the host could not be reached, which is ours while our own name
 * servers do not answer either.
 */
export type Blame = 'host' | 'busy' | 'down' | 'unclear';

export type Failure = {
  readonly code: FetchFailureCode;
  /**
   * Half a sentence for the caller.
   * It holds no address and nothing that the host sent (bad-input G 121).
   */
  readonly reason: string;
  readonly blame: Blame;
};

/**
 * How far a call has come: it waits in our queue, looks up and connects, or talks to the host.
 * An aborted call is blamed by it.
 */
export type CallProgress = { phase: 'waiting' | 'reaching' | 'talking' };

/** The reason of a signal that aborts because this process ends its calls. */
export class OutboundClosed extends Error {
  override name = 'OutboundClosed';
}

/**
 * Why a call to a remote host failed, and whose failure it is.
 * An aborted signal outranks the error that it led to. Throws what is a bug of ours.
 */
export function explainFailure(error: unknown, signal: AbortSignal, progress: CallProgress): Failure {
  if (signal.aborted) return { code: 'fetch', reason: 'it took too long', blame: blameOfAbort(signal, progress) };
  if (error instanceof TurnRefused) return { code: 'fetch', reason: 'too many calls wait', blame: 'busy' };
  if (error instanceof ApiError) return { code: 'fetch', reason: 'the service lacks resources', blame: 'down' };
  const code = codeOf(error);
  if (code === undefined) throw error;
  if (code === 'ERR_OTHER_ADDRESS') {
    return { code: 'ssrf', reason: 'the server was not at a checked address', blame: 'host' };
  }
  const known = FAILURES.find(({ codes }) => codes.test(code));
  if (known?.blame === 'bug') throw error;
  const blame = known?.blame ?? (progress.phase === 'talking' ? 'host' : 'unclear');
  return { code: 'fetch', reason: known?.reason ?? 'the connection failed', blame };
}

function blameOfAbort(signal: AbortSignal, { phase }: CallProgress): Blame {
  if (signal.reason instanceof OutboundClosed) return 'down';
  return ({ waiting: 'busy', reaching: 'unclear', talking: 'host' } as const)[phase];
}

function codeOf(error: unknown): string | undefined {
  // Some of these have no code of their own.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'HPE';
  // Of the addresses that were tried, the first that lacked something of ours counts; else the last one.
  if (error instanceof AggregateError && error.errors.length > 0) {
    const codes = (error.errors as readonly unknown[]).map(codeOf);
    return codes.find((code) => code !== undefined && OUT_OF_RESOURCES.test(code)) ?? codes.at(-1);
  }
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const OUT_OF_RESOURCES = /^(EMFILE|ENFILE|ENOMEM|ENOBUFS|EAGAIN|EADDRINUSE)$/;

/**
 * The first row that matches counts.
 * A code that is in no row is the host's once it was reached, else unclear.
 */
const FAILURES: readonly { readonly codes: RegExp; readonly reason: string; readonly blame: Blame | 'bug' }[] = [
  { codes: OUT_OF_RESOURCES, reason: 'the service lacks resources', blame: 'down' },
  { codes: /^ERR_NAME_UNANSWERED$/, reason: 'the name of the server could not be looked up', blame: 'unclear' },
  { codes: /^CERT_HAS_EXPIRED$/, reason: "the server's TLS certificate has expired", blame: 'host' },
  { codes: /^CERT_NOT_YET_VALID$/, reason: "the server's TLS certificate is not valid yet", blame: 'host' },
  { codes: /^ERR_TLS_CERT_ALTNAME/, reason: "the server's TLS certificate is for another host name", blame: 'host' },
  { codes: /^DEPTH_ZERO_SELF_SIGNED_CERT$/, reason: "the server's TLS certificate is self-signed", blame: 'host' },
  {
    codes: /CERT|UNABLE_TO|CRL|CA_|HOSTNAME/,
    reason: "the server's TLS certificate is not trusted",
    blame: 'host',
  },
  { codes: /^(ERR_SSL|ERR_TLS|EPROTO)/, reason: 'the TLS handshake with the server failed', blame: 'host' },
  { codes: /^ECONNREFUSED$/, reason: 'the server takes no connection', blame: 'host' },
  // Our own uplink gives the same as a host that is switched off. A router near the host can give any of them, too.
  {
    codes: /^(EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ETIMEDOUT|EADDRNOTAVAIL|EACCES|EPERM)$/,
    reason: 'the server takes no connection',
    blame: 'unclear',
  },
  {
    codes:
      /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM|ERR_SOCKET_CLOSED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT|UND_ERR_ABORT)/,
    reason: 'the connection ended too early',
    blame: 'host',
  },
  { codes: /^UND_ERR_HEADERS_OVERFLOW$/, reason: 'the headers of the answer are too large', blame: 'host' },
  // undici asserts what the host should have sent.
  { codes: /^(HPE|ERR_ASSERTION$)/, reason: 'the answer is not valid HTTP', blame: 'host' },
  // What Node.js and undici say of arguments that this program gave them.
  {
    codes: /^(ERR_INVALID_|ERR_OUT_OF_RANGE|ERR_MISSING_ARGS|UND_ERR_(INVALID|REQ_|NOT_SUPPORTED))/,
    reason: '',
    blame: 'bug',
  },
];

/** A connection that we ended ourselves, or never began, with a code as system errors have. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
