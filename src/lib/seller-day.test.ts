import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dayAfter, parseDay, parseTimeZone, type SellerDays, sellerDay, sellerDayBounds } from './seller-day.ts';

const HOUR_MS = 3_600_000;
const at = (iso: string): Date => new Date(iso);
const london: SellerDays = { timeZone: 'Europe/London', from: at('2026-01-10T00:00:00.000Z') };

describe('the day of an instant', () => {
  const cases: readonly (readonly [days: SellerDays, instant: string, day: string])[] = [
    [london, '2026-01-09T23:59:59.999Z', '2026-01-09'],
    [london, '2026-01-10T00:00:00.000Z', '2026-01-10'],
    [london, '2026-03-29T00:59:59.999Z', '2026-03-29'],
    [london, '2026-03-29T22:59:59.999Z', '2026-03-29'],
    [london, '2026-03-29T23:00:00.000Z', '2026-03-30'],
    [london, '2026-06-30T22:59:59.999Z', '2026-06-30'],
    [london, '2026-06-30T23:00:00.000Z', '2026-07-01'],
    [london, '2026-10-24T23:00:00.000Z', '2026-10-25'],
    [london, '2026-10-25T23:59:59.999Z', '2026-10-25'],
    [london, '2026-10-26T00:00:00.000Z', '2026-10-26'],
    // Days were those of UTC before, in summer too.
    [{ ...london, from: at('2026-07-01T00:00:00.000Z') }, '2026-06-30T23:30:00.000Z', '2026-06-30'],
    [{ ...london, from: at('2026-07-01T00:00:00.000Z') }, '2026-07-01T22:59:59.999Z', '2026-07-01'],
    [{ ...london, from: at('2026-07-01T00:00:00.000Z') }, '2026-07-01T23:00:00.000Z', '2026-07-02'],
    // West of Greenwich it is still the day before, which UTC has closed.
    [{ timeZone: 'America/New_York', from: at('2026-07-01T00:00:00.000Z') }, '2026-07-01T00:00:00.000Z', '2026-07-01'],
    [{ timeZone: 'America/New_York', from: at('2026-07-01T00:00:00.000Z') }, '2026-07-02T03:59:59.999Z', '2026-07-01'],
    [{ timeZone: 'America/New_York', from: at('2026-07-01T00:00:00.000Z') }, '2026-07-02T04:00:00.000Z', '2026-07-02'],
  ];
  for (const [days, instant, day] of cases) {
    test(`${instant} is on ${day} in ${days.timeZone}, which counts from ${days.from.toISOString()}`, () => {
      assert.equal(sellerDay(days, at(instant)), day);
    });
  }
});

describe('when a day begins and ends', () => {
  const inSummer = at('2026-07-01T00:00:00.000Z');
  const cases: readonly (readonly [days: SellerDays, day: string, from: string, until: string, hours: number])[] = [
    [london, '2026-01-09', '2026-01-09T00:00:00.000Z', '2026-01-10T00:00:00.000Z', 24],
    [london, '2026-01-10', '2026-01-10T00:00:00.000Z', '2026-01-11T00:00:00.000Z', 24],
    [london, '2026-03-29', '2026-03-29T00:00:00.000Z', '2026-03-29T23:00:00.000Z', 23],
    [london, '2026-03-30', '2026-03-29T23:00:00.000Z', '2026-03-30T23:00:00.000Z', 24],
    [london, '2026-10-25', '2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z', 25],
    [london, '2027-03-28', '2027-03-28T00:00:00.000Z', '2027-03-28T23:00:00.000Z', 23],
    // The day of the change itself: the hour before its midnight in London belongs to the closed day of UTC.
    [{ ...london, from: inSummer }, '2026-06-30', '2026-06-30T00:00:00.000Z', '2026-07-01T00:00:00.000Z', 24],
    [{ ...london, from: inSummer }, '2026-07-01', '2026-07-01T00:00:00.000Z', '2026-07-01T23:00:00.000Z', 23],
    [
      { timeZone: 'America/New_York', from: inSummer },
      '2026-07-01',
      '2026-07-01T00:00:00.000Z',
      '2026-07-02T04:00:00.000Z',
      28,
    ],
    // The clocks go forward at midnight: the day begins at one o'clock.
    [
      { timeZone: 'Africa/Cairo', from: inSummer },
      '2027-04-30',
      '2027-04-29T22:00:00.000Z',
      '2027-04-30T21:00:00.000Z',
      23,
    ],
    [
      { timeZone: 'Asia/Kathmandu', from: inSummer },
      '2026-12-01',
      '2026-11-30T18:15:00.000Z',
      '2026-12-01T18:15:00.000Z',
      24,
    ],
  ];
  for (const [days, day, from, until, hours] of cases) {
    test(`${day} in ${days.timeZone} has ${hours} hours`, () => {
      assert.deepEqual(sellerDayBounds(days, day), { from: at(from), until: at(until) });
      assert.equal((Date.parse(until) - Date.parse(from)) / HOUR_MS, hours);
    });
  }
});

