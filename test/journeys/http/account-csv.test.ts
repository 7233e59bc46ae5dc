import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import { COOKIE, openRole, type PortalClient } from '../../harness/portal.ts';
import { baseProductId } from '../../harness/products.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop, type Shop, servePicture } from '../../harness/shop.ts';
import { connectSender, sendFromShop } from '../../harness/shop-sender.ts';

// The lists of an account as files for a spreadsheet.

let service: TestService;
let shop: Shop;
let owner: PortalClient;
let webhook: string;
before(async () => {
  service = await startTestService();
  shop = await openShop(service, 50);
  owner = await openRole(service, 'owner', shop.customer.accountId);
  const url = service.stranger.url('/hook');
  ({ id: webhook } = (await shop.customer.request<{ id: string }>('POST', '/webhooks', { url })).body);
  for (let placed = 0; placed < 3; placed += 1) assert.equal((await shop.order({})).status, 201);
});
after(() => service.stop());

type Asked = { readonly status: number; readonly type: string | null; readonly rows: readonly string[] };

/** What a person's browser gets that asks for a file, or a program with a token. */
async function asked(path: string, by: 'person' | 'program'): Promise<Asked> {
  const own =
    by === 'person' ? { cookie: `${COOKIE}=${owner.secret}` } : { authorization: `Bearer ${shop.customer.token}` };
  const answer = await fetch(service.url + path, { headers: { accept: 'text/csv', ...own } });
  const text = await answer.text();
  return { status: answer.status, type: answer.headers.get('content-type'), rows: text.split('\r\n').slice(0, -1) };
}

async function records(path: string, by: 'person' | 'program'): Promise<number> {
  const { body } =
    by === 'program'
      ? await shop.customer.request<{ data: unknown[] }>('GET', path.replace('/api/v1', ''))
      : await owner.request<{ data: unknown[] }>('GET', path.replace('/portal/api/v1', ''));
  return body.data.length;
}

test('events, deliveries and problems come whole as CSV, with the same filters', async () => {
  // Events are written after the answer to an order, and each makes a delivery.
  const deliveries = `/api/v1/webhooks/${webhook}/deliveries`;
  await eventually('each order has its event', async () => (await records(deliveries, 'program')) >= 3);
  for (const path of ['/api/v1/events', deliveries, '/api/v1/problems']) {
    const { status, type, rows } = await asked(path, 'program');
    assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8; header=present'], path);
    assert.equal(rows.length - 1, await records(`${path}?limit=100`, 'program'), path);
  }
  const [head = '', ...events] = (await asked('/api/v1/events?event=order.created', 'program')).rows;
  assert.equal(events.length, 3);
  assert.match(head, /^id,event,/);
  assert.equal((await asked('/api/v1/events?event=order.cancelled', 'program')).rows.length, 1, 'only the header');
});

const SECRET = /whsec_|pat_live_|pcs_|signature=|sig=|expires=/;

test('products, brands and webhooks come whole, without a secret and without what is signed', async () => {
  const brand = { name: 'Fern & Fable', logo_url: await servePicture(service, '/fern-logo.png', { colour: 'teal' }) };
  assert.equal((await shop.customer.request('POST', '/brands', brand)).status, 201);
  for (const path of ['/api/v1/products', '/api/v1/brands', '/api/v1/webhooks']) {
    const { status, type, rows } = await asked(path, 'program');
    assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8; header=present'], path);
    assert.ok(rows.length > 1, path);
    assert.equal(rows.length - 1, await records(`${path}?limit=100`, 'program'), path);
    assert.doesNotMatch(rows.join('\n'), SECRET, path);
    assert.doesNotMatch(rows[0] ?? '', /mockup_url|thumbnail_url|logo_url|secret/, path);
  }
});

