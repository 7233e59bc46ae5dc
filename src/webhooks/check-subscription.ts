import type { Context } from '../lib/context.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { readTarget } from '../lib/outbound/addresses.ts';
import { EVENT_NAMES, findUnknownEvents } from './events.ts';

/** Problems of a subscription's body beyond its shape: an unknown event, a URL that is not https. */
export function subscriptionProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const { url, events } = body as { readonly url?: unknown; readonly events?: unknown };
  const target = typeof url === 'string' && url !== '' ? readTarget(url, 'The URL') : undefined;
  const named = Array.isArray(events) ? events.filter((name) => typeof name === 'string') : [];
  return [
    ...(target?.kind === 'refused' ? [{ path: 'url', code: target.code, message: target.message }] : []),
    ...(named.length === (Array.isArray(events) ? events.length : 0) ? unknownEvents(named) : []),
  ];
}

/** The reply to an unknown event lists the names at its top level (spec 4.5). */
export function subscriptionExtras(problems: readonly Problem[]): Record<string, unknown> {
  return problems.some(({ code, path }) => code === UNKNOWN_EVENT && path.startsWith('events['))
    ? { valid_events: EVENT_NAMES }
    : {};
}

const UNKNOWN_EVENT = 'unknown_value';

function unknownEvents(names: readonly string[]): Problem[] {
  return findUnknownEvents(names).map(({ name, index }) => ({
    path: `events[${index}]`,
    code: UNKNOWN_EVENT,
    message: `${JSON.stringify(name)} is not an event. Use one of ${EVENT_NAMES.join(', ')}.`,
    valid_values: EVENT_NAMES,
  }));
}

/**
 * Checks the members of a subscription that were sent. Returns the events without repeats.
 * Throws 422 when the URL is not public, or is our own (decisions, "Webhook target"). Looks the host up, so no
 * transaction may be open.
 */
export async function checkSubscription(
  ctx: Pick<Context, 'asker' | 'outbound'>,
  asked: { readonly url?: string; readonly events?: readonly string[] },
): Promise<readonly string[] | undefined> {
  const problems = subscriptionProblems(asked);
  const target = asked.url === undefined ? undefined : await ctx.outbound.checkTarget(asked.url, ctx.asker);
  if (target?.kind === 'refused' && !problems.some(({ path }) => path === 'url')) {
    problems.unshift({ path: 'url', code: target.code, message: target.message });
  }
  if (problems.length > 0) throw validationFailed(problems, subscriptionExtras(problems));
  return asked.events === undefined ? undefined : [...new Set(asked.events)];
}
