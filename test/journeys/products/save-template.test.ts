import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Template } from '../../../src/products/template/template-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { createCap, LINE, motifOf, onFront, problemsIn, save, type TemplateReply } from './templates.ts';

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
const layersOfApi = async (): Promise<unknown[]> =>
  (await author.api<{ layers: unknown[] }>('GET', `/products/${cap.id}/personalisation`)).body.layers;

test('a draft is kept although it is not finished, tells what publishing would refuse, and no order sees it', async () => {
  const unfinished = onFront(
    { ...LINE, name: '', box: { x_px: 200, y_px: 10, width_px: 900, height_px: 60 }, font: { default: 'Arial' } },
    motifOf(),
  );
  const { status, body, text } = await save(author, cap, unfinished);
  assert.equal(status, 200, text);
  assert.deepEqual([body.version, body.is_changed], [cap.version + 1, true]);
  assert.deepEqual(body.template, unfinished);
  assert.deepEqual(
    body.problems.map(({ path, code }) => `${path} ${code}`),
    ['template.layers[0].name out_of_bounds', 'template.layers[1].options out_of_bounds'],
  );
  assert.deepEqual(await layersOfApi(), []);
});

test('what no template can be is refused with the path of each member', async () => {
  const before = await present();
  const cases: [object, string[]][] = [
    [{ areas: [] }, ['template.layers required']],
    [{ areas: [], layers: [], more: 1 }, ['template out_of_bounds']],
    [onFront({ ...LINE, type: 'shape' }), ['template.layers[0].type unknown_value']],
    [onFront({ ...LINE, turned: 5 }), ['template.layers[0].turned unknown_field']],
    [onFront({ ...LINE, length_max: 501 }), ['template.layers[0].length_max out_of_bounds']],
    [onFront({ ...LINE, box: { ...LINE.box, x_px: -1 } }), ['template.layers[0].box.x_px out_of_bounds']],
    [onFront({ ...LINE, color: { default: 'red' } }), ['template.layers[0].color.default pattern']],
    [onFront({ ...LINE, id: 'Your line' }), ['template.layers[0].id pattern']],
    [onFront(...Array.from({ length: 51 }, () => LINE)), ['template.layers out_of_bounds']],
    [
      onFront(motifOf('0'.repeat(64), 'sun')),
      ['template.layers[0].options[0].design unknown_picture', 'template.layers[0].options[1].design unknown_picture'],
    ],
  ];
  for (const [template, expected] of cases) {
    const answer = await save(author, before, template);
    assert.equal(answer.status, 422, answer.text);
    assert.deepEqual(problemsIn(answer), expected);
  }
  assert.equal((await present()).version, before.version);
});

test('a template that is too large to be read for each line of an order is refused, and nothing is saved', async () => {
  const { body: seeded } = await author.request<TemplateReply>(
    'GET',
    `/templates/${service.demo.products.personalised}`,
  );
  const [design = ''] = seeded.pictures.map((picture) => picture.design);
  const motifs = (count: number): object =>
    onFront(
      ...Array.from({ length: count }, (_, index) => ({
        ...motifOf(...Array.from({ length: 60 }, () => design)),
        ...{ id: `motif_${index}`, z_order: index },
      })),
    );
  const before = await present();
  const refused = await save(author, before, motifs(50));
  assert.equal(refused.status, 422);
  assert.deepEqual(problemsIn(refused), ['template out_of_bounds']);
  assert.match(refused.body.errors?.[0]?.message ?? '', /at most 65536/);
  assert.deepEqual(await present(), { ...before, pictures: (await present()).pictures });
  const kept = await save(author, before, motifs(8));
  assert.equal(kept.status, 200, kept.text);
});

test('a picture of another account is none of this one', async () => {
  const { accountId } = await service.openCustomer();
  const stranger = await openRole(service, 'owner', accountId);
  const own = await createCap(stranger);
  const [option] = (await author.request<TemplateReply>('GET', `/templates/${service.demo.products.personalised}`)).body
    .pictures;
  assert.ok(option);
  const answer = await save(stranger, own, onFront(motifOf(option.design)));
  assert.deepEqual(
    answer.body.errors?.map(({ code }) => code),
    ['unknown_picture'],
  );
  const kept = await save(author, await present(), onFront(LINE, motifOf(option.design)));
  assert.deepEqual([kept.status, kept.body.pictures.map(({ design }) => design)], [200, [option.design]]);
});

test('of two people who save the same version one is told that it changed, and nothing is overwritten', async () => {
  const other = await openRole(service, 'owner');
  const seen = await present();
  const mine = onFront({ ...LINE, name: 'Mine' });
  const theirs = onFront({ ...LINE, name: 'Theirs' });
  const answers = await Promise.all([save(author, seen, mine), save(other, seen, theirs)]);
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409],
  );
  const [kept, late] = answers[0]?.status === 200 ? answers : answers.toReversed();
  assert.equal(late?.body.code, 'conflict');
  assert.match(late?.body.detail ?? '', /changed meanwhile.*nothing was overwritten/);
  assert.deepEqual((await present()).template, kept?.body.template);
});

describe('who may', () => {
  test('not people who order or read, not another account, and nobody once it is archived', async () => {
    const seen = await present();
    for (const role of ['orders', 'reader'] as const) {
      const refused = await save(await openRole(service, role), seen, onFront(LINE));
      assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
    }
    const { accountId } = await service.openCustomer();
    const foreign = await save(await openRole(service, 'owner', accountId), seen, onFront(LINE));
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'not_found']);
    const fixed = await save(author, { id: service.demo.products.fixed, version: 1 }, onFront(LINE));
    assert.equal(fixed.status, 404);
    assert.equal((await author.api('DELETE', `/products/${cap.id}`)).status, 204);
    const archived = await save(author, seen, onFront(LINE));
    assert.deepEqual([archived.status, archived.body.code], [409, 'conflict']);
    assert.equal((await present()).version, seen.version);
  });
});
