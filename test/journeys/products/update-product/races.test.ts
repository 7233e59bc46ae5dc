import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { parseId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { importCatalogue } from '../../../../src/pricing/import-catalogue.ts';
import type { UpdateProductBody } from '../../../../src/products/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { flat } from '../../../harness/pictures.ts';
import { allProducts, baseProductId, change, create, read, refuseChange, teeBody } from '../../../harness/products.ts';
import { openSecondConnection, type SecondConnection } from '../../../harness/second-connection.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, problemsOf, servePicture } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let second: SecondConnection;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 500_000 });
  second = await openSecondConnection(service.database);
});
after(async () => {
  await second.close();
  await service.stop();
});

/** A decoration of as many areas as there are addresses. */
function decoration(...urls: string[]): { decoration: NonNullable<UpdateProductBody['decoration']> } {
  const names = ['front', 'back', 'neck_label'];
  const areas = urls.map((artwork_url, index) => ({ print_area: names[index] ?? '', method: 'dtf', artwork_url }));
  return { decoration: { areas } };
}

type Version = { readonly change: UpdateProductBody; readonly artworkPx: number };

/** Two ways for one product to be, of which no part may ever be seen beside a part of the other. */
async function twoVersions(name: string): Promise<readonly [Version, Version]> {
  const one = await servePicture(service, `/${name}-1.png`, { widthPx: 401, heightPx: 400, colour: '#aa0000' });
  const two = await servePicture(service, `/${name}-2.png`, { widthPx: 402, heightPx: 400, colour: '#00aa00' });
  const area = (print_area: string, method: string, artwork_url: string) => ({ print_area, method, artwork_url });
  return [
    {
      artworkPx: 401,
      change: {
        name: 'One',
        mockup_url: one,
        variant_skus: ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-WHT-S'],
        decoration: { areas: [area('front', 'dtg', one), area('left_sleeve', 'embroidery', one)] },
      },
    },
    {
      artworkPx: 402,
      change: {
        name: 'Two',
        mockup_url: two,
        variant_skus: ['TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-BLK-M'],
        decoration: { areas: [area('back', 'dtf', two), area('left_sleeve', 'dtf', two)] },
      },
    },
  ];
}

test('J164 two PATCHes at once: the last one wins whole, and no two versions are ever mixed', async () => {
  const versions = await twoVersions('parallel');
  const { id } = await create(customer, await teeBody(service));
  const shapes = versions.map(({ change: { name, decoration: of, variant_skus: skus } }) => ({
    name,
    areas: of?.areas.map((area) => `${area.print_area} ${area.method}`),
    skus,
  }));
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all([0, 1, 0, 1].map((index) => change(customer, id, versions[index]?.change ?? {})));
    for (const product of [...answers, await read(customer, id)]) {
      const seen = {
        name: product.name,
        areas: product.print_areas.map((area) => `${area.print_area} ${area.method}`),
        skus: product.variants.filter(({ active }) => active).map((variant) => variant.blank_variant_sku),
      };
      assert.deepEqual(seen, shapes[product.name === 'One' ? 0 : 1]);
    }
  }
  const variants = (await read(customer, id)).variants.map((variant) => variant.blank_variant_sku);
  assert.equal(new Set(variants).size, variants.length);
});

test('J164 of two PATCHes that touch different fields both hold, however they meet', async () => {
  const { id } = await create(customer, await teeBody(service));
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      change(customer, id, { name: `Name ${round}` }),
      change(customer, id, { description: `Description ${round}` }),
      change(customer, id, { tags: [`tag ${round}`] }),
    ]);
    const { name, description, tags } = await read(customer, id);
    assert.deepEqual([name, description, tags], [`Name ${round}`, `Description ${round}`, [`tag ${round}`]]);
  }
});

