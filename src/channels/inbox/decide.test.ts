import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ShopOrder } from '../shop-order.ts';
import { type Decision, decide, type KnownItem } from './decide.ts';

const AT = new Date('2026-11-26T12:00:00.000Z');
const HOUR = 3_600_000;
const later = (ms: number): string => new Date(AT.getTime() + ms).toISOString();

const ORDER: ShopOrder = {
  id: '1',
  ordered_at: later(0),
  updated_at: later(0),
  shipping_address: {},
  items: [
    { id: 'a', sku: 'A', title: 'A', quantity: 1 },
    { id: 'b', sku: 'B', title: 'B', quantity: 1 },
  ],
};
const OURS: KnownItem = { kind: 'ours' };
const BLANK: KnownItem = { kind: 'ours', isBlank: true };
const ENTERED: KnownItem = { kind: 'ours', entries: ['Engrave'] };
const OTHERS: KnownItem = { kind: 'others' };
const MISSING: KnownItem = { kind: 'missing' };
const CHANNEL = {
  state: 'active',
  needs_approval: false,
  delay_minutes: 0,
  makes_blanks: false,
  since: new Date(AT.getTime() - HOUR),
} as const;

type By = Parameters<typeof decide>[1];
const decided = (order: Partial<ShopOrder>, by: Partial<By> = {}): Decision =>
  decide(
    { ...ORDER, ...order },
    { channel: CHANNEL, items: [OURS, OURS], isApproved: false, isSupplement: false, receivedAt: AT, now: AT, ...by },
  );
const reasonOf = (decision: Decision): string => (decision.kind === 'place' ? 'place' : decision.reason);

describe('what is done with an order of a shop', () => {
  const rows: readonly [string, Partial<ShopOrder>, Partial<By>, string][] = [
    ['an ordinary one', {}, {}, 'place'],
    ['a test', { test: true }, {}, 'test'],
    ['a test that a person has approved', { test: true }, { isApproved: true }, 'test'],
    ['one cancelled in the shop', { cancelled: true }, { isApproved: true }, 'cancelled_in_shop'],
    ['one of others alone', {}, { items: [OTHERS, OTHERS] }, 'nothing_ours'],
    ['one with entries for a product that takes none', {}, { items: [ENTERED, OURS] }, 'needs_personalisation'],
    ['the same, approved', {}, { items: [ENTERED, OURS], isApproved: true }, 'place'],
    [
      'the same of a shop whose orders are approved',
      {},
      { items: [ENTERED, OURS], channel: { ...CHANNEL, needs_approval: true } },
      'needs_personalisation',
    ],
    ['an addition', {}, { isSupplement: true }, 'supplement'],
    ['an addition that a person has approved', {}, { isSupplement: true, isApproved: true }, 'place'],
    ['an addition with an unknown item', {}, { isSupplement: true, items: [MISSING, OURS] }, 'needs_mapping'],
    ['one of others in part', {}, { items: [OTHERS, OURS] }, 'place'],
    ['one of a paused shop', {}, { channel: { ...CHANNEL, state: 'paused' } }, 'paused'],
    ['one that is not paid', { unpaid: true }, { isApproved: true }, 'unpaid'],
    ['one on hold', { on_hold: true }, { isApproved: true }, 'on_hold'],
    ['one of before the connection', { ordered_at: later(-2 * HOUR) }, {}, 'earlier'],
    ['the same, chosen by a person', { ordered_at: later(-2 * HOUR) }, { isApproved: true }, 'place'],
    ['one of the moment of the connection', { ordered_at: later(-HOUR) }, {}, 'place'],
    ['one of high risk', { high_risk: true }, {}, 'high_risk'],
    ['the same, approved', { high_risk: true }, { isApproved: true }, 'place'],
    ['one whose risk is not known yet', { risk_pending: true }, {}, 'risk_pending'],
    ['the same, approved', { risk_pending: true }, { isApproved: true }, 'place'],
    ['the same, half an hour later', { risk_pending: true }, { now: new Date(AT.getTime() + HOUR / 2) }, 'place'],
    ['one with a status of the shop’s own', { unknown_status: true }, {}, 'unknown_status'],
    ['the same, approved', { unknown_status: true }, { isApproved: true }, 'place'],
    ['the same, held', { unknown_status: true, on_hold: true }, { isApproved: true }, 'on_hold'],
    ['one for tomorrow', { scheduled_for: later(24 * HOUR) }, {}, 'scheduled'],
    ['the same, approved', { scheduled_for: later(24 * HOUR) }, { isApproved: true }, 'scheduled'],
    ['one for a day that has come', { scheduled_for: later(0) }, {}, 'place'],
    ['one with an unknown item', {}, { items: [OURS, MISSING] }, 'needs_mapping'],
    ['one of a product without artwork', {}, { items: [OURS, BLANK] }, 'needs_artwork'],
    ['the same, approved', {}, { items: [OURS, BLANK], isApproved: true }, 'place'],
    [
      'the same of a shop that sells blanks',
      {},
      { items: [BLANK], channel: { ...CHANNEL, makes_blanks: true } },
      'place',
    ],
    ['the same, approved', {}, { items: [OURS, MISSING], isApproved: true }, 'needs_mapping'],
    ['one of a shop with approval', {}, { channel: { ...CHANNEL, needs_approval: true } }, 'approval'],
    ['one of a shop with a delay', {}, { channel: { ...CHANNEL, delay_minutes: 5 } }, 'delayed'],
    [
      'the same, when it is over',
      {},
      { channel: { ...CHANNEL, delay_minutes: 5 }, now: new Date(AT.getTime() + 300_000) },
      'place',
    ],
  ];
  for (const [title, order, by, expected] of rows) {
    test(`${title}: ${expected}`, () => assert.equal(reasonOf(decided(order, by)), expected));
  }

  test('each unknown item is named once, by the name that its mapping has', () => {
    const twice = [ORDER.items[1], ORDER.items[1]].flatMap((item) => item ?? []);
    assert.deepEqual(decided({ items: twice }, { items: [MISSING, MISSING] }), {
      kind: 'wait',
      reason: 'needs_mapping',
      missing: ['sku B'],
    });
  });

  test('what waits for a time says when', () => {
    const until = new Date(AT.getTime() + 300_000);
    const decision = decided({}, { channel: { ...CHANNEL, delay_minutes: 5 } });
    assert.ok(decision.kind === 'wait');
    assert.deepEqual(decision.until, until);
  });
});
