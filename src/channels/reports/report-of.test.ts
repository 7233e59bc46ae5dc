import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Uuid } from '../../lib/ids.ts';
import { cancelledOf, reportOf } from './report-of.ts';
import type { KnownToShop, OrderToReport } from './report-sql.ts';

const digest = (text: string): Buffer => Buffer.from(text);
const line = (id: string) => id as Uuid;

/** Three pieces of an item of the shop, of which so many are cancelled. */
const order = (cancelled: number, changes: Partial<OrderToReport> = {}): OrderToReport => ({
  ...{ number: '#1', id: '1', base_items: null, others_go_on: false, others_are_open: false, others: [] },
  items: [{ id: '11', key: 'sku A', title: 'Tee', quantity: 3, line: 0 }],
  ...{
    ordered_at: new Date(0),
    is_cancelled_there: false,
    is_changing: false,
    reference: 'PF-1',
    state: 'placed',
    parcels: [],
  },
  lines: [{ id: line('a'), left: 3 - cancelled, shipped: 0, cancelled }],
  ...changes,
});

const after = (of: OrderToReport, known: KnownToShop, isRefunding: boolean): KnownToShop | undefined =>
  reportOf(of, known, { everyDigest: [digest], isRefunding })?.after;

test('money is given back for what is cancelled while the rule is on, and for nothing else', () => {
  const cases: [string, OrderToReport, KnownToShop, boolean, object | undefined][] = [
    ['the rule is off', order(1), {}, false, {}],
    ['the rule is on', order(1), {}, true, { '11': 1 }],
    ['it was cancelled before', order(1), { pieces: { '11': 1 } }, true, undefined],
    ['one more is cancelled', order(2), { pieces: { '11': 1 } }, true, { '11': 1 }],
    [
      'one more, after the first was given back',
      order(2),
      { pieces: { '11': 1 }, toRefund: { '11': 1 }, refunded: { '11': 1 } },
      true,
      { '11': 2 },
    ],
    ['what is open goes on', order(1), { pieces: { '11': 1 }, toRefund: { '11': 1 } }, true, { '11': 1 }],
    ['what is open is given up', order(1), { pieces: { '11': 1 }, toRefund: { '11': 1 } }, false, {}],
    [
      'an end of it is not known',
      order(2),
      { pieces: { '11': 1 }, toRefund: { '11': 1 }, begunAt: 'then' },
      false,
      { '11': 1 },
    ],
    ['the shop has cancelled it', order(3, { is_cancelled_there: true }), {}, true, {}],
  ];
  for (const [what, of, known, isOn, toRefund] of cases) {
    assert.deepEqual(after(of, known, isOn)?.toRefund, toRefund, what);
  }
});

test('an order is all ours unless a line, or what a person has declined of an addition, is of others', () => {
  const sent = [{ id: line('a'), left: 0, shipped: 3, cancelled: 0 }];
  const declined = [{ id: '12', key: 'sku B', title: 'Mug', quantity: 1 }];
  const added = { items: declined, is_open: false, is_taken_back: false, made: null, shipped: null };
  const isAllOurs = (others: OrderToReport['others']): boolean | undefined =>
    reportOf(order(0, { lines: sent, others }), {}, { everyDigest: [digest], isRefunding: false })?.report.isAllOurs;
  assert.equal(isAllOurs([]), true);
  assert.equal(isAllOurs([added]), false);
  assert.equal(isAllOurs([{ ...added, is_taken_back: true }]), true);
  assert.equal(isAllOurs([{ ...added, items: declined.map((item) => ({ ...item, quantity: 0 })) }]), true);
});

test('pieces of an addition are made, too, unless it was declined', () => {
  const added = (changes: Partial<OrderToReport['others'][number]>): OrderToReport =>
    order(1, {
      others: [
        {
          items: [{ id: '11', key: 'sku A', title: 'Tee', quantity: 4, line: 0 }],
          is_open: false,
          is_taken_back: false,
          made: null,
          shipped: null,
          ...changes,
        },
      ],
    });
  const madeOf = (of: OrderToReport): number | undefined => cancelledOf(of)[0]?.made;
  assert.equal(madeOf(order(1)), 2);
  assert.equal(madeOf(added({ is_open: true })), 6, 'it may be placed yet');
  assert.equal(madeOf(added({ made: [3] })), 5, 'it is placed, and one of it is cancelled');
  assert.equal(madeOf(added({})), 2, 'it was declined');
});
