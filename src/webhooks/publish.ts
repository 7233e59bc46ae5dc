import type { Config } from '../lib/config.ts';
import { type Db, statement } from '../lib/db.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { releaseFirstAttempts } from './delivery-sql.ts';
import type { OrderEvent } from './events.ts';

/** The parts of an event, each an SQL expression (`$7::uuid`, `money.paid`). */
export type EventSql = {
  /** A table expression of the statement with a row for each event to be written: one, or none. */
  readonly from: string;
  readonly id: string;
  readonly accountId: string;
  readonly orderId: string;
  readonly sequence: string;
  readonly event: string;
  /** The finished JSON text of `data`, whose members keep their order. */
  readonly data: string;
  readonly createdAt: string;
  readonly dueAt: string;
};

/**
 * SQL of the common table expressions that record an event inside the larger statement that causes it.
 * They are `new_event`, and `new_delivery` with a delivery for each subscription of the account that is active at that
 * moment and wants the event. Nothing else in the service writes events. No lock is taken on subscriptions.
 */
export function eventCtes(sql: EventSql): string {
  return `
new_event as (
  insert into event (id, account_id, order_id, sequence, event, data, created_at)
  select ${sql.id}, ${sql.accountId}, ${sql.orderId}, ${sql.sequence}, ${sql.event}, (${sql.data})::json, ${sql.createdAt}
  from ${sql.from}
  returning id, account_id, event, created_at
),
new_delivery as (
  insert into webhook_delivery (id, account_id, subscription_id, generation, event_id, event, state, due_at, created_at)
  select uuid_v7(e.created_at), e.account_id, s.id, s.generation, e.id, e.event, 'pending', ${sql.dueAt}, e.created_at
  from new_event e join webhook_subscription s on s.account_id = e.account_id
  where s.active and (s.events = '{}' or e.event = any(s.events))
)`;
}

const PUBLISH = statement<never>(
  'webhooks_publish',
  `with once as (select 1),
${eventCtes({
  from: 'once',
  id: '$1::uuid',
  accountId: '$2::uuid',
  orderId: '$3::uuid',
  sequence: '$4::bigint',
  event: '$5::text',
  data: '$6::text',
  createdAt: '$7::timestamptz',
  dueAt: '$8::timestamptz',
})}
select`,
);

/**
 * An event with all its members.
 * `sequence` grows by one with each event of the order; `createdAt` is later than that of the one before.
 */
type NewEvent = OrderEvent & {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  readonly sequence: number;
  readonly createdAt: Date;
  readonly dueAt: Date;
};

/**
 * Records an event and its deliveries in the caller's transaction (spec 6.1; domain, "Events").
 * A rolled-back change publishes nothing. Returns the event's id.
 */
export async function publishEvent(db: Db, event: NewEvent): Promise<Uuid> {
  const id = newId(event.createdAt.getTime());
  const data = JSON.stringify(event.data);
  const { accountId, orderId, sequence, createdAt, dueAt } = event;
  await db.all(PUBLISH, [id, accountId, orderId, sequence, event.event, data, createdAt, dueAt]);
  return id;
}

/**
 * When the first attempt of an event recorded now may start: at the next flush (spec 6.6, "Latency").
 * Flushes are at multiples of the interval, so that every node flushes at the same time. With an interval of 0 it is
 * now.
 */
export function firstAttemptAt(config: Pick<Config, 'webhookFlushSeconds'>, now: Date): Date {
  const intervalMs = config.webhookFlushSeconds * 1_000;
  if (intervalMs === 0) return now;
  return new Date((Math.floor(now.getTime() / intervalMs) + 1) * intervalMs);
}

/** Makes every first attempt that waits for the next flush due now; retries keep their own times. */
export async function flushNow(db: Db, now: Date): Promise<void> {
  await releaseFirstAttempts(db, now);
}
