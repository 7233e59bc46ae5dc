import type { Caller } from '../lib/caller.ts';
import { isoTime, parseTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { firstIdAt, type Uuid } from '../lib/ids.ts';
import { readPage, toPage } from '../lib/paging.ts';
import type { EventLogPage, ListEventsQuery } from './event-schema.ts';
import { type EventRow, type LogPart, listEventRows, listNewestEventRows, listOrderEventRows } from './event-sql.ts';
import { EVENT_NAMES, findUnknownEvents } from './events.ts';
import { eventView } from './view.ts';

/** Whose events to read. */
export type LogSubject =
  | { readonly kind: 'account' }
  | { readonly kind: 'order'; readonly id: Uuid }
  | { readonly kind: 'unknown_order' };

// The beginning of the log is given in full hours: a time to the millisecond would make each answer differ.
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * An event is recorded at most this long after the time in its id.
 * The id has the time at which its request began; its place in the log is that of its transaction. Between the two lie
 * at most the fetching of artwork (60 s) and a few statements of 15 s each, so this is ample.
 */
const RECORDED_WITHIN_MS = 600_000;

/**
 * A page of the account's log, oldest first (domain, "The log must not skip"), or newest first.
 * Nothing is ever inserted before an event that has been shown: a reader that continues from its last event misses
 * none. Throws 422 for a name that is no event and a time that no calendar has.
 */
export async function readLog(
  ctx: Pick<Context, 'config' | 'database' | 'clock'>,
  caller: Caller,
  query: ListEventsQuery,
  subject: LogSubject,
): Promise<EventLogPage> {
  const names = query.event === undefined ? undefined : [...new Set(query.event.split(','))];
  const askedSince = query.since === undefined ? undefined : parseTime(query.since);
  refuseUnreadable(query, names ?? [], askedSince);
  const { limit, after } = readPage('evt', query);
  const earliest = ctx.clock.now().getTime() - ctx.config.keepEventsDays * DAY_MS;
  const begins = { log_begins_at: isoTime(new Date(Math.ceil(earliest / HOUR_MS) * HOUR_MS)) };
  if (subject.kind === 'unknown_order') return { data: [], has_more: false, next_cursor: null, ...begins };

  const since = new Date(Math.max(earliest, askedSince?.getTime() ?? earliest));
  const floor = firstIdAt(new Date(since.getTime() - RECORDED_WITHIN_MS));
  const part = { since, floor, after, names, limit: limit + 1 };
  const orderId = subject.kind === 'order' ? subject.id : undefined;
  const { accountId } = caller;
  const rows = await rowsOf(ctx, query.sort === 'newest', { accountId, orderId }, part);
  return { ...toPage(rows, limit, eventView, (event) => event.id), ...begins };
}

async function rowsOf(
  { database }: Pick<Context, 'database'>,
  isNewestFirst: boolean,
  { accountId, orderId }: { accountId: Uuid; orderId: Uuid | undefined },
  part: LogPart,
): Promise<EventRow[]> {
  if (isNewestFirst) return listNewestEventRows(database, accountId, orderId, part);
  if (orderId !== undefined) return listOrderEventRows(database, accountId, orderId, part);
  return listEventRows(database, accountId, part);
}

function refuseUnreadable(query: ListEventsQuery, names: readonly string[], since: Date | undefined): void {
  const unknown = findUnknownEvents(names);
  const problems: Problem[] = unknown.map(({ name }) => ({
    path: 'event',
    code: 'unknown_value',
    message: `${JSON.stringify(name)} is not an event. Use one or more of ${EVENT_NAMES.join(', ')}, with commas between.`,
    valid_values: EVENT_NAMES,
  }));
  if (query.since !== undefined && since === undefined) {
    problems.push({ path: 'since', code: 'time', message: `There is no such time as ${query.since}.` });
  }
  if (problems.length > 0) throw validationFailed(problems, unknown.length > 0 ? { valid_events: EVENT_NAMES } : {});
}
