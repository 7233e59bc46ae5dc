import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { flat } from '../harness/pictures.ts';
import { openPremises, type Premises, type Reply, teeOrder } from '../harness/premises.ts';
import { platenJson, type ServiceProcess, startServiceProcess } from '../harness/process.ts';

// A service that is killed while customers replace artwork that failed, and while the shop accepts that orders are
// cancelled: each is whole or not at all, and its retry makes one file by one job, and one refund.

/** How often the service is killed; the nightly run sets it higher. */
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 2);
const ORDERS_A_KILL = 6;
/** The print area whose file is made in a tenth of the processor's time. */
const AREA = { print_area: 'left_sleeve', method: 'embroidery' };
const BACK_WITHIN_MS = 30_000;

let premises: Premises;
let service: ServiceProcess;
let operator: string;
before(async () => {
  premises = await openPremises();
  const account = premises.demo.account_id;
  await platenJson(['account', 'credit', '--account', account, '--amount', '100000'], premises.env);
  const made = ['operator', 'create', '--email', 'kill@platen.example', '--password', 'a long pass phrase of ours'];
  await platenJson(made, premises.env);
  const minted = await platenJson<{ token: string }>(
    ['operator', 'token', '--email', 'kill@platen.example'],
    premises.env,
  );
  operator = minted.token;
  service = await startServiceProcess(premises.env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await premises?.close();
});

/** A request that is sent again until there is an answer that is not of a process that goes away. */
async function atLast(send: () => Promise<Reply>): Promise<NonNullable<Reply>> {
  return eventually(
    'an answer',
    async () => {
      const reply = await send();
      return reply !== undefined && reply.status !== 503 && reply.status !== 502 && reply;
    },
    BACK_WITHIN_MS,
  );
}

const place = async (body: object): Promise<CreatedOrder> => {
  const reply = await atLast(() => premises.call('POST', '/orders', body));
  assert.equal(reply.status, 201, reply.text);
  return JSON.parse(reply.text) as CreatedOrder;
};

/** An order of the demo's tee with artwork of its own; blank without any. */
function decorated(areas: readonly object[]): object {
  const { items, ...rest } = teeOrder(premises) as { items: object[] };
  const printed = areas.length === 0 ? { print_jobs: [] } : { decoration: { areas } };
  return { ...rest, items: items.map((item) => ({ ...item, ...printed })) };
}

async function serve(path: string, colour: string): Promise<string> {
  premises.stranger.serve(path, { body: await flat(300, 300, colour).png().toBuffer() });
  return premises.stranger.url(path);
}

async function killAmid<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await sleep(randomInt(0, 250));
  await service.kill();
  const ended = await Promise.all(work);
  service = await startServiceProcess(premises.env);
  return ended;
}

