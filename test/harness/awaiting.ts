import { countAwaiting } from '../../src/production/stock-overview/count-awaiting.ts';
import { eventually } from './context.ts';
import type { TestService } from './service.ts';

/**
 * Counts what waits for promotion of every order that was changed.
 * What changed later each reader of the stock adds up for itself.
 */
export async function untilAwaitingCounted({ ctx }: Pick<TestService, 'ctx'>): Promise<void> {
  await eventually('what waits for promotion is counted', async () => {
    await countAwaiting(ctx);
    const row = await ctx.database.one<{ left: boolean }>(
      {
        name: '',
        text: `select exists (select from orders where line_count >= 0 and changed_by >= p.counted_before) as left
               from stock_awaiting_progress p`,
      },
      [],
    );
    return row?.left === false;
  });
}
