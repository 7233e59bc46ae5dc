import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseMistyped } from '../../../src/bin/commands.ts';
import { UsageError } from '../../../src/bin/report.ts';
import { pence } from '../../../src/lib/money.ts';

const config = { topUpMaxGbp: 10_000 };
const AT_A_TERMINAL = true;

test('a top-up that is typed with two zeros too many is refused, with how to enter it if it is right', () => {
  assert.throws(
    () => refuseMistyped(config, pence(5_000_000), {}, AT_A_TERMINAL),
    (error) =>
      error instanceof UsageError &&
      /£50,000\.00 is above £10,000\.00.*TOP_UP_MAX_GBP.*--above-limit/.test(error.message),
  );
});

test('what is at the limit, confirmed, sent by a script or without a limit is entered', () => {
  refuseMistyped(config, pence(1_000_000), {}, AT_A_TERMINAL);
  refuseMistyped(config, pence(5_000_000), { aboveLimit: true }, AT_A_TERMINAL);
  refuseMistyped(config, pence(5_000_000), {}, false);
  refuseMistyped({ topUpMaxGbp: 0 }, pence(5_000_000), {}, AT_A_TERMINAL);
});
