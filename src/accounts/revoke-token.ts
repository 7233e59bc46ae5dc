import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { revokeTokenRow } from './sql.ts';

/** Ends a token; within a second no process accepts it. Unknown: 404. */
export async function revokeToken(ctx: Pick<Context, 'database' | 'clock'>, id: Uuid): Promise<void> {
  if (!(await revokeTokenRow(ctx.database, id, ctx.clock.now()))) throw noSuch('token');
}
