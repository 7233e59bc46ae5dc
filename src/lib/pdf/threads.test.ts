import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { eventually } from '../../../test/harness/context.ts';
import { readPdf } from '../../../test/harness/pdf.ts';
import { ApiError } from '../errors.ts';
import type { Uuid } from '../ids.ts';
import { type Asker, OPERATORS } from '../turns/owner.ts';
import type { PdfDocument } from './document.ts';
import { openDrawingThreads } from './threads.ts';

const LONG_MS = 60_000;
const customer: Asker = { owner: 'account' as Uuid };
const operators: Asker = { owner: OPERATORS };
const slip = (text: string): PdfDocument => ({
  title: 'Slip',
  issuedAt: new Date('2026-11-22T14:30:05.678Z'),
  footer: 'foot',
  blocks: [{ kind: 'text', text }],
});
const broken = { ...slip('broken'), issuedAt: undefined as unknown as Date };
const textOf = (pdf: Buffer): string | undefined => readPdf(pdf)[0]?.texts.find((text) => text !== 'foot');

describe('threads that draw', () => {
  let started = 0;
  let running = 0;
  const onWorker = (worker: Worker): void => {
    started += 1;
    running += 1;
    worker.once('exit', () => {
      running -= 1;
    });
  };
  before(() => void process.on('worker', onWorker));
  after(() => void process.off('worker', onWorker));
  beforeEach(async () => {
    await eventually('threads of the test before end', () => running === 0);
    started = 0;
  });

  test('one draws the documents that follow each other, and each is what it is when drawn alone', async () => {
    const draw = openDrawingThreads<PdfDocument>({ idleMax: 2, idleMs: 100 });
    const alone = await openDrawingThreads<PdfDocument>({ idleMax: 0, idleMs: 0 })(slip('third'), LONG_MS, customer);
    started = 0;
    for (const text of ['first', 'second']) {
      assert.equal(textOf(await draw(slip(text), LONG_MS, customer)), text);
    }
    assert.deepEqual(await draw(slip('third'), LONG_MS, customer), alone);
    assert.equal(started, 1);
    await eventually('it ends when nothing follows', () => running === 0);
  });

  test('operators do not get one that has lowered its priority, and no more wait than may', async () => {
    const draw = openDrawingThreads<PdfDocument>({ idleMax: 1, idleMs: 1_000 });
    await draw(slip('first'), LONG_MS, customer);
    await draw(slip('second'), LONG_MS, operators);
    assert.equal(started, 2);
    await eventually('the first has made room', () => running === 1);
    await draw(slip('third'), LONG_MS, operators);
    assert.equal(started, 2);
  });

  test('what cannot be drawn, takes too long or is not wanted ends its thread; the next draws as before', async () => {
    const draw = openDrawingThreads<PdfDocument>({ idleMax: 2, idleMs: 100 });
    await assert.rejects(draw(broken, LONG_MS, customer), TypeError);
    await assert.rejects(draw(slip('late'), 0, customer), isUnavailable(/machine is busy/));
    const gone = AbortSignal.abort();
    await assert.rejects(draw(slip('gone'), LONG_MS, { ...customer, signal: gone }), isUnavailable(/not wanted/));
    assert.equal(textOf(await draw(slip('next'), LONG_MS, customer)), 'next');
    assert.equal(started, 4);
    const later = new AbortController();
    await draw(slip('kept'), LONG_MS, { ...customer, signal: later.signal });
    later.abort();
    assert.equal(textOf(await draw(slip('last'), LONG_MS, customer)), 'last');
    assert.equal(started, 4, 'an asker who goes after the answer ends nothing');
  });
});

const isUnavailable =
  (words: RegExp) =>
  (error: unknown): boolean =>
    error instanceof ApiError && error.code === 'unavailable' && words.test(error.message);
