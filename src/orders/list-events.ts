import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { parseId, parseOrderReference } from '../lib/ids.ts';
import type { EventLogPage, ListEventsQuery } from '../webhooks/event-schema.ts';
import { type LogSubject, readLog } from '../webhooks/read-log.ts';
import { findOrderId } from './read-sql.ts';

/**
 * A page of the account's event log (decisions, "Event log and recovery").
 * Of one order if the query names one, by id or reference. Another account's order has as few events as an unknown
 * one: none.
 */
export async function listEvents(
  ctx: Pick<Context, 'config' | 'database' | 'clock'>,
  caller: Caller,
  query: ListEventsQuery,
): Promise<EventLogPage> {
  return readLog(ctx, caller, query, await subjectOf(ctx, caller, query.order));
}

async function subjectOf(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  order: string | undefined,
): Promise<LogSubject> {
  if (order === undefined) return { kind: 'account' };
  const id = parseId('ord', order);
  if (id !== undefined) return { kind: 'order', id };
  const reference = parseOrderReference(order);
  const found = reference === undefined ? undefined : await findOrderId(ctx.database, caller.accountId, reference);
  return found === undefined ? { kind: 'unknown_order' } : { kind: 'order', id: found };
}
