import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Order } from '../../../src/orders/schema.ts';
import type { Template } from '../../../src/products/template/template-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { basket, servePicture } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { createCap, LINE, motifOf, onFront, problemsIn, publish, save, type TemplateReply } from './templates.ts';

let service: TestService;
let author: PortalClient;
let cap: Template;
before(async () => {
  service = await startTestService({ role: 'api' });
  author = await openRole(service, 'manager');
  cap = await createCap(author);
});
after(() => service.stop());

const present = async (): Promise<TemplateReply> =>
  (await author.request<TemplateReply>('GET', `/templates/${cap.id}`)).body;

function order(inputs: Record<string, string | null>): Promise<Answer<Order & ErrorReply>> {
  const decoration = { personalisation: { inputs } };
  const item = { product_id: cap.id, variant_sku: 'CAP-TWILL-KHA', quantity: 1, decoration };
  return service.customer.request('POST', '/orders', basket(service, { items: [item] }));
}

/** The recipes of the print files of an order, as they are made. */
async function recipesOf({ body }: Answer<Order>): Promise<readonly string[]> {
  const found = await rows<{ recipe: string }>(
    service,
    `select f.recipe::text as recipe from print_file f join print_job j on j.print_file_key = f.key
     join orders o on o.account_id = j.account_id and o.id = j.order_id where o.reference = $1 order by 1`,
    [body.reference],
  );
  return found.map(({ recipe }) => recipe);
}

test('publishing refuses all that is wrong, with the path of each, and nothing is published', async () => {
  const wide = { ...LINE, box: { ...LINE.box, width_px: 900 }, size_px: { min: 60, max: 50 } };
  const draft = onFront(
    { ...wide, font: { default: 'Arial' }, color: { default: '#000000', choices: ['#ffffff'] } },
    { ...LINE, id: 'line', z_order: 1 },
    { ...LINE, id: 'hem', print_area: 'hem', z_order: 2 },
  );
  const saved = await save(author, cap, draft);
  assert.equal(saved.status, 200, saved.text);
  const refused = await publish(author, saved.body);
  assert.equal(refused.status, 422);
  const expected = [
    'template.layers[1].id duplicate',
    'template.layers[1].z_order duplicate',
    'template.layers[0].box box',
    'template.layers[0].font.default unknown_font',
    'template.layers[0].color.default unknown_color',
    'template.layers[0].size_px size_px',
    'template.layers[0].size_px.min size_px',
    'template.layers[2].print_area unknown_print_area',
  ];
  assert.deepEqual(problemsIn(refused), expected);
  assert.deepEqual(
    saved.body.problems.map(({ path, code }) => `${path} ${code}`),
    expected,
  );
  const bare = await save(author, saved.body, { areas: [], layers: [] });
  assert.equal((await publish(author, bare.body)).status, 422);
  assert.deepEqual([(await present()).published_version, (await present()).status], [0, 'draft']);
});

test('placed orders keep the version that they were placed with, and later ones are read by the new one', async () => {
  const saved = await save(author, await present(), onFront(LINE));
  const first = await publish(author, saved.body);
  assert.equal(first.status, 200, first.text);
  assert.deepEqual([first.body.published_version, first.body.status, first.body.is_changed], [1, 'active', false]);
  assert.deepEqual(first.body.published, saved.body.template);
  const placed = await order({ line: 'Ada' });
  assert.equal(placed.status, 201, placed.text);
  const recipes = await recipesOf(placed);
  assert.match(recipes.join(), /"Pacifico"/);

  const second = onFront(
    { ...LINE, font: { default: 'Oswald' } },
    { ...LINE, id: 'below', required: false, z_order: 5 },
  );
  const changed = await save(author, first.body, second);
  assert.deepEqual([changed.body.is_changed, changed.body.published], [true, first.body.published]);
  const between = await order({ line: 'Ada' });
  assert.deepEqual(await recipesOf(between), recipes, 'a draft changes no order');
  assert.equal((await order({ line: 'Ada', below: 'x' })).status, 422);

  const published = await publish(author, changed.body);
  assert.equal(published.body.published_version, 2);
  assert.deepEqual(await recipesOf(placed), recipes, 'the old order is as it was');
  const later = await order({ line: 'Ada', below: 'x' });
  assert.equal(later.status, 201, later.text);
  assert.match((await recipesOf(later)).join(), /"Oswald"/);

  const repeat = await publish(author, changed.body);
  assert.deepEqual([repeat.status, repeat.body.published_version], [200, 2], 'a lost answer can be asked for again');
  const back = await save(author, published.body, second);
  assert.equal(back.body.is_changed, false, 'a draft that is as published is none');
});

test('what was changed after the author looked is not published, and a race publishes once', async () => {
  const seen = await present();
  const saved = await save(author, seen, onFront(LINE));
  const late = await publish(author, seen);
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  const both = await Promise.all([publish(author, saved.body), publish(author, saved.body)]);
  assert.deepEqual(
    both.map(({ status, body }) => [status, body.published_version]),
    [
      [200, 3],
      [200, 3],
    ],
  );
});

test('who may not, another account, and what is archived are refused', async () => {
  const saved = await save(author, await present(), onFront({ ...LINE, name: 'Other' }));
  for (const role of ['orders', 'reader'] as const) {
    assert.equal((await publish(await openRole(service, role), saved.body)).status, 403);
  }
  const { accountId } = await service.openCustomer();
  const stranger = await openRole(service, 'owner', accountId);
  assert.equal((await publish(stranger, saved.body)).status, 404);
  assert.equal((await publish(author, { id: service.demo.products.fixed, version: 1 })).status, 404);
  assert.equal((await author.api('DELETE', `/products/${cap.id}`)).status, 204);
  const archived = await publish(author, saved.body);
  assert.deepEqual([archived.status, archived.body.code], [409, 'conflict']);
  assert.equal((await present()).published_version, 3);
});

test('a picture that left the store between saving and publishing is named', async () => {
  const other = await createCap(author, 'Motif cap');
  const url = await servePicture(service, '/motif.png', { colour: '#123456' });
  const added = await author.request<{ design: string }>('POST', `/templates/${other.id}/pictures`, { body: { url } });
  const saved = await save(author, other, onFront(motifOf(added.body.design)));
  assert.equal(saved.status, 200, saved.text);
  await rows(service, "delete from design where hash = decode($1, 'hex')", [added.body.design]);
  const refused = await publish(author, saved.body);
  assert.deepEqual(problemsIn(refused), ['template.layers[0].options[0].design unknown_picture']);
});
