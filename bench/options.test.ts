import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseOptions } from './options.ts';

const NAMES = ['orders', 'read', 'install'];

describe('the arguments of npm run bench', () => {
  test('without any, everything is measured, five rounds of four seconds', () => {
    const expected = { only: [], seconds: 4, rounds: 5, install: false, plots: false, help: false };
    assert.deepEqual(parseOptions([], NAMES), expected);
  });

  test('measures are chosen by their names, with a length of a round', () => {
    const { only, seconds, rounds } = parseOptions(
      ['--only', 'orders, read', '--seconds', '0.5', '--rounds', '1'],
      NAMES,
    );
    assert.deepEqual({ only, seconds, rounds }, { only: ['orders', 'read'], seconds: 0.5, rounds: 1 });
  });

  const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
    [['--only', 'orders,reads'], /--only reads is not a measure; these are: orders, read, install/],
    [['--only', ''], /--only {2}is not a measure/],
    [['--only', 'read', '--plots'], /--plots .*leave out --only/],
    [['--seconds', '0'], /--seconds must be a number above 0 and at most 60, and is 0/],
    [['--seconds', '61'], /--seconds/],
    [['--seconds', 'soon'], /--seconds/],
    [['--rounds', '0'], /--rounds must be a whole number from 1 to 25, and is 0/],
    [['--rounds', '1.5'], /--rounds/],
    [['--rounds', '26'], /--rounds/],
    [['--fast'], /--fast/],
    [['orders'], /orders/],
  ];
  for (const [args, message] of wrong) {
    test(`${args.join(' ')} is refused with what would be right`, () => {
      assert.throws(() => parseOptions(args, NAMES), message);
    });
  }
});
