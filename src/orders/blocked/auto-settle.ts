import type { Context } from '../../lib/context.ts';

/**
 * Orders placed before this time are settled by hand only.
 * A forgotten one must not ship a month later.
 */
export function autoSettleSince({ clock, config }: Pick<Context, 'clock' | 'config'>): Date {
  return new Date(clock.now().getTime() - config.autoSettleHours * 3_600_000);
}