test('J162 an order that meets a PATCH has one version of the product, whole: name, areas, methods, designs and mock', async () => {
  const versions = await twoVersions('ordered');
  const { id } = await create(customer, await teeBody(service));
  await change(customer, id, versions[0].change);
  const items = [{ product_id: id, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
  const orders: Promise<string>[] = [];
  const place = async (): Promise<string> => {
    const { status, body, text } = await customer.request<CreatedOrder>('POST', '/orders', basket(service, { items }));
    assert.equal(status, 201, text);
    return body.id;
  };
  for (let round = 0; round < 12; round += 1) {
    orders.push(place(), place());
    await change(customer, id, versions[(round + 1) % 2]?.change ?? {});
  }
  const ids = (await Promise.all(orders)).map((orderId) => parseId('ord', orderId) ?? '');
  const seen = await rows<{ name: string; area: string; method: string; artwork_px: number; mock_px: number }>(
    service,
    `select l.name, j.print_area as area, j.method, a.width_px as artwork_px, m.width_px as mock_px
     from order_line l join print_job j on j.order_id = l.order_id and j.line_id = l.id
     join blob a on a.hash = j.design_hash join blob m on m.hash = l.mock_hash where l.order_id = any($1::uuid[])`,
    [ids],
  );
  assert.equal(seen.length, ids.length);
  const whole = [
    { name: 'One', area: 'front', method: 'dtg', artwork_px: 401, mock_px: 401 },
    { name: 'Two', area: 'back', method: 'dtf', artwork_px: 402, mock_px: 402 },
  ];
  for (const line of seen) assert.deepEqual(line, whole[line.name === 'One' ? 0 : 1]);
  assert.equal(new Set(seen.map(({ name }) => name)).size, 2, 'both versions were met');
});

test('3.3 a DELETE that meets PATCHes: each is whole, before it or refused after it, and the product ends archived', async () => {
  const versions = await twoVersions('archived');
  for (let round = 0; round < 5; round += 1) {
    const { id } = await create(customer, await teeBody(service));
    const [removed, ...changed] = await Promise.all([
      customer.request('DELETE', `/products/${id}`),
      ...versions.map((version) => refuseChange(customer, id, version.change)),
    ]);
    assert.equal(removed.status, 204);
    for (const { status } of changed) assert.ok([200, 409].includes(status));
    const product = await read(customer, id);
    assert.equal(product.status, 'archived');
    const isChanged = changed.some(({ status }) => status === 200);
    assert.equal(product.name !== 'A tee', isChanged);
    assert.equal(product.print_areas.length, isChanged ? 2 : 0);
  }
});

type CatalogueFile = {
  base_products: {
    master_sku: string;
    print_areas: { print_area: string }[];
    variants: { sku: string; active?: boolean }[];
  }[];
};

/** Imports the demo catalogue with the white tee in M active or not, and with or without its neck label. */
async function importTee(changes: { white: boolean; neck: boolean }): Promise<void> {
  const file = new URL('../../../../data/demo/catalogue.json', import.meta.url);
  const document = JSON.parse(await readFile(file, 'utf8')) as CatalogueFile;
  const tee = document.base_products.find(({ master_sku: sku }) => sku === 'TEE-CLASSIC');
  assert.ok(tee);
  for (const variant of tee.variants.filter(({ sku }) => sku === 'TEE-CLASSIC-WHT-M')) variant.active = changes.white;
  if (!changes.neck) tee.print_areas = tee.print_areas.filter(({ print_area: area }) => area !== 'neck_label');
  await importCatalogue(service.ctx, document);
}

/** Serves a picture that nobody has had before; while it is fetched, something happens, the first time. */
async function serveWhile(path: string, colour: string, happens: () => Promise<unknown>): Promise<string> {
  const body = await flat(400, 300, colour).png().toBuffer();
  let visits = 0;
  service.stranger.serve(path, async (_hit, response) => {
    visits += 1;
    if (visits === 1) await happens();
    response.end(body);
  });
  return service.stranger.url(path);
}

test('4.4.2 a SKU or area that is withdrawn while the artwork is fetched: 422 and nothing is stored, not even the artwork', async () => {
  const { id } = await create(customer, await teeBody(service, { variant_skus: ['TEE-CLASSIC-WHT-S'] }));
  const untouched = await allProducts(service);
  const variant_skus = ['TEE-CLASSIC-WHT-M'];
  const attempts = [
    (body: object) => teeBody(service, body).then((whole) => customer.request('POST', '/products', whole)),
    (body: object) => refuseChange(customer, id, body),
  ];
  for (const [index, attempt] of attempts.entries()) {
    const url = await serveWhile(`/withdrawn-${index}.png`, `#0000a${index}`, () =>
      importTee({ white: false, neck: false }),
    );
    const refused = await attempt({ variant_skus, ...decoration(url, url, url) });
    assert.deepEqual(
      [refused.status, problemsOf(refused)],
      [422, ['variant_skus[0] unknown_variant', 'decoration.areas[2].print_area unknown_print_area']],
      refused.text,
    );
    await importTee({ white: true, neck: true });
  }
  assert.deepEqual(await allProducts(service), untouched);
});

test('a catalogue that changes in nothing of concern while the artwork is fetched refuses nobody, and it is fetched once', async () => {
  const before = service.stranger.hits.length;
  const url = await serveWhile('/unconcerned.png', '#0000b0', () => importTee({ white: true, neck: true }));
  const product = await create(customer, await teeBody(service, decoration(url)));
  assert.equal(product.print_areas.length, 1);
  assert.equal(service.stranger.hits.length - before, 1);
});

test('4.4.2 a SKU that is withdrawn between the last check and the writing is noticed: 422, and no product refers to it', async () => {
  const url = await servePicture(service, '/known.png', { widthPx: 400, heightPx: 310, colour: '#0000c0' });
  const { id } = await create(
    customer,
    await teeBody(service, { ...decoration(url), variant_skus: ['TEE-CLASSIC-WHT-S'] }),
  );
  const body = { variant_skus: ['TEE-CLASSIC-WHT-M'], ...decoration(url) };
  for (const attempt of [
    async () => customer.request('POST', '/products', await teeBody(service, body)),
    async () => refuseChange(customer, id, body),
  ]) {
    const [{ products } = { products: 0 }] = await rows<{ products: number }>(
      service,
      'select count(*) as products from product',
    );
    // The designs are recorded after the last check and before the writing: whoever holds the blob's row stops it
    // there.
    await second.query('begin');
    await second.query('select from blob where width_px = 400 and height_px = 310 for update');
    const refusal = attempt();
    await second.untilWaiting(1);
    await importTee({ white: false, neck: true });
    await second.query('rollback');
    const refused = await refusal;
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['variant_skus[0] unknown_variant']], refused.text);
    const [now] = await rows<{ products: number }>(service, 'select count(*) as products from product');
    assert.equal(now?.products, products);
    assert.deepEqual(
      (await read(customer, id)).variants.map(({ blank_variant_sku: sku }) => sku),
      ['TEE-CLASSIC-WHT-S'],
    );
    await importTee({ white: true, neck: true });
  }
});

