import type { SecureContext } from 'node:tls';
import type { Owner } from '../turns/owner.ts';
import type { FetchFailureCode } from './addresses.ts';
import { exchangeOnce, isReadWhole, type OutboundRequest } from './exchange.ts';
import { type CallProgress, explainFailure } from './failures.ts';
import type { Gate } from './gate.ts';
import { retryAfterOf } from './retry-after.ts';

export type CallOptions = {
  /** Whose turn the look-up takes. */
  readonly owner: Owner;
  readonly method: OutboundRequest['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** From its look-up to the end of the answer. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
};

export type CallResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      readonly text: string;
      readonly retryAfterSeconds?: number;
    }
  /** The host or its name failed, or what it sent is too large; `error` is a sentence. */
  | { readonly kind: 'failed'; readonly code: FetchFailureCode; readonly error: string }
  /** The failure is ours, and says nothing of the host. */
  | { readonly kind: 'unavailable'; readonly error: string };

/** Sends one request on a connection of its own, and reads its answer as text. Follows no redirect. */
export async function callServer(
  { gate, secureContext }: { readonly gate: Gate; readonly secureContext: SecureContext },
  url: string,
  { owner, method, headers: given, body, answerBytesMax }: CallOptions,
  { signal, progress, begun }: { signal: AbortSignal; progress: CallProgress; begun: () => void },
): Promise<CallResult> {
  try {
    const target = await gate.judge(url, 'The address', { owner, signal, begun });
    if (target.kind === 'refused') return { kind: 'failed', code: target.code, error: target.message };
    const call = { target, request: { method, headers: given, body: body ?? null }, secureContext, signal, progress };
    return await exchangeOnce(call, async ({ statusCode: status, headers, body: answer }) => {
      const parts: Uint8Array[] = [];
      const isWhole = await isReadWhole(answer, answerBytesMax, (part) => void parts.push(part));
      if (!isWhole) {
        return { kind: 'failed', code: 'size', error: `The answer has more than ${answerBytesMax} bytes.` };
      }
      const one = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      const text = Buffer.concat(parts).toString();
      return { kind: 'answered', status, headers: new Headers(one), text, ...retryAfterOf(headers) };
    });
  } catch (error) {
    const { code, reason, blame } = explainFailure(error, signal, progress);
    const isOurs = blame === 'busy' || blame === 'down' || (blame === 'unclear' && !(await gate.isNetworkUp()));
    if (isOurs) return { kind: 'unavailable', error: `No answer: ${reason}.` };
    return { kind: 'failed', code, error: `No answer: ${reason}.` };
  }
}
