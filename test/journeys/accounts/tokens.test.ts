import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { revokeToken } from '../../../src/accounts/access/revoke-token.ts';
import { suspendAccount } from '../../../src/accounts/access/suspend-account.ts';
import { importToken } from '../../../src/accounts/import-token.ts';
import { mintToken } from '../../../src/accounts/mint-token.ts';
import type { Scope } from '../../../src/lib/caller.ts';
import { ApiError } from '../../../src/lib/errors.ts';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import { AT_THE_COMMAND_LINE } from '../../harness/actors.ts';
import { eventually } from '../../harness/context.ts';
import { statusWith } from '../../harness/oauth.ts';
import { flat } from '../../harness/pictures.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, teeItem } from '../../harness/shop.ts';
import { balancePence, everythingWritten, rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

let imported = 0;
function oldToken(): string {
  imported += 1;
  return `pat_test_legacy-${imported}.${newId()}`;
}

const take = (accountId: Uuid, token: string, scopes?: readonly Scope[]) =>
  importToken(service.ctx, { accountId, token, ...(scopes === undefined ? {} : { scopes }) });

const isRefusal =
  (code: string) =>
  (error: unknown): boolean =>
    error instanceof ApiError && error.code === code;

async function tokenRows(): Promise<unknown> {
  return rows(service, 'select id, account_id, scopes, revoked_at from access_token order by id');
}

describe('B33 5.2 a pat_test_ token that exists works like every other, and isolates nothing', () => {
  test('an order that is placed with one is charged and made', async () => {
    const customer = await service.openCustomer({ balancePence: 100_000 });
    const token = oldToken();
    await take(customer.accountId, token);
    const response = await fetch(`${service.url}/api/v1/orders`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...basket(service),
        items: [teeItem(service, { product_id: await productOf(customer.accountId), print_jobs: [] })],
      }),
    });
    const body = (await response.json()) as { payment_status: string; charged: { total: number } };
    assert.deepEqual([response.status, body.payment_status], [201, 'paid']);
    assert.equal(await balancePence(service, customer), 100_000 - Math.round(body.charged.total * 100));
  });

  test('it has the scopes that it was imported with, all when none were named', async () => {
    const [all, reader] = [oldToken(), oldToken()];
    const { accountId } = service.customer;
    assert.equal((await take(accountId, all)).scopes.length, 6);
    assert.deepEqual((await take(accountId, reader, ['products:read'])).scopes, ['products:read']);
    assert.deepEqual(
      [
        await statusWith(service, all),
        await statusWith(service, reader),
        await statusWith(service, reader, '/products'),
      ],
      [200, 403, 200],
    );
  });

  test('the same again for the same account changes nothing, at once and one after another', async () => {
    const token = oldToken();
    const { accountId } = service.customer;
    const answers = await Promise.all(Array.from({ length: 10 }, () => take(accountId, token, ['orders:read'])));
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1);
    assert.equal(answers.filter(({ isNew }) => isNew).length, 1);
    const before = await tokenRows();
    assert.deepEqual((await take(accountId, token)).scopes, ['orders:read']);
    await assert.rejects(take(accountId, token, ['orders:write']), isRefusal('conflict'));
    assert.deepEqual(await tokenRows(), before);
  });

  test("another account's is refused without a word of whose it is, and stays what it was", async () => {
    const token = oldToken();
    await take(service.customer.accountId, token);
    const other = await service.openCustomer();
    const before = await tokenRows();
    await assert.rejects(take(other.accountId, token), isRefusal('conflict'));
    assert.deepEqual(await tokenRows(), before);
  });

  test('one that was revoked stays revoked, however often it is imported', async () => {
    const token = oldToken();
    const { id } = await take(service.customer.accountId, token);
    await revokeToken(service.ctx, AT_THE_COMMAND_LINE, id);
    await assert.rejects(take(service.customer.accountId, token), isRefusal('conflict'));
    assert.equal(await statusWith(service, token), 401);
  });

  test('nothing else can be imported, and no new token begins with pat_test_', async () => {
    const { accountId } = service.customer;
    const before = await tokenRows();
    for (const token of [
      'pat_test_',
      'pat_live_0000000000000000000000000000000000000',
      service.customer.token,
      `PAT_TEST_${newId()}`,
      ' pat_test_a',
      'pat_test_a ',
      'pat_test_a\n',
      'pat_test_a\0',
      'pat_test_ä',
      'pat_test_a b',
      'pat_test_=a',
      `pat_test_${'a'.repeat(247)}`,
      '',
    ]) {
      await assert.rejects(take(accountId, token), isRefusal('validation_failed'), JSON.stringify(token));
    }
    await assert.rejects(take(newId(), oldToken()), isRefusal('not_found'));
    assert.deepEqual(await tokenRows(), before);
    assert.match((await mintToken(service.ctx, { accountId })).token, /^pat_live_/);
  });

  test('one that was never imported is nobody', async () => {
    assert.equal(await statusWith(service, oldToken()), 401);
  });
});

