import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { DemoReport } from '../../src/bin/seed-demo.ts';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { type CardProcess, openCardProcess } from '../harness/card-process.ts';
import { eventually } from '../harness/context.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import type { Call, FakeProvider, Fault } from '../harness/provider.ts';
import { HOME, newReference } from '../harness/shop.ts';

let card: CardProcess;
let env: Record<string, string>;
let provider: FakeProvider;
let service: ServiceProcess;
let demo: DemoReport;

before(async () => {
  card = await openCardProcess({ WEBHOOK_FLUSH_SECONDS: '0' });
  ({ env, provider, service, demo } = card);
});
after(() => card?.close(service));

const query: CardProcess['query'] = (text, values) => card.query(text, values);

async function call<Body>(
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Body } | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${env.PORT}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    return { status: response.status, body: (await response.json()) as Body };
  } catch {
    return undefined;
  }
}

/** Dear enough for the demo's balance to pay a part of it only. */
function dearOrder(external_reference: string): object {
  const item = {
    product_id: demo.products.fixed,
    variant_sku: 'TEE-CLASSIC-WHT-M',
    quantity: 2_000,
    print_jobs: [{ area: 'front', method: 'dtg' }],
  };
  return { items: [item], shipping_address: HOME, external_reference };
}

const POINTS: readonly { title: string; at: Call; fault: Fault | undefined }[] = [
  { title: 'before the provider has heard of it', at: 'create', fault: undefined },
  { title: 'after the intent was made and before its id was stored', at: 'create', fault: 'hang after' },
  { title: 'before the charge', at: 'confirm', fault: undefined },
  { title: 'after the charge and before it was booked', at: 'confirm', fault: 'hang after' },
];

for (const { title, at, fault } of POINTS) {
  test(`N206 killed ${title}: the order stands, is charged exactly once, and the books are in order (F101)`, async () => {
    const reference = newReference();
    const intentsBefore = provider.intents.length;
    let reached = false;
    provider.before(at, async () => {
      if (reached) return;
      reached = true;
      // With the fault it is the answer that is never heard.
      if (fault === undefined) await service.kill();
    });
    if (fault !== undefined) provider.fail(at, fault);
    const placing = call<CreatedOrder>('POST', '/orders', dearOrder(reference));
    await eventually('the provider was asked', () => reached);
    if (fault !== undefined) {
      await eventually('the provider has done it', () =>
        provider.intents.slice(intentsBefore).some(({ status }) => at === 'create' || status === 'succeeded'),
      );
      await service.kill();
    }
    assert.equal(await placing, undefined);
    provider.letGo();
    service = await startServiceProcess(env);

    const again = await eventually('the order is found', async () => {
      const answer = await call<CreatedOrder>('POST', '/orders', dearOrder(reference));
      return answer?.status === 200 ? answer.body : undefined;
    });
    assert.ok(['processing', 'paid'].includes(again.payment_status), again.payment_status);
    // The head start of the process that is gone is over.
    await query("update payment_attempt set look_at = created_at where state in ('open', 'unknown')");
    await eventually(
      'the sweep has finished it',
      async () => (await call<Order>('GET', `/orders/${again.id}`))?.body.payment_status === 'paid',
    );
    const charged = provider.intents.slice(intentsBefore).filter(({ charges }) => charges > 0);
    assert.deepEqual(
      charged.map(({ charges }) => charges),
      [1],
    );
    const [books] = await query<{ created: string; charged: string; payments: string; total: string }>(
      `select (select count(*) from event e where e.order_id = o.id and e.event = 'order.created') as created,
              (select sum(amount_pence) from posting p where p.order_id = o.id and p.kind = 'charge') as charged,
              (select count(*) from payment p where p.order_id = o.id) as payments, o.total_pence as total
       from orders o where o.external_reference = $1`,
      [reference],
    );
    assert.deepEqual([books?.created, books?.payments, books?.charged], ['1', '1', books?.total]);
    const { status, stdout } = await runPlaten(['verify', '--json'], env);
    assert.equal(status, 0, stdout);
  });
}
