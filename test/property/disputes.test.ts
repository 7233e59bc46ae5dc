import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { newId, publicId, type Uuid } from '../../src/lib/ids.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { callBack, openCardShop, placeCharged } from '../harness/card-shop.ts';
import { disputeOf, type FakeIntent, movedBy } from '../harness/provider.ts';
import type { Shop } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';
import { attemptOf, closeTill, finance, kindsOf, openTill, till } from '../journeys/payments/disputed.ts';
import { SEED } from './settings.ts';

// Whatever a provider does with a payment by its disputes, in whatever order and however often it reports that, and
// whatever happens to the order and the account meanwhile: in the end the books say what the provider has.
//   PLATEN_PROPERTY_SEED=…       does the same again
//   PLATEN_PROPERTY_PAYMENTS=…   so many payments in place of 25; PLATEN_NIGHTLY=1 takes 1,000

const PAYMENTS = Number(process.env.PLATEN_PROPERTY_PAYMENTS ?? (process.env.PLATEN_NIGHTLY === '1' ? 1_000 : 25));

before(() => openTill());
after(() => closeTill());

type Step =
  | { readonly kind: 'take' | 'give' | 'close'; readonly dispute: number; readonly percent: number }
  | { readonly kind: 'report'; readonly pick: number }
  | { readonly kind: 'top up' | 'goodwill'; readonly pence: number }
  | { readonly kind: 'correct'; readonly place: number; readonly share: number }
  | { readonly kind: 'cancel' | 'collect' | 'pay out' | 'order' | 'settle' | 'fail' };

const dispute = fc.integer({ min: 0, max: 2 });
const percent = fc.constantFrom(1, 25, 50, 100, 100);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('take' as const), dispute, percent }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('give' as const), dispute, percent }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('close' as const), dispute, percent }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('report' as const), pick: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('top up' as const, 'goodwill' as const),
      pence: fc.integer({ min: 1, max: 900 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('collect' as const, 'pay out' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('correct' as const), place: fc.nat(), share: percent }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'order' as const, 'settle' as const) }),
  },
);
const history = fc.record({
  method: fc.constantFrom('card' as const, 'direct_debit' as const),
  balancePence: fc.constantFrom(0, 0, 300),
  steps: fc.array(step, { minLength: 4, maxLength: 16 }),
  fails: fc.boolean(),
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
});

type Report = { readonly type: string; readonly object: object };

/** The provider's side: what each dispute has moved, and every report that it has made of that. */
type Bank = { readonly moves: readonly number[][]; readonly reports: Report[]; readonly unsent: Set<Report> };

const netOf = (moves: readonly number[]): number => -moves.reduce((sum, move) => sum + move, 0);
const outOf = (bank: Bank): number => bank.moves.reduce((sum, moves) => sum + netOf(moves), 0);

/** Moves money of a dispute, or decides it, and makes the report that says so. */
function act(
  bank: Bank,
  intent: FakeIntent,
  { kind, dispute: index, percent: share }: Extract<Step, { dispute: number }>,
): void {
  const moves = bank.moves[index];
  assert.ok(moves);
  const most = kind === 'take' ? intent.amount - outOf(bank) : netOf(moves);
  const pence = Math.ceil((most * share) / 100);
  if (kind === 'close' ? moves.length === 0 : pence === 0) return;
  if (kind !== 'close') moves.push(kind === 'take' ? -pence : pence);
  const status = kind === 'take' ? 'needs_response' : netOf(moves) === 0 ? 'won' : 'lost';
  const event = { take: 'funds_withdrawn', give: 'funds_reinstated', close: 'closed' }[kind];
  const report = {
    type: `charge.dispute.${event}`,
    object: disputeOf(intent, { id: `dp_${index}`, status, ...movedBy(...moves) }),
  };
  bank.reports.push(report);
  bank.unsent.add(report);
}

async function send(bank: Bank, report: Report | undefined): Promise<void> {
  if (report === undefined) return;
  bank.unsent.delete(report);
  await callBack(till, report.type, report.object);
}

type Payment = { readonly shop: Shop; readonly order: CreatedOrder; readonly intent: FakeIntent };

/** What a customer or an operator does meanwhile. Whether it is refused is for other tests; it never fails. */
async function meanwhile(
  { shop, order }: Payment,
  what: Exclude<Step, { dispute: number } | { pick: number }>,
): Promise<void> {
  const { id } = await attemptOf(order);
  const at = `/orders/${order.id}`;
  const post = async (path: string, body?: object): Promise<void> => {
    const { status, text } = await finance.request('POST', path, body, { 'idempotency-key': newId() });
    assert.ok(status < 500, `${path}: ${text}`);
  };
  if (what.kind === 'top up') {
    const account = publicId('acct', shop.customer.accountId);
    await post(`/accounts/${account}/credits`, { amount_gbp: what.pence / 100, reference: newId() });
  } else if (what.kind === 'goodwill') {
    await post(`${at}/refunds`, { amount_gbp: what.pence / 100, reason: 'late' });
  } else if (what.kind === 'correct') {
    const collections = await collectionsOf(order);
    const posting = collections[what.place % Math.max(1, collections.length)];
    if (posting === undefined) return;
    await post('/books/corrections', {
      posting_id: publicId('pst', posting.id),
      account_id: publicId('acct', shop.customer.accountId),
      amount_gbp: Math.ceil((posting.amount_pence * what.share) / 100) / 100,
      reason: 'not for this order',
      shortfall: what.place % 2 === 0 ? 'refuse' : 'receivable',
    });
  } else if (what.kind === 'collect') await post(`${at}/payments/${id}/recovered`);
  else if (what.kind === 'pay out') await post(`${at}/refunds/${id}/paid`);
  else if (what.kind === 'settle') await post(`${at}/settle`);
  else if (what.kind === 'cancel') {
    const { status, text } = await shop.customer.request('POST', `${at}/cancel`);
    assert.ok(status < 500, text);
  } else if (what.kind === 'order') {
    // It waits for a top-up.
    till.provider.decide('decline');
    assert.equal((await shop.order()).status, 201);
    till.provider.decide('accept');
  }
}