test('a catalogue that changes at every try: 503 with when to come back, and no product is created or changed', async () => {
  const url = await servePicture(service, '/restless.png', { widthPx: 400, heightPx: 330, colour: '#0000f0' });
  const { id } = await create(customer, await teeBody(service, decoration(url)));
  // Recording the designs comes right before the writing.
  await second.query(`
    create function catalogue_moves() returns trigger language plpgsql as $$
    begin
      update catalogue_state set catalogue_version = catalogue_version + 1;
      return new;
    end $$;
    create trigger catalogue_moves before update on blob for each row execute function catalogue_moves();
  `);
  const [before] = await rows<{ products: number }>(service, 'select count(*) as products from product');
  for (const refused of [
    await customer.request('POST', '/products', await teeBody(service, decoration(url))),
    await refuseChange(customer, id, { name: 'New', ...decoration(url, url) }),
  ]) {
    assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable'], refused.text);
    assert.ok(refused.headers.get('retry-after'));
  }
  const [now] = await rows<{ products: number }>(service, 'select count(*) as products from product');
  assert.equal(now?.products, before?.products);
  const { name, print_areas } = await read(customer, id);
  assert.deepEqual([name, print_areas.length], ['A tee', 1]);
  await second.query('drop trigger catalogue_moves on blob; drop function catalogue_moves()');
  assert.equal((await change(customer, id, { name: 'New', ...decoration(url, url) })).print_areas.length, 2);
});

