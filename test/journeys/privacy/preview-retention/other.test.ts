import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { reportDay, sweepNow } from '../../../../src/privacy/retention/sweep.ts';
import { openFloor, placeOrder } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { createBrand } from '../../brands/brands.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const ACCOUNT = '(select id from account order by id limit 1)';
const OPERATOR = '(select id from operator order by id limit 1)';

/** What ends by a time of its own: a row that was written then, and how many there are. */
const ENDING: readonly (readonly [what: string, days: number, insert: string, find: string])[] = [
  [
    'a job that was given up',
    30,
    `insert into job (id, kind, key, payload, run_at, failed_at, created_at) values (gen_random_uuid(), 'test', 'old', '{}', $1, $1, $1)`,
    `select from job where key = 'old'`,
  ],
  [
    'a closed task',
    730,
    `insert into ops_task (id, account_id, kind, note, opened_at, closed_at) values (gen_random_uuid(), ${ACCOUNT}, 'test', 'old', $1, $1)`,
    `select from ops_task where note = 'old'`,
  ],
  [
    'a revoked token of an account',
    365,
    `insert into access_token (account_id, id, name, token_hash, scopes, created_at, revoked_at)
     values (${ACCOUNT}, gen_random_uuid(), 'old', '\\x01', '{}', $1, $1)`,
    `select from access_token where name = 'old'`,
  ],
  [
    'a revoked token of an operator',
    365,
    `insert into operator_token (id, operator_id, token_hash, created_at, revoked_at) values (gen_random_uuid(), ${OPERATOR}, '\\x01', $1, $1)`,
    `select from operator_token where token_hash = '\\x01'`,
  ],
  [
    'a code that has expired',
    1,
    `insert into oauth_record (key_hash, kind, sealed, created_at, expires_at) values ('\\x01', 'interaction', '\\x01', $1, $1)`,
    `select from oauth_record where key_hash = '\\x01'`,
  ],
  [
    'a window of attempts to sign in',
    1,
    `insert into sign_in_attempt (subject, attempts, ends_at) values ('old', 1, $1)`,
    `select from sign_in_attempt where subject = 'old'`,
  ],
];

describe('what ends by a time of its own', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
    await openFloor(service);
  });
  after(() => service.stop());

  for (const [what, days, insert, find] of ENDING) {
    test(`${what} is there just before ${days} days, and gone just after`, async () => {
      await rows(service, insert, [service.ctx.clock.now()]);
      service.shiftMs(days * DAY_MS - MINUTE_MS);
      await sweepNow(service.ctx);
      assert.equal((await rows(service, find)).length, 1);
      service.shiftMs(2 * MINUTE_MS);
      await sweepNow(service.ctx);
      assert.equal((await rows(service, find)).length, 0);
    });
  }

  test('what is open, valid or waiting stays for any time', async () => {
    const now = [service.ctx.clock.now()];
    await rows(
      service,
      `insert into ops_task (id, account_id, kind, note, opened_at) values (gen_random_uuid(), ${ACCOUNT}, 'test', 'open', $1)`,
      now,
    );
    await rows(
      service,
      `insert into job (id, kind, key, payload, run_at, created_at) values (gen_random_uuid(), 'test', 'waits', '{}', $1, $1)`,
      now,
    );
    const before = await rows<{ n: number }>(
      service,
      'select count(*) as n from access_token where revoked_at is null',
    );
    const books = await rows(service, 'select * from posting order by id');
    const movements = await rows(service, 'select * from stock_movement order by id');
    service.shiftMs(20_000 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await rows(service, `select from ops_task where note = 'open'`)).length, 1);
    assert.equal((await rows(service, `select from job where key = 'waits'`)).length, 1);
    assert.deepEqual(await rows(service, 'select count(*) as n from access_token where revoked_at is null'), before);
    assert.deepEqual(await rows(service, 'select * from posting order by id'), books);
    assert.deepEqual(await rows(service, 'select * from stock_movement order by id'), movements);
    await rows(service, `delete from job where key = 'waits'`);
  });

  test('the audit log is there just before seven years, and gone just after; verify asks for no more', async () => {
    const floor = await openFloor(service);
    const order = await placeOrder(service);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'test' });
    const held = () => rows(service, `select from operator_action where action = 'hold'`);
    service.shiftMs(2_557 * DAY_MS - MINUTE_MS);
    await sweepNow(service.ctx);
    assert.equal((await held()).length, 1);
    service.shiftMs(12 * MINUTE_MS);
    await sweepNow(service.ctx);
    assert.equal((await held()).length, 0);
    await assertSound(service);
  });

  test('a setting of 0 keeps what the law allows to be kept', async () => {
    await rows(
      service,
      `insert into job (id, kind, key, payload, run_at, failed_at, created_at) values (gen_random_uuid(), 'test', 'kept', '{}', $1, $1, $1)`,
      [service.ctx.clock.now()],
    );
    service.shiftMs(10_000 * DAY_MS);
    await sweepNow({ ...service.ctx, config: { ...service.ctx.config, keepFailedJobsDays: 0 } });
    assert.equal((await rows(service, `select from job where key = 'kept'`)).length, 1);
    await sweepNow(service.ctx);
    assert.equal((await rows(service, `select from job where key = 'kept'`)).length, 0);
  });

  test('one line a day over all nodes says what went', async () => {
    const lines: object[] = [];
    const log = { ...service.ctx.log, info: (fields: object) => void lines.push(fields) };
    await reportDay({ ...service.ctx, log });
    lines.length = 0;
    await placeOrder(service);
    service.shiftMs(31 * DAY_MS);
    const { size } = await sweepNow(service.ctx);
    assert.ok(size > 5);
    await Promise.all([reportDay({ ...service.ctx, log }), reportDay({ ...service.ctx, log })]);
    assert.equal(lines.length, 1);
    assert.ok(((lines[0] as { dropped: { events: number } }).dropped.events ?? 0) >= 1);
    await reportDay({ ...service.ctx, log });
    assert.equal(lines.length, 1, 'not before a day has passed');
  });
});

describe('brands', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ role: 'api' });
  });
  after(() => service.stop());

  const left = () =>
    rows<{ name: string; message: string }>(
      service,
      'select r.name, r.message from brand_revision r join brand b on b.id = r.brand_id order by r.name, r.message',
    );

  test('what a brand showed before, and a brand that was archived, go after a day, unless an order has them', async () => {
    const { customer } = service;
    const make = async (name: string): Promise<string> => (await createBrand(customer, { name, message: 'first' })).id;
    const [kept, ordered, gone, goneOrdered] = [await make('a'), await make('b'), await make('c'), await make('d')];
    await placeOrder(service, { brand: ordered });
    await placeOrder(service, { brand: goneOrdered });
    for (const id of [kept, ordered]) await customer.request('PATCH', `/brands/${id}`, { message: 'second' });
    for (const id of [gone, goneOrdered]) await customer.request('DELETE', `/brands/${id}`);
    service.shiftMs(DAY_MS - MINUTE_MS);
    await sweepNow(service.ctx);
    assert.equal((await left()).length, 6);
    service.shiftMs(2 * MINUTE_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(
      (await left()).map(({ name, message }) => `${name} ${message}`),
      ['a second', 'b first', 'b second', 'd first'],
    );
    assert.equal((await customer.request('GET', `/brands/${gone}`)).status, 404);
    assert.equal((await customer.request('GET', `/brands/${goneOrdered}`)).status, 200);
    await assertSound(service);
  });
});
