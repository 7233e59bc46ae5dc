import type { Fetch } from '../../sdk/src/send.ts';

/** A request as the client sent it. */
export type Sent = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly redirect: string;
};

/** What the service, or the way to it, does with a request. */
export type Step =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks; whether the service has acted nobody knows. */
  | 'lost'
  /** Nothing comes back until the client gives up. */
  | 'silent';

/** A `fetch` that does one step after the other, the last for ever, and remembers what it was sent. */
export function scriptedFetch(...steps: readonly [Step, ...Step[]]): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { method, headers, body, redirect, signal }) => {
    const step = steps[Math.min(sent.length, steps.length - 1)] ?? 'lost';
    sent.push({ method, url, headers, body: body === undefined ? undefined : JSON.parse(body), redirect });
    if (step === 'lost') throw new TypeError('fetch failed', { cause: new Error('the connection was reset') });
    if (step === 'silent') return untilAborted(signal);
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? {});
    return new Response(step.status === 204 ? null : text, { status: step.status, headers: { ...step.headers } });
  };
  return { fetch, sent };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true });
  });
}

/** A refusal as the service writes it. */
export function refused(
  status: number,
  code: string,
  more: { readonly headers?: Readonly<Record<string, string>>; readonly members?: object } = {},
): Step {
  const body = { type: `/docs/errors#${code}`, title: code, status, code, detail: `${code} it is.`, ...more.members };
  return { status, body: { request_id: 'req_1', ...body }, headers: { 'x-request-id': 'req_1', ...more.headers } };
}

/** All that a walk gives. */
export async function collect<Item>(walk: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of walk) items.push(item);
  return items;
}
