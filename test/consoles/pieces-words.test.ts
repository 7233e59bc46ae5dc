import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { piecesWords } from '../../consoles/portal/order/pieces-words.ts';

const line = (qty: number, shipped: number, cancelled: number) => ({
  qty,
  qty_shipped: shipped,
  qty_cancelled: cancelled,
});

describe('how many pieces are sent and cancelled', () => {
  const cases: readonly (readonly [
    title: string,
    lines: readonly ReturnType<typeof line>[],
    words: string | undefined,
  ])[] = [
    ['nothing yet is said by the status', [line(5, 0, 0)], undefined],
    ['all sent is said by the status', [line(5, 5, 0), line(1, 1, 0)], undefined],
    ['all cancelled is said by the status', [line(5, 0, 5)], undefined],
    ['a part that is sent', [line(5, 3, 0)], '3 of 5 pieces sent'],
    ['a part that is cancelled before anything is sent', [line(5, 0, 1)], '0 of 5 pieces sent, 1 cancelled'],
    ['both, over all lines', [line(3, 3, 0), line(2, 0, 1)], '3 of 5 pieces sent, 1 cancelled'],
    ['all that was left is sent', [line(5, 4, 1)], '4 of 5 pieces sent, 1 cancelled'],
  ];
  for (const [title, lines, words] of cases) test(title, () => assert.equal(piecesWords(lines), words));
});