/** The postings by which an order was collected by bank, the corrections of them, and the corrections of those. */
async function collectionsOf(order: CreatedOrder): Promise<readonly { id: Uuid; amount_pence: number }[]> {
  return rows(
    till.service,
    `with recursive chain as (
       select p.account_id, p.id, p.amount_pence from posting p join orders o on o.account_id = p.account_id and o.id = p.order_id
       where o.reference = $1 and p.kind = 'charge_recovered' and p.debit_account = 'bank'
       union all
       select p.account_id, p.id, p.amount_pence from chain c
       join posting p on p.account_id = c.account_id and p.corrects_id = c.id
     )
     select id, amount_pence from chain order by id`,
    [order.reference],
  );
}

type Sums = { clearing: number; receivable: number; owed: number; collected: number; credited: number };

/** What the postings of an order come to. */
async function sumsOf(order: CreatedOrder): Promise<Sums> {
  const [sums] = await rows<Sums>(
    till.service,
    `select
       coalesce(sum(case when p.debit_account like '%_clearing' then p.amount_pence else 0 end)
         - sum(case when p.credit_account like '%_clearing' then p.amount_pence else 0 end), 0)::bigint as clearing,
       coalesce(sum(case 'receivables' when p.debit_account then p.amount_pence when p.credit_account then -p.amount_pence end), 0)::bigint
         as receivable,
       coalesce(sum(case 'manual_refunds_owed' when p.credit_account then p.amount_pence when p.debit_account then -p.amount_pence end), 0)::bigint
         as owed,
       -- What corrections took back of either counts with them, also where a balance did not cover it.
       coalesce(sum(case 'bank' when p.debit_account then p.amount_pence when p.credit_account then -p.amount_pence end)
         filter (where p.kind in ('charge_recovered', 'correction')), 0)::bigint as collected,
       coalesce(sum(p.amount_pence) filter (where p.debit_account like '%_clearing' and p.credit_account = 'customer_balance'), 0)::bigint
         + coalesce(sum(case 'bank' when p.debit_account then p.amount_pence when p.credit_account then -p.amount_pence end)
             filter (where p.kind = 'correction' and p.order_id is null), 0)::bigint as credited
     from posting p join orders o on o.account_id = p.account_id and (o.id = p.order_id or p.kind = 'correction')
     where o.reference = $1`,
    [order.reference],
  );
  assert.ok(sums);
  return sums;
}

test('D65 any reports of any disputes, in any order and any number of times: the books say what the provider has in the end', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ method, balancePence, steps, fails, order: picks }) => {
      till.provider.decide(method === 'card' ? 'accept' : 'process');
      const shop = await openCardShop(till, balancePence, method);
      const payment = { shop, ...(await placeCharged(till, shop)) };
      const { intent, order } = payment;
      const bank: Bank = { moves: [[], [], []], reports: [], unsent: new Set() };
      for (const one of steps) {
        if ('dispute' in one) act(bank, intent, one);
        else if ('pick' in one) await send(bank, bank.reports[one.pick % Math.max(1, bank.reports.length)]);
        else await meanwhile(payment, one);
      }
      const isFailed = fails && method === 'direct_debit';
      if (isFailed) {
        till.provider.turn(intent, 'requires_payment_method');
        await callBack(till, 'payment_intent.payment_failed', { id: intent.id });
      }
      for (const pick of picks) await send(bank, [...bank.unsent][pick % Math.max(1, bank.unsent.size)]);
      for (const report of bank.unsent) await send(bank, report);
      for (const pick of picks.slice(0, 3)) await send(bank, bank.reports[pick % Math.max(1, bank.reports.length)]);
      const sums = await sumsOf(order);
      assert.equal(sums.clearing, intent.amount - (isFailed ? intent.amount : outOf(bank)), 'what the provider has');
      assert.equal(Math.min(sums.receivable, sums.owed), 0, 'what is owed both ways is set off');
      assert.ok(sums.credited <= sums.collected, 'a customer gets no more than he has paid twice');
      const open = await kindsOf(order);
      assert.deepEqual(
        open.filter((kind) => kind.startsWith('dispute_')),
        [],
        'nothing is left to a person',
      );
      await assertSound(till.service);
    }),
    { numRuns: PAYMENTS, seed: SEED },
  );
});