test('3.3 a product that is archived while its new artwork is fetched: 409, and nothing is stored', async () => {
  const { id } = await create(customer, await teeBody(service));
  let archivedThen: Record<string, string | number> = {};
  const url = await serveWhile('/archived-meanwhile.png', '#0000d0', async () => {
    await customer.request('DELETE', `/products/${id}`);
    archivedThen = await allProducts(service);
  });
  const refused = await refuseChange(customer, id, { name: 'New', ...decoration(url) });
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  // Only the file that was on its way then is no longer there.
  assert.deepEqual(await allProducts(service), { ...archivedThen, staged: 0 });
});

test('3.3 a product that is archived right before the writing of a change is not changed: 409', async () => {
  const url = await servePicture(service, '/late.png', { widthPx: 400, heightPx: 320, colour: '#0000e0' });
  const { id } = await create(customer, await teeBody(service, decoration(url)));
  await second.query('begin');
  await second.query('select from blob where width_px = 400 and height_px = 320 for update');
  const refusal = refuseChange(customer, id, { name: 'New', decoration: { areas: [] }, mockup_url: url });
  await second.untilWaiting(1);
  assert.equal((await customer.request('DELETE', `/products/${id}`)).status, 204);
  await second.query('rollback');
  const refused = await refusal;
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  const product = await read(customer, id);
  assert.deepEqual([product.name, product.status, product.print_areas.length], ['A tee', 'archived', 1]);
});

test('3.3 a change that waits for an archive to be committed finds the product archived: 409', async () => {
  const { id } = await create(customer, await teeBody(service));
  await second.query('begin');
  await second.query("update product set status = 'archived' where id = $1", [parseId('prod', id)]);
  const refusal = refuseChange(customer, id, { name: 'New' });
  await second.untilWaiting(1);
  await second.query('commit');
  const refused = await refusal;
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
  assert.equal((await read(customer, id)).name, 'A tee');
});

test('4.4 a product of a base product that is no longer offered keeps what it has and can still be renamed', async () => {
  const file = new URL('../../../../data/demo/catalogue.json', import.meta.url);
  const document = JSON.parse(await readFile(file, 'utf8')) as CatalogueFile & {
    price_book: { blanks: { master_sku: string }[]; prints: { method: string }[] };
  };
  const mug = await addProduct(service, customer, 'MUG-11OZ');
  const base_product_id = await baseProductId(service, 'MUG-11OZ');
  document.base_products = document.base_products.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  document.price_book.blanks = document.price_book.blanks.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  document.price_book.prints = document.price_book.prints.filter(({ method }) => method !== 'sublimation');
  await importCatalogue(service.ctx, document);
  const refusedBase = await customer.request('POST', '/products', {
    base_product_id,
    name: 'Mug',
    variant_skus: ['MUG-11OZ-WHT'],
  });
  assert.deepEqual([refusedBase.status, problemsOf(refusedBase)], [422, ['base_product_id unknown_base_product']]);
  assert.equal((await change(customer, mug, { name: 'Old mug' })).name, 'Old mug');
  const refused = await refuseChange(customer, mug, { variant_skus: ['MUG-11OZ-WHT'] });
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['variant_skus[0] unknown_variant']]);
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
});