/** A product of the account that needs no designs. */
async function productOf(accountId: Uuid): Promise<string> {
  return addProduct(service, { accountId, token: '', request: service.customer.request }, 'TEE-CLASSIC');
}

/** The status line and body that a raw head gets, the header written as these bytes. */
async function rawStatus(header: Buffer): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(Buffer.concat([Buffer.from('GET /api/v1/orders HTTP/1.1\r\nhost: a\r\nauthorization: '), header]));
  socket.write('\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}

test('B31 a token with anything beside it is none, whatever the bytes', async () => {
  const { token } = service.customer;
  assert.equal(await rawStatus(Buffer.from(`Bearer ${token}`)), 200);
  const refused: [Buffer, number][] = [
    [Buffer.from(`Bearer ${token} x`), 401],
    [Buffer.from(`Bearer ${token},`), 401],
    [Buffer.from(`Bearer ${token}%0a`), 401],
    [Buffer.from(`Bearer ${token}é`), 401],
    [Buffer.concat([Buffer.from(`Bearer ${token}`), Buffer.from([0xff])]), 401],
    [Buffer.from(`Bearer "${token}"`), 401],
    [Buffer.from(`Bearer\t${token}`), 401],
    // These are no header at all.
    [Buffer.from(`Bearer ${token}\0`), 400],
    [Buffer.from(`Bearer ${token}\nx`), 400],
  ];
  for (const [header, status] of refused) assert.equal(await rawStatus(header), status, header.toString());
});

test('B32 a token of any length up to a megabyte is refused at once, and the service goes on', async () => {
  for (const [length, status] of [
    [256, 401],
    [513, 401],
    [15_000, 401],
    [32_768, 431],
    [1_048_576, 431],
  ] as const) {
    assert.equal(await rawStatus(Buffer.from(`Bearer pat_test_${'a'.repeat(length)}`)), status, `${length}`);
  }
  assert.equal(await statusWith(service, service.customer.token), 200);
});

test('B34 a token that is revoked while it is used is refused within a second', async () => {
  const { accountId } = service.customer;
  const { id, token } = await mintToken(service.ctx, { accountId });
  assert.equal(await statusWith(service, token), 200);
  await revokeToken(service.ctx, AT_THE_COMMAND_LINE, id);
  const revokedMs = performance.now();
  await eventually('it is refused', async () => (await statusWith(service, token)) === 401, 3_000);
  assert.ok(performance.now() - revokedMs < 1_500);
});

describe('B40 an account that is suspended', () => {
  test('while one of its orders is being placed: the order is whole or not at all, and the next request is nobody', async () => {
    const customer = await service.openCustomer({ balancePence: 100_000 });
    const productId = await productOf(customer.accountId);
    const picture = await flat(400, 400, '#654321').png().toBuffer();
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    service.stranger.serve('/held.png', async (_hit, response) => {
      await released;
      response.end(picture);
    });
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: service.stranger.url('/held.png') }];
    const item = teeItem(service, { product_id: productId, decoration: { areas } });
    delete item.print_jobs;
    const placing = customer.request<{ charged: { total: number } }>(
      'POST',
      '/orders',
      basket(service, { items: [item] }),
    );
    await eventually('the artwork is being fetched', () =>
      service.stranger.hits.some((hit) => hit.path === '/held.png'),
    );
    await suspendAccount(service.ctx, AT_THE_COMMAND_LINE, customer.accountId, 'unpaid');
    release();
    const placed = await placing;
    const [written] = await rows<{ orders: number; charged: number | null }>(
      service,
      `select (select count(*) from orders where account_id = $1) as orders,
         (select 100000 - balance_pence from account_balance where account_id = $1) as charged`,
      [customer.accountId],
    );
    const whole = { orders: 1, charged: Math.round((placed.body.charged?.total ?? 0) * 100) };
    assert.deepEqual(written, placed.status === 201 ? whole : { orders: 0, charged: 0 });
    assert.ok([201, 401, 403].includes(placed.status), placed.text);
    await eventually('it is nobody', async () => (await statusWith(service, customer.token)) === 401, 3_000);
  });

  test('places nothing more, and nothing is charged or written', async () => {
    const customer = await service.openCustomer({ balancePence: 100_000 });
    const productId = await productOf(customer.accountId);
    await suspendAccount(service.ctx, AT_THE_COMMAND_LINE, customer.accountId, 'unpaid');
    const before = await everythingWritten(service);
    const items = [teeItem(service, { product_id: productId, print_jobs: [] })];
    const answer = await customer.request('POST', '/orders', basket(service, { items }));
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized']);
    assert.deepEqual(await everythingWritten(service), before);
  });
});
