import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { disputeOf, type FakeIntent, type FakeProvider, movedBy } from '../harness/provider.ts';
import { HOME, newReference } from '../harness/shop.ts';

/** How often the service is killed while disputes are reported; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
const ORDERS_A_KILL = 6;

let card: CardProcess;
let env: Record<string, string>;
let provider: FakeProvider;
let service: ServiceProcess;
let demo: DemoReport;

before(async () => {
  card = await openCardProcess();
  ({ env, provider, service, demo } = card);
});
after(() => card?.close(service));

const query: CardProcess['query'] = (text, values) => card.query(text, values);

/** An order that the demo's balance pays a part of at most, and the card the rest. */
async function place(): Promise<FakeIntent> {
  const item = { product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 2_000 };
  const response = await fetch(`http://127.0.0.1:${env.PORT}/api/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ items: [item], shipping_address: HOME, external_reference: newReference() }),
  });
  const order = (await response.json()) as CreatedOrder;
  assert.deepEqual([response.status, order.payment_status], [201, 'paid']);
  const intent = provider.intents.at(-1);
  assert.ok(intent);
  return intent;
}

/** The provider calls back; undefined if nothing answered, so that it calls again. */
async function callBack(type: string, object: object): Promise<number | undefined> {
  const { body, headers } = provider.callback(type, object, { at: new Date() });
  try {
    const response = await fetch(`http://127.0.0.1:${env.PORT}/hooks/stripe`, { method: 'POST', headers, body });
    await response.text();
    return response.status === 200 ? 200 : undefined;
  } catch {
    return undefined;
  }
}

/** All that two disputes of a payment report: one gives a part back, the other all. Out in the end: 70 pence. */
function reportsOf(intent: FakeIntent): readonly (readonly [type: string, object: object])[] {
  const of = (id: string, status: string, ...moves: number[]) =>
    disputeOf(intent, { id, status, ...movedBy(...moves) });
  return [
    ['charge.dispute.funds_withdrawn', of('dp_a', 'needs_response', -100)],
    ['charge.dispute.funds_withdrawn', of('dp_b', 'needs_response', -60)],
    ['charge.dispute.funds_reinstated', of('dp_a', 'lost', -100, 30)],
    ['charge.dispute.funds_reinstated', of('dp_b', 'won', -60, 60)],
    ['charge.dispute.closed', of('dp_b', 'won', -60, 60)],
  ];
}

test(`N198 killed ${KILLS} times while disputes are reported: each withdrawal and each reinstatement is booked once (D65)`, async () => {
  let unanswered = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const intents: FakeIntent[] = [];
    for (let order = 0; order < ORDERS_A_KILL; order += 1) intents.push(await place());
    const reports = intents.flatMap(reportsOf);
    const sent = reports.map(([type, object]) => callBack(type, object));
    await sleep(randomInt(0, 120));
    await service.kill();
    const answers = await Promise.all(sent);
    unanswered += answers.filter((answer) => answer === undefined).length;
    service = await startServiceProcess(env);
    // What was not acknowledged is reported again, and some of what was.
    for (const [index, [type, object]] of reports.entries()) {
      if (answers[index] === undefined || index % 3 === 0) {
        await eventually('a report is taken', () => callBack(type, object));
      }
    }
    const booked = await query<{ out: string; rows: string }>(
      `select (select coalesce(sum(case when p.credit_account = 'card_clearing' then p.amount_pence else -p.amount_pence end), 0)
                 + a.amount_pence
               from posting p where p.order_id = a.order_id and 'card_clearing' in (p.debit_account, p.credit_account)) as out,
              (select string_agg(d.dispute_id || ' ' || d.booked_withdrawn_pence || ' ' || d.booked_reinstated_pence, ', '
                 order by d.dispute_id) from payment_dispute d where d.attempt_id = a.id) as rows
       from payment_attempt a where a.intent_id = any($1)`,
      [intents.map(({ id }) => id)],
    );
    assert.equal(booked.length, ORDERS_A_KILL);
    for (const row of booked) assert.deepEqual(row, { out: '70', rows: 'dp_a 100 30, dp_b 60 60' });
  }
  assert.ok(unanswered > 0, 'a kill met a report under way');
  const { status, stdout } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, stdout);
});
