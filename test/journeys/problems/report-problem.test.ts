import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ProblemsOfOrder } from '../../../src/problems/schema.ts';
import { linesOf } from '../../harness/floor.ts';
import { newReference, problemsOf, servePicture } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { openProblems, type ProblemShop, sorted, written } from './problems.ts';

const DAY_MS = 86_400_000;

let at: ProblemShop;
before(async () => {
  at = await openProblems();
});
after(async () => {
  try {
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

const photo = (name: string): Promise<string> =>
  servePicture(at.service, `/${name}.png`, { widthPx: 300, heightPx: 200, colour: 'salmon' });

describe('a problem with shipped pieces', () => {
  test('is open, shows pieces and photos, says by when it is answered, and gives the shop a task with that deadline', async () => {
    const order = await at.shipped([3, 2]);
    const [line] = linesOf(order);
    const designs = 'select count(*)::integer as designs from design';
    const [before] = await rows(at.service, designs);
    const url = await photo('torn');
    const problem = await at.reported(order, {
      kind: 'print_fault',
      text: 'The ink runs.',
      items: [{ line_id: line, quantity: 2 }],
      photos: [url, url],
      external_reference: 'CASE-1',
    });
    assert.match(problem.id, /^prob_/);
    assert.deepEqual(
      [problem.order.reference, problem.kind, problem.status, problem.text, problem.external_reference, problem.answer],
      [order.reference, 'print_fault', 'open', 'The ink runs.', 'CASE-1', null],
    );
    assert.deepEqual(
      problem.items.map(({ line_id: id, variant_sku: sku, quantity }) => [id, sku, quantity]),
      [[line, 'TOTE-COTTON-NAT', 2]],
    );
    assert.equal(Date.parse(problem.answer_due_at) - Date.parse(problem.reported_at), 48 * 3_600_000);
    assert.equal(problem.photos.length, 1, 'equal bytes are one photo');
    for (const address of [problem.photos[0]?.url, problem.photos[0]?.thumbnail_url]) {
      const { pathname, search } = new URL(address ?? '');
      assert.equal((await fetch(`${at.service.url}${pathname}${search}`)).status, 200);
    }
    assert.deepEqual((await rows(at.service, designs))[0], before, 'a photo is no design');
    const [task] = await at.openTasks();
    assert.deepEqual([task?.due_at, task?.order_id], [problem.answer_due_at, order.id]);
    assert.ok(task?.note.includes(problem.id));
    // The addresses of its photos are signed anew, and end later.
    const seen = await at.see(problem);
    assert.deepEqual({ ...seen, photos: seen.photos.length }, { ...problem, photos: 1 });
  });

  test('claims each piece once: what is in a problem, or was not shipped, cannot be reported again', async () => {
    const order = await at.shipped([3], [2]);
    const [line] = linesOf(order);
    await at.reported(order);
    const above = await at.report(order, { items: [{ line_id: line, quantity: 2 }] });
    assert.deepEqual([above.status, ...problemsOf(above as never)], [422, 'items[0].quantity out_of_bounds']);
    assert.match(above.body.detail ?? '', /2 pieces of this line were shipped, and 1 of them/);
    const last = await Promise.all([at.report(order), at.report(order), at.report(order)]);
    assert.deepEqual(sorted(last), [201, 422, 422], 'two reports never claim one piece');
    const { body } = await at.shop.request<ProblemsOfOrder>('GET', `/orders/${order.id}/problems`);
    assert.deepEqual([body.data.length, body.actions.report.available, body.actions.report.items], [2, false, []]);
  });

  test('is reported once by its external reference, however often and at once it is sent', async () => {
    const order = await at.shipped([5]);
    const external_reference = newReference();
    const answers = await Promise.all(Array.from({ length: 5 }, () => at.report(order, { external_reference })));
    assert.deepEqual(sorted(answers), [200, 200, 200, 200, 201]);
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    const repeat = answers.find(({ status }) => status === 200);
    assert.equal(repeat?.headers.get('idempotent-replayed'), 'true');
    const other = await at.report(order, { external_reference, text: 'Something else.' });
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
    const elsewhere = await at.report(await at.shipped([1]), { external_reference });
    assert.equal(elsewhere.status, 409);
    const [count] = await rows<{ tasks: number }>(
      at.service,
      'select count(*)::integer as tasks from ops_task t join orders o on o.id = t.order_id where o.reference = $1',
      [order.reference],
    );
    assert.equal(count?.tasks, 1);
  });

  test('can be reported until 30 days after the latest parcel; later it is refused with that moment', async () => {
    const order = await at.shipped([2]);
    const path = `/orders/${order.reference.toLowerCase()}/problems`;
    const { body } = await at.shop.request<ProblemsOfOrder>('GET', path);
    const { available, until } = body.actions.report;
    assert.equal(available, true);
    at.service.shiftMs(30 * DAY_MS - 60_000);
    await at.reported(order);
    at.service.shiftMs(120_000);
    const late = await at.report(order);
    assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
    assert.ok(until !== null && late.body.detail?.includes(until), late.text);
    const after = await at.shop.request<ProblemsOfOrder>('GET', path);
    assert.deepEqual(after.body.actions.report, { available: false, until, items: [] });
  });
});

describe('a refusal writes nothing and fetches nothing', () => {
  test('before a parcel has left, for another account, for lines that the order does not have or that are named twice', async () => {
    const sent = await at.shipped([2]);
    const waiting = await at.shop.placeStarted([1]);
    const stranger = await at.service.openCustomer();
    const before = await written(at.service);
    const url = at.service.stranger.url('/never.png');
    const early = await at.report(waiting, { photos: [url] });
    assert.deepEqual([early.status, early.body.code], [409, 'conflict']);
    const [line] = linesOf(sent);
    const body = { kind: 'lost', text: 'x', items: [{ line_id: line, quantity: 1 }], photos: [url] };
    assert.equal((await stranger.request('POST', `/orders/${sent.id}/problems`, body)).status, 404);
    assert.equal((await stranger.request('GET', `/orders/${sent.id}/problems`)).status, 404);
    const cases: [object, string][] = [
      [{ items: [{ line_id: linesOf(waiting)[0], quantity: 1 }] }, 'items[0].line_id unknown_line'],
      [
        {
          items: [
            { line_id: line, quantity: 1 },
            { line_id: line, quantity: 1 },
          ],
        },
        'items[1].line_id duplicate',
      ],
      [{ items: [] }, 'items out_of_bounds'],
      [{ kind: 'ugly' }, 'kind unknown_value'],
      [{ text: ' ' }, 'text pattern'],
      [{ text: 'x'.repeat(2_001) }, 'text out_of_bounds'],
      [{ photos: Array.from({ length: 6 }, () => url) }, 'photos out_of_bounds'],
    ];
    for (const [changes, problem] of cases) {
      const answer = await at.report(sent, { photos: [url], ...changes });
      assert.deepEqual([answer.status, ...problemsOf(answer as never)], [422, problem], answer.text);
    }
    assert.deepEqual(await written(at.service), before);
    assert.deepEqual(
      at.service.stranger.hits.filter(({ path }) => path === '/never.png'),
      [],
    );
  });

  test('when one photo fails its checks: all failures are named, and no photo is kept', async () => {
    const order = await at.shipped([1]);
    const before = await written(at.service);
    const photos = [await photo('good'), at.service.stranger.url('/missing.png'), 'http://plain.example/a.png'];
    const answer = await at.report(order, { photos });
    assert.deepEqual([answer.status, ...problemsOf(answer as never)], [422, 'photos[1] fetch', 'photos[2] scheme']);
    assert.deepEqual(await written(at.service), before);
  });

  test('beyond 50 problems of an order, withdrawn ones among them', async () => {
    const order = await at.shipped([1]);
    for (let made = 0; made < 50; made += 1) {
      const problem = await at.reported(order);
      assert.equal((await at.shop.request('POST', `/problems/${problem.id}/withdraw`)).status, 200);
    }
    assert.equal((await at.report(order)).status, 409);
    const { body } = await at.shop.request<ProblemsOfOrder>('GET', `/orders/${order.id}/problems`);
    assert.deepEqual([body.data.length, body.has_more, body.actions.report.available], [50, false, false]);
  });
});