test('the gallery, templates, tokens, apps, grants and files of orders come whole for a person, without a secret', async () => {
  const made = [
    await owner.request<{ token?: string }>('POST', '/tokens', { body: { name: 'Planner', scopes: ['orders:read'] } }),
    await owner.request<{ client_secret?: string }>('POST', '/apps', {
      body: {
        name: 'Planner',
        redirect_uris: ['https://app.example/back'],
        scopes: ['orders:read'],
        confidential: true,
      },
    }),
    await owner.request('POST', '/templates', {
      body: { name: 'A tee', base_product_id: await baseProductId(service), variant_skus: ['TEE-CLASSIC-WHT-M'] },
    }),
    await owner.request('POST', '/order-files', { body: { name: 'week.csv', content: 'Name,SKU\nAda,TEE\n' } }),
  ];
  for (const { status, text } of made) assert.equal(status, 201, text);
  const secrets = [made[0]?.body, made[1]?.body].flatMap((body) =>
    Object.entries(body ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' && ['token', 'client_secret'].includes(name) ? [value] : [],
    ),
  );
  assert.equal(secrets.length, 2);
  for (const list of ['/products', '/templates', '/tokens', '/apps', '/order-files', '/grants']) {
    const path = `/portal/api/v1${list}`;
    const { status, type, rows } = await asked(path, 'person');
    assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8; header=present'], path);
    if (list !== '/grants') assert.ok(rows.length > 1, path);
    assert.equal(rows.length - 1, await records(`${path}?limit=100`, 'person'), path);
    const text = rows.join('\n');
    assert.doesNotMatch(text, SECRET, path);
    for (const secret of secrets) assert.ok(!text.includes(secret), path);
  }
  const narrowed = (await asked('/portal/api/v1/products?status=archived', 'person')).rows;
  assert.equal(narrowed.length, 1, 'only the header');
});

test('a list that a role may not see is refused as CSV, too', async () => {
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  for (const list of ['/tokens', '/apps', '/grants']) {
    const answer = await fetch(`${service.url}/portal/api/v1${list}`, {
      headers: { accept: 'text/csv', cookie: `${COOKIE}=${reader.secret}` },
    });
    assert.equal(answer.status, 403, list);
  }
});

test('the requests and the orders of shops, too, for a person who is signed in', async () => {
  const sender = await connectSender(owner, 'Fern and Thread');
  await sendFromShop(service, sender, { number: '#1001', items: [{ id: '1', title: 'Mug', quantity: 1 }] });
  for (const path of ['/portal/api/v1/requests', '/portal/api/v1/shop-orders']) {
    const there = async (): Promise<boolean> => (await asked(path, 'person')).rows.length > 1;
    await eventually(`${path} has a row`, there);
    const { status, type } = await asked(path, 'person');
    assert.deepEqual([status, type], [200, 'text/csv; charset=utf-8; header=present'], path);
    // A request is in the log a moment after its answer.
    const isAlike = async (): Promise<boolean> =>
      (await asked(path, 'person')).rows.length - 1 === (await records(`${path}?limit=100`, 'person'));
    await eventually(`${path} as CSV has what its JSON has`, isAlike);
  }
});

test('a link asks for CSV by format, as it has no header Accept; another format is refused', async () => {
  const own = { cookie: `${COOKIE}=${owner.secret}`, accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  for (const path of ['/api/v1/orders', '/portal/api/v1/money/statement']) {
    const read = async (format: string): Promise<{ status: number; type: string | null; text: string }> => {
      const answer = await fetch(`${service.url}${path}?format=${format}`, { headers: own });
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
    };
    const asCsv = await read('csv');
    assert.deepEqual([asCsv.status, asCsv.type], [200, 'text/csv; charset=utf-8; header=present'], path);
    assert.equal(asCsv.text, `${(await asked(path, 'person')).rows.join('\r\n')}\r\n`, path);
    assert.match((await read('json')).type ?? '', /^application\/json/, path);
    assert.equal((await read('xml')).status, 422, path);
  }
  const answer = await fetch(`${service.url}/portal/api/v1/channels?format=csv`, { headers: own });
  assert.equal(answer.status, 422, 'what is no list for a spreadsheet has no formats');
});