describe('days of any time zone and any change', () => {
  const anyDays = fc.record({
    timeZone: fc.constantFrom(
      'Europe/London',
      'UTC',
      'America/New_York',
      'Pacific/Kiritimati',
      'Pacific/Pago_Pago',
      'Asia/Kolkata',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Pacific/Chatham',
    ),
    from: fc.integer({ min: 20_000, max: 21_500 }).map((day) => new Date(day * 24 * HOUR_MS)),
  });
  const aroundTheChange = fc.integer({ min: -400 * 24 * HOUR_MS, max: 800 * 24 * HOUR_MS });

  test('an instant lies in its day, and each day begins where the one before ends', () => {
    fc.assert(
      fc.property(anyDays, aroundTheChange, (days, offsetMs) => {
        const instant = new Date(days.from.getTime() + offsetMs);
        const day = sellerDay(days, instant);
        const { from, until } = sellerDayBounds(days, day);
        assert.ok(from <= instant && instant < until, `${instant.toISOString()} in ${day}`);
        assert.deepEqual(sellerDayBounds(days, dayAfter(day)).from, until);
        assert.equal(sellerDay(days, from), day);
        assert.equal(sellerDay(days, new Date(until.getTime() - 1)), day);
        assert.ok(sellerDay(days, until) > day);
      }),
      { numRuns: 500 },
    );
  });

  test('a later instant is never on an earlier day', () => {
    fc.assert(
      fc.property(anyDays, aroundTheChange, fc.integer({ min: 1, max: 40 * HOUR_MS }), (days, offsetMs, laterMs) => {
        const instant = new Date(days.from.getTime() + offsetMs);
        assert.ok(sellerDay(days, instant) <= sellerDay(days, new Date(instant.getTime() + laterMs)));
      }),
      { numRuns: 500 },
    );
  });

  test('the change falls between two days', () => {
    fc.assert(
      fc.property(anyDays, (days) => {
        const day = sellerDay(days, days.from);
        assert.equal(day, days.from.toISOString().slice(0, 10));
        assert.deepEqual(sellerDayBounds(days, day).from, days.from);
      }),
    );
  });
});

describe('a day as text', () => {
  for (const day of ['0001-01-01', '1970-01-01', '2024-02-29', '2026-11-22', '9998-12-31']) {
    test(`${day} is one`, () => assert.equal(parseDay(day), day));
  }
  for (const text of [
    '',
    '2026-02-29',
    '2026-13-01',
    '2026-1-1',
    '2026-11-22T00:00:00.000Z',
    '0000-12-31',
    '9999-01-01',
  ]) {
    test(`"${text}" is none`, () => assert.equal(parseDay(text), undefined));
  }
  test('the day after the last of February is in March', () => {
    assert.equal(dayAfter('2026-02-28'), '2026-03-01');
    assert.equal(dayAfter('2024-02-28'), '2024-02-29');
  });
});

describe('a time zone as text', () => {
  for (const [text, name] of [
    ['Europe/London', 'Europe/London'],
    ['europe/london', 'Europe/London'],
    ['utc', 'UTC'],
  ] as const) {
    test(`${text} is ${name}`, () => assert.equal(parseTimeZone(text), name));
  }
  for (const text of ['', 'London', 'Europe/Atlantis', '+01:00', 'Europe/London ', '01:00']) {
    test(`"${text}" is none`, () => assert.equal(parseTimeZone(text), undefined));
  }
});
