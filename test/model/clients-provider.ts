import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import { differs } from './clients-summed.ts';
import type { World } from './clients-world.ts';

const PAYMENTS = statement<{
  id: Uuid;
  order_id: Uuid;
  amount_pence: number;
  posted_pence: number;
  intent_id: string | null;
  is_returned: boolean;
}>(
  'clients_payments',
  `select p.id, p.order_id, p.amount_pence, a.intent_id, a.returned_at is not null as is_returned, (
     select coalesce(sum(amount_pence), 0)::bigint from posting t
     where t.order_id = p.order_id and t.kind = 'charge' and t.debit_account in ('card_clearing', 'direct_debit_clearing')
   ) as posted_pence
   from payment p join payment_attempt a on a.id = p.id`,
);
const UNDER_WAY = statement<{ id: Uuid }>(
  'clients_under_way',
  "select id from payment_attempt where state in ('open', 'unknown')",
);

/** The provider has taken money exactly for the payments that are booked, each once, and no order twice. */
export async function providerProblems(world: World): Promise<string[]> {
  const { database } = world.ctx;
  const payments = await database.all(PAYMENTS, []);
  const byIntent = new Map(payments.map((payment) => [payment.intent_id, payment]));
  const problems = (await database.all(UNDER_WAY, [])).map(({ id }) => `attempt ${id} has no end`);
  for (const intent of world.provider.intents) {
    const { id, charges, amount, status } = intent;
    const payment = byIntent.get(id);
    byIntent.delete(id);
    if (charges > 1) problems.push(`${id} was charged ${charges} times`);
    // A debit that came back before anybody had heard that it was accepted was never booked.
    const counts = charges === 1 && (payment !== undefined || status !== 'requires_payment_method');
    if (counts !== (payment !== undefined))
      problems.push(`${id} is ${status}, charged ${charges} times, and booked otherwise`);
    if (payment !== undefined) problems.push(...differs(`pence of ${id}`, payment.amount_pence, amount));
    if (payment?.intent_id !== undefined && !payment.is_returned && status === 'requires_payment_method') {
      problems.push(`${id} came back, and the books do not know`);
    }
  }
  const ofOrder = Map.groupBy(payments, ({ order_id: orderId }) => orderId);
  for (const [orderId, paid] of ofOrder) {
    const onTime = paid.filter(({ intent_id: intentId }) => !world.lateIntents.has(intentId ?? ''));
    if (onTime.length > 1) problems.push(`order ${orderId} was charged ${onTime.length} times`);
    const sum = paid.reduce((pence, payment) => pence + payment.amount_pence, 0);
    problems.push(...differs(`pence charged for ${orderId}`, paid[0]?.posted_pence ?? 0, sum));
  }
  return [...problems, ...[...byIntent.keys()].map((id) => `a payment of ${id} is booked, and the provider took none`)];
}

const STUCK = statement<{ what: string }>(
  'clients_stuck',
  `select 'a job ' || kind || ' is stuck: ' || last_error as what from job where failed_at is not null or attempts + setbacks >= 5
   union all
   select deadlocks || ' deadlocks' from pg_stat_database where datname = current_database() and deadlocks > 0`,
);

/** Every job gets done; and all take their locks in one order, so that nobody ever waits in a circle. */
export async function stuckProblems(world: World): Promise<string[]> {
  return (await world.ctx.database.all(STUCK, [])).map(({ what }) => what);
}
