import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Cancellation } from '../../src/refunds/schema.ts';
import {
  type Answer,
  type ErrorReply,
  type OperatorClient,
  startTestService,
  type TestService,
} from '../harness/service.ts';
import { newReference, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, type Books, booksOf, rows } from '../harness/written.ts';

// The loser of a deadlock or of a serialisation is run again: at most three times, and then whoever asked is told to
// come back. A sequence counts the losses, since it alone remembers what was undone.

let service: TestService;
let operator: OperatorClient;
let shop: Shop;

before(async () => {
  service = await startTestService();
  operator = await service.openOperator();
  shop = await openShop(service, 60);
  await service.ctx.database.script(`
    create sequence losses;
    create table losing (attempts integer not null, state text not null);
    create function lose() returns trigger language plpgsql as $$
    declare rule record;
    begin
      select * into rule from losing;
      if found and nextval('losses') <= rule.attempts then
        raise exception using errcode = rule.state;
      end if;
      return new;
    end $$;
    create trigger lose before insert on posting for each row execute function lose();
  `);
});
after(() => service.stop());

/** From now on the next so many attempts to write a posting lose in this way. */
async function letLose(attempts: number, state: string): Promise<void> {
  await service.ctx.database.script(
    `delete from losing; alter sequence losses restart; insert into losing values (${attempts}, '${state}')`,
  );
}

/** Nobody loses any more. Returns how many attempts there were that met the first posting. */
async function letWin(): Promise<number> {
  const [row] = await rows<{ tries: number }>(service, 'select last_value as tries from losses');
  await service.ctx.database.script('delete from losing');
  return row?.tries ?? Number.NaN;
}

const KINDS = [
  ['deadlock', '40P01'],
  ['serialisation failure', '40001'],
] as const;

const EVERY = 1_000_000;

function assertComeBack(answer: Answer<Pick<ErrorReply, 'code'>>): void {
  assert.deepEqual([answer.status, answer.body.code], [503, 'unavailable'], answer.text);
  assert.ok(answer.headers.get('retry-after'));
}

function difference(after: Books, before: Books): Partial<Books> {
  return {
    orders: after.orders - before.orders,
    charges: after.charges - before.charges,
    charged_pence: after.charged_pence - before.charged_pence,
    balance_pence: after.balance_pence - before.balance_pence,
  };
}

const NOTHING = { orders: 0, charges: 0, charged_pence: 0, balance_pence: 0 };

for (const [what, state] of KINDS) {
  describe(`N204 a ${what}`, () => {
    test(`N204 a ${what} of an order, twice: the third attempt places it, charged once`, async () => {
      const before = await booksOf(service, shop.customer);
      await letLose(2, state);
      const placed = await shop.order({ external_reference: newReference() });
      await letWin();
      assert.equal(placed.status, 201, placed.text);
      assert.deepEqual(difference(await booksOf(service, shop.customer), before), {
        orders: 1,
        charges: 1,
        charged_pence: shop.totalPence,
        balance_pence: -shop.totalPence,
      });
      await assertSound(service);
    });

    test(`N204 a ${what} of an order without end: 503 after three attempts, no order, no charge, and its reference is free`, async () => {
      const before = await booksOf(service, shop.customer);
      const external_reference = newReference();
      await letLose(EVERY, state);
      assertComeBack(await shop.order({ external_reference }));
      assert.equal(await letWin(), 3);
      assert.deepEqual(difference(await booksOf(service, shop.customer), before), NOTHING);
      assert.equal((await shop.order({ external_reference })).status, 201);
      await assertSound(service);
    });

    test(`N204 a ${what} of a cancel, twice: the third attempt cancels it, refunded once`, async () => {
      const placed = await shop.order();
      const before = await booksOf(service, shop.customer);
      await letLose(2, state);
      const answer = await shop.customer.request<Cancellation>('POST', `/orders/${placed.body.id}/cancel`);
      await letWin();
      assert.deepEqual([answer.status, answer.body.refunded_gbp], [200, shop.totalPence / 100], answer.text);
      const { balance_pence } = difference(await booksOf(service, shop.customer), before);
      assert.equal(balance_pence, shop.totalPence);
      await assertSound(service);
    });

    test(`N204 a ${what} of a cancel without end: 503, the order as it was, and the repeat refunds once`, async () => {
      const placed = await shop.order();
      const before = await booksOf(service, shop.customer);
      await letLose(EVERY, state);
      const path = `/orders/${placed.body.id}/cancel`;
      assertComeBack(await shop.customer.request('POST', path));
      assert.equal(await letWin(), 3);
      assert.deepEqual(difference(await booksOf(service, shop.customer), before), NOTHING);
      assert.equal((await shop.customer.request('POST', path)).status, 200);
      assert.equal((await booksOf(service, shop.customer)).balance_pence - before.balance_pence, shop.totalPence);
      await assertSound(service);
    });

    test(`N204 a ${what} of an operator's refund without end: 503, and the repeat with its key refunds once`, async () => {
      const placed = await shop.order();
      const before = await booksOf(service, shop.customer);
      const key = { 'idempotency-key': randomUUID() };
      const body = { amount_gbp: 1.5, reason: 'late' };
      const path = `/orders/${placed.body.id}/refunds`;
      await letLose(EVERY, state);
      assertComeBack(await operator.request('POST', path, body, key));
      assert.equal(await letWin(), 3);
      assert.deepEqual(difference(await booksOf(service, shop.customer), before), NOTHING);
      assert.equal((await operator.request('POST', path, body, key)).status, 200);
      assert.equal((await booksOf(service, shop.customer)).balance_pence - before.balance_pence, 150);
      await assertSound(service);
    });
  });
}
