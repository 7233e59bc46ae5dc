import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Uuid } from '../../lib/ids.ts';
import { mapInPieces } from '../../lib/turns/pieces.ts';
import { jsonInPieces } from './json-in-pieces.ts';

const ASKER = { owner: 'account' as Uuid };

test('the text in pieces is that of JSON.stringify', async () => {
  const line = fc.record({ id: fc.string(), quantity: fc.integer(), jobs: fc.array(fc.string(), { maxLength: 3 }) });
  const order = fc.record({
    id: fc.string(),
    items: fc.array(line, { maxLength: 120 }),
    notes: fc.option(fc.string()),
  });
  const page = fc.record({
    data: fc.array(order, { maxLength: 3 }),
    has_more: fc.boolean(),
    left_out: fc.constant(undefined),
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(page, order, fc.jsonValue()), async (body) => {
      assert.equal((await jsonInPieces(ASKER, body)).toString(), JSON.stringify(body));
    }),
    { numRuns: 60 },
  );
  const long = {
    data: [{ items: Array.from({ length: 1_000 }, (_, index) => ({ index, gone: undefined, at: new Date(0) })) }],
  };
  assert.equal((await jsonInPieces(ASKER, long)).toString(), JSON.stringify(long));
});

test('between two pieces of a large answer the thread does other work, and two owners take turns', async () => {
  const order: string[] = [];
  const busy = (name: string): Promise<unknown> =>
    mapInPieces({ owner: name as Uuid }, Array.from({ length: 60 }), () => {
      if (order.at(-1) !== name) order.push(name);
      const endsAt = performance.now() + 1;
      while (performance.now() < endsAt);
    });
  let others = 0;
  const timer = setInterval(() => {
    others += 1;
  }, 1);
  await Promise.all([busy('one'), busy('two')]);
  clearInterval(timer);
  assert.ok(others >= 4, `${others} times`);
  assert.ok(order.length >= 6, order.join());
});

test('an answer that is not wanted any more is not finished', async () => {
  const caller = new AbortController();
  let mapped = 0;
  const work = mapInPieces({ ...ASKER, signal: caller.signal }, Array.from({ length: 10_000 }), () => {
    mapped += 1;
    if (mapped === 100) caller.abort();
    const endsAt = performance.now() + 0.1;
    while (performance.now() < endsAt);
  });
  await assert.rejects(work, /gone/);
  assert.ok(mapped < 10_000);
});
