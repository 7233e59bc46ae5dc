import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { linesOf } from '../../../harness/floor.ts';
import { readBarcodes } from '../../../harness/pdf.ts';
import { closePapers, openPapers, paperOf, service, shop, textOf } from '../papers.ts';

before(openPapers);
after(closePapers);

describe('the job sheet', () => {
  test('has a card for each line that is to be made, whose barcode scans back to it, and the notes for the shop', async () => {
    const order = await shop.place([7, 2, 1], { notes: 'Fold twice.\n二つ折り' });
    const lines = linesOf(order);
    const hold = await shop.operator.request('POST', `/orders/${order.id}/hold`, { reason: 'wrong blanks' });
    assert.equal(hold.status, 200, hold.text);
    const cancelled = await shop.operator.request('POST', `/orders/${order.id}/cancel`, {
      reason: 'changed mind',
      items: [
        { line_id: lines[0], quantity: 3 },
        { line_id: lines[1], quantity: 2 },
      ],
    });
    assert.equal(cancelled.status, 200, cancelled.text);
    const { pages } = await paperOf(order, 'job-sheet');
    const scanned = pages.flatMap(readBarcodes).map(({ text }) => text);
    assert.deepEqual(scanned, [order.reference, lines[0], lines[2]]);
    const text = textOf(pages);
    for (const part of [
      'Make 4',
      '7 ordered, 3 cancelled',
      'Make 1',
      'Fold twice.',
      '二つ折り',
      'wrong blanks',
      'Blank',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
  });

  test('the card of a paused line says why, until it is resumed', async () => {
    const order = await shop.placeStarted([2, 3]);
    const at = `/orders/${order.id}/lines/${linesOf(order)[1]}`;
    const text = async () => textOf((await paperOf(order, 'job-sheet')).pages);
    const paused = await shop.operator.request('POST', `${at}/pause`, {
      reason: 'The thread is late.',
      code: 'thread',
    });
    assert.equal(paused.status, 200, paused.text);
    assert.match(await text(), /Make 3[\s\S]*Paused, thread: The thread is late\./);
    assert.equal((await shop.operator.request('POST', `${at}/resume`)).status, 200);
    assert.doesNotMatch(await text(), /Paused/);
  });

  test('an order of 1,000 lines is printed whole, a barcode for each, while others are served', async () => {
    const order = await shop.place(Array.from({ length: 1_000 }, () => 1));
    const started = performance.now();
    let longest = 0;
    const printing = { done: false };
    const watching = (async () => {
      while (!printing.done) {
        const at = performance.now();
        assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
        longest = Math.max(longest, performance.now() - at);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    const { pages } = await paperOf(order, 'job-sheet');
    printing.done = true;
    await watching;
    const tookMs = performance.now() - started;
    assert.ok(longest < tookMs / 2, `${longest} of ${tookMs} ms for a look at the health`);
    const scanned = pages.flatMap(readBarcodes).map(({ text }) => text);
    assert.deepEqual(scanned.slice(1), linesOf(order));
  });
});