test(`killed ${KILLS} times while artwork is replaced: the old file or the new one is printed, and it is made by one job`, async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const orders: CreatedOrder[] = [];
    for (let index = 0; index < ORDERS_A_KILL; index += 1) {
      const path = `/old-${kill}-${index}.png`;
      await serve(path, `#${(kill * ORDERS_A_KILL + index + 1).toString(16).padStart(6, '0')}`);
      orders.push(await place(decorated([{ ...AREA, artwork_url: premises.stranger.url(path) }])));
    }
    const ids = orders.map(({ reference }) => reference);
    await eventually('all print files are made', async () => {
      const waiting = `select 1 from orders o join print_job j on j.order_id = o.id join print_file f on f.key = j.print_file_key
          where o.reference = any($1::text[]) and f.state <> 'ready'`;
      return (await premises.query(waiting, [ids])).length === 0;
    });
    await premises.query(
      `update print_file f set state = 'failed', failure = 'It is damaged.', output_hash = null, preview_hash = null
       from print_job j join orders o on o.id = j.order_id where o.reference = any($1::text[]) and f.key = j.print_file_key`,
      [ids],
    );
    const urls = await Promise.all(
      orders.map((_, index) =>
        serve(`/new-${kill}-${index}.png`, `#80${(kill * 64 + index).toString(16).padStart(4, '0')}`),
      ),
    );
    const replace = (index: number): Promise<Reply> => {
      const path = `/orders/${ids[index]}/lines/${orders[index]?.items.lineItems[0]?.id}/artwork`;
      return premises.call('POST', path, { print_area: AREA.print_area, url: urls[index] });
    };
    await killAmid(orders.map((_, index) => replace(index)));
    for (const index of orders.keys()) {
      const reply = await atLast(() => replace(index));
      assert.equal(reply.status, 200, reply.text);
    }
    const found = await premises.query<{ replaced: number; files: number; jobs: number }>(
      `select (select count(*)::integer from order_history h where h.order_id = o.id and h.action = 'replace_artwork') as replaced,
         (select count(*)::integer from print_job j where j.order_id = o.id and j.replaced_at is not null) as files,
         (select count(*)::integer from job b join print_job j on b.key = encode(j.print_file_key, 'hex') where j.order_id = o.id) as jobs
       from orders o where o.reference = any($1::text[])`,
      [ids],
    );
    for (const { replaced, files, jobs } of found) assert.deepEqual([replaced, files, jobs <= 1], [1, 1, true]);
    await eventually('the new files are made', async () => {
      const waiting = `select 1 from orders o join print_job j on j.order_id = o.id left join print_file f on f.key = j.print_file_key
          where o.reference = any($1::text[]) and f.state is distinct from 'ready'`;
      return (await premises.query(waiting, [ids])).length === 0;
    });
  }
  assert.equal(await premises.violations(), '');
});

test(`killed ${KILLS} times while requests to cancel are accepted: each order is refunded once, or not yet`, async () => {
  const [before] = await premises.query('select sum(balance_pence)::text as pence from account_balance');
  for (let kill = 0; kill < KILLS; kill += 1) {
    const requests: { reference: string; id: string }[] = [];
    for (let index = 0; index < ORDERS_A_KILL; index += 1) {
      const { reference } = await place(decorated([]));
      await premises.query('update orders set cancellable_until = placed_at where reference = $1', [reference]);
      const path = `/orders/${reference}/cancellation-request`;
      const reply = await atLast(() => premises.call('POST', path, { reason: 'changed_mind' }));
      requests.push({ reference, id: (JSON.parse(reply.text) as { id: string }).id });
    }
    const accept = async ({ id }: { id: string }): Promise<Reply> => {
      try {
        const response = await fetch(
          `http://127.0.0.1:${premises.env.PORT}/ops/v1/cancellation-requests/${id}/accept`,
          {
            method: 'POST',
            headers: {
              authorization: `Bearer ${operator}`,
              'content-type': 'application/json',
              'idempotency-key': `accept-${id}`,
            },
            body: JSON.stringify({ message: 'It is cancelled.' }),
          },
        );
        return { status: response.status, headers: response.headers, text: await response.text() };
      } catch {
        return undefined;
      }
    };
    await killAmid(requests.map(accept));
    for (const request of requests) {
      const reply = await atLast(() => accept(request));
      assert.equal(reply.status, 200, reply.text);
    }
    const left = await premises.query(
      `select o.reference from orders o join cancellation_request r on r.order_id = o.id
       where o.reference = any($1::text[]) and (o.state <> 'cancelled' or r.state <> 'accepted'
         or (select count(*) from refund f where f.order_id = o.id) <> 1
         or (select count(*) from posting p where p.order_id = o.id and p.kind = 'refund') <> 1
         or (select count(*) from event e where e.order_id = o.id and e.event = 'order.cancelled') <> 1
         or exists (select from ops_task t where t.order_id = o.id and t.kind = 'cancellation_asked' and t.closed_at is null))`,
      [requests.map(({ reference }) => reference)],
    );
    assert.deepEqual(left, []);
  }
  const [after] = await premises.query('select sum(balance_pence)::text as pence from account_balance');
  assert.deepEqual(after, before);
  assert.equal(await premises.violations(), '');
});
