import type { Context } from '../lib/context.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { EVENT_NAMES, findUnknownEvents } from './events.ts';

/**
 * Checks what a subscription asks for, as far as it was sent, and throws 422 with all problems: an event that does not exist
 * (spec 4.5; the reply lists the names in `valid_events`) and a URL that is not https, not public or our own (decisions,
 * "Webhook target"). Returns the events without repeats. Looks the host up, so no transaction may be open.
 */
export async function checkSubscription(
  ctx: Pick<Context, 'outbound'>,
  asked: { readonly url?: string; readonly events?: readonly string[] },
): Promise<readonly string[] | undefined> {
  const unknown = findUnknownEvents(asked.events ?? []);
  const problems: Problem[] = unknown.map(({ name, index }) => ({
    path: `events[${index}]`,
    code: 'unknown_value',
    message: `${JSON.stringify(name)} is not an event. Use one of ${EVENT_NAMES.join(', ')}.`,
    valid_values: EVENT_NAMES,
  }));
  const target = asked.url === undefined ? undefined : await ctx.outbound.checkTarget(asked.url);
  if (target?.kind === 'refused') problems.unshift({ path: 'url', code: target.code, message: target.message });
  if (problems.length > 0) throw validationFailed(problems, unknown.length > 0 ? { valid_events: EVENT_NAMES } : {});
  return asked.events === undefined ? undefined : [...new Set(asked.events)];
}
