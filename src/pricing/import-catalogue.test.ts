import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openTestContext, type TestContext } from '../../test/harness/context.ts';
import { testBook, testCatalogue } from '../../test/harness/price-book.ts';
import { type CatalogueReference, createCatalogueCache } from '../catalogue/reference.ts';
import { readStock, readVersions } from '../catalogue/sql.ts';
import { ApiError, type Problem } from '../lib/errors.ts';
import { importCatalogue } from './import-catalogue.ts';
import { createPriceCache, type PriceCache } from './price-cache.ts';
import { bookAt } from './reference.ts';

let ctx: TestContext;
let prices: PriceCache;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());
beforeEach(async () => {
  await ctx.database.script(`
    alter table stock_movement disable trigger stock_movement_is_final;
    truncate stock_movement, stock, blank_variant, base_product, price_book, station cascade;
    alter table stock_movement enable trigger stock_movement_is_final;
    update catalogue_state set catalogue_version = 0, price_book_version = 0, methods = '[]'`);
  prices = createPriceCache(ctx.database, ctx.clock, createCatalogueCache(ctx.database));
});

type File = ReturnType<typeof file>;
const file = () => structuredClone({ ...testCatalogue, price_book: testBook });

/** Imports the test file after a change. */
function importFile(change: (changed: File) => unknown = () => {}): ReturnType<typeof importCatalogue> {
  const changed = file();
  change(changed);
  return importCatalogue(ctx, JSON.parse(JSON.stringify(changed)));
}

/** Drops a variant from its base product's list in a file, and hands it out. */
function takeVariant(changed: File, masterSku: string, sku: string): File['base_products'][number]['variants'][number] {
  const variants = product(changed, masterSku).variants;
  const at = variants.findIndex((variant) => variant.sku === sku);
  const [variant] = variants.splice(at, 1);
  assert.ok(at >= 0 && variant !== undefined);
  return variant;
}

function product(changed: File, masterSku: string): File['base_products'][number] {
  const found = changed.base_products.find((entry) => entry.master_sku === masterSku);
  assert.ok(found);
  return found;
}

function dearer(changed: File, byPence: number): void {
  for (const blank of changed.price_book.blanks) for (const step of blank.breaks) step.unit_pence += byPence;
}

/** What one white tee costs now, blank, by the prices in memory. */
async function teePence(): Promise<number | undefined> {
  const { pricing } = await prices.latest();
  return bookAt(pricing, ctx.clock.now()).variants.get('TEE-WHT-M')?.blankBreaks[0]?.unitPence;
}

async function catalogue(): Promise<CatalogueReference> {
  return (await prices.latest()).catalogue;
}

async function refusals(importing: Promise<unknown>): Promise<string[]> {
  const error = await importing.then(
    () => assert.fail('it was taken in'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof ApiError && error.code === 'validation_failed');
  return (error.extras.errors as Problem[]).map(({ path, code }) => `${path} ${code}`);
}

test('a file is taken in whole: products, variants, methods and prices, each variant with an empty shelf', async () => {
  const report = await importFile();
  assert.deepEqual(report, { baseProducts: 4, variants: 7, priceBookVersion: 1 });
  assert.deepEqual(await readVersions(ctx.database), { catalogueVersion: 1, priceBookVersion: 1 });
  const taken = await catalogue();
  assert.deepEqual(
    taken.methods.map(({ method }) => method),
    ['dtg', 'embroidery'],
  );
  const skus = taken.baseProducts.flatMap(({ variants }) => variants.map(({ entry }) => entry.sku));
  const stock = await readStock(ctx.database, skus);
  assert.deepEqual(stock.map(({ sku }) => sku).toSorted(), skus.toSorted());
  assert.ok(stock.every(({ available }) => available === 0));
});

test('a file with one problem changes nothing at all', async () => {
  await importFile();
  const [before, teeBefore] = [await readVersions(ctx.database), await teePence()];
  const problems = await refusals(
    importFile((changed) => {
      dearer(changed, 500);
      product(changed, 'MUG').title = 'A better mug';
      for (const step of changed.price_book.blanks[0]?.breaks ?? []) step.unit_pence = -1;
    }),
  );
  assert.ok(
    problems.every((problem) => problem.startsWith('price_book.blanks[0].')),
    problems.join(),
  );
  assert.deepEqual(await readVersions(ctx.database), before);
  assert.equal(await teePence(), teeBefore);
  assert.equal((await catalogue()).baseProducts.find(({ entry }) => entry.master_sku === 'MUG')?.entry.title, 'MUG');
});

test('a base product may say what it is drawn as; a name that no outline has changes nothing', async () => {
  await importFile((changed) => Object.assign(product(changed, 'MUG'), { outline: 'panel' }));
  const outlineOf = async (sku: string) =>
    (await catalogue()).baseProducts.find(({ entry }) => entry.master_sku === sku)?.entry.outline;
  assert.deepEqual([await outlineOf('MUG'), await outlineOf('TEE')], ['panel', undefined]);
  const problems = await refusals(
    importFile((changed) => Object.assign(product(changed, 'MUG'), { outline: 'teapot' })),
  );
  assert.equal(problems.length, 1, problems.join());
  assert.match(problems[0] ?? '', /^base_products\[\d+\]\.outline/);
  assert.equal(await outlineOf('MUG'), 'panel');
});

test('a new import is a new version, its prices hold at once, and every id stays', async () => {
  await importFile();
  const [first, before] = [await catalogue(), await teePence()];
  await importFile((changed) => dearer(changed, 25));
  assert.equal(await teePence(), (before ?? 0) + 25);
  const second = await catalogue();
  assert.deepEqual([second.catalogueVersion, second.priceBookVersion], [2, 2]);
  const ids = (reference: CatalogueReference): string[] =>
    reference.baseProducts.flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)]).toSorted();
  assert.deepEqual(ids(second), ids(first));
});

test('a variant that a file no longer has stays known, is offered no more, and comes back with its id', async () => {
  await importFile();
  const id = (await catalogue()).bySku.get('TEE-BLK-M')?.variant.id;
  await importFile((changed) => takeVariant(changed, 'TEE', 'TEE-BLK-M'));
  const dropped = (await catalogue()).bySku.get('TEE-BLK-M')?.variant;
  assert.deepEqual([dropped?.id, dropped?.active, dropped?.entry.colour], [id, false, 'Black']);
  // A second file without it: what was kept is kept again.
  await importFile((changed) => takeVariant(changed, 'TEE', 'TEE-BLK-M'));
  assert.equal((await catalogue()).bySku.get('TEE-BLK-M')?.variant.active, false);
  await importFile();
  const back = (await catalogue()).bySku.get('TEE-BLK-M')?.variant;
  assert.deepEqual([back?.id, back?.active], [id, true]);
});

test('a base product that a file no longer has stays known with its variants, and is offered no more', async () => {
  await importFile();
  const withoutMug = (changed: File): void => {
    changed.base_products = changed.base_products.filter((entry) => entry.master_sku !== 'MUG');
    changed.price_book.blanks = changed.price_book.blanks.filter((blank) => blank.master_sku !== 'MUG');
    changed.price_book.prints = changed.price_book.prints.filter((print) => print.master_sku !== 'MUG');
  };
  await importFile(withoutMug);
  const mug = (await catalogue()).bySku.get('MUG-WHT');
  assert.deepEqual([mug?.baseProduct.active, mug?.variant.active], [false, false]);
  await importFile();
  assert.equal((await catalogue()).bySku.get('MUG-WHT')?.variant.active, true);
});

test('a SKU never moves to another base product, not even one that is offered no more', async () => {
  await importFile();
  const move = (changed: File): void => {
    product(changed, 'MUG').variants.push(takeVariant(changed, 'TEE', 'TEE-BLK-M'));
  };
  assert.deepEqual(await refusals(importFile(move)), ['base_products sku_moved']);
  await importFile((changed) => takeVariant(changed, 'TEE', 'TEE-BLK-M'));
  assert.deepEqual(await refusals(importFile(move)), ['base_products sku_moved']);
  assert.equal((await catalogue()).bySku.get('TEE-BLK-M')?.baseProduct.entry.master_sku, 'TEE');
});

test('stock stays as it was counted, whatever is imported', async () => {
  await importFile();
  await ctx.database.script("update stock set on_hand = 7 where sku = 'TEE-WHT-M'");
  await importFile((changed) => dearer(changed, 1));
  assert.equal((await readStock(ctx.database, ['TEE-WHT-M']))[0]?.available, 7);
});

test('stations are those of the last file; a method goes to one station, and only a known one', async () => {
  const stations = async (): Promise<unknown> =>
    ctx.database.all({ name: 'test_stations', text: 'select id, title, methods from station order by id' }, []);
  const [first = '', second = ''] = file().methods.map(({ method }) => method);
  const garments = { station: 'garments', title: 'Garment printer', methods: [first, second] };
  await importFile((changed) => Object.assign(changed, { stations: [garments] }));
  assert.deepEqual(await stations(), [{ id: 'garments', title: 'Garment printer', methods: [first, second] }]);
  const wrong = [{ ...garments, methods: [first, first, 'laser'] }, garments];
  await assert.rejects(
    importFile((changed) => Object.assign(changed, { stations: wrong })),
    (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual(
        (error.extras.errors as Problem[]).map(({ path, code }) => `${path} ${code}`),
        [
          'stations[1].station duplicate',
          'stations[0].methods[1] duplicate',
          'stations[1].methods[0] duplicate',
          'stations[0].methods[2] unknown_method',
        ],
      );
      return true;
    },
  );
  assert.deepEqual(await stations(), [{ id: 'garments', title: 'Garment printer', methods: [first, second] }]);
  await importFile();
  assert.deepEqual(await stations(), []);
});

test('prices with a date to come take over when the clock passes it, without another import', async () => {
  await importFile();
  const today = (await teePence()) ?? 0;
  const from = new Date(ctx.clock.now().getTime() + 86_400_000);
  await importFile((changed) => {
    dearer(changed, 40);
    changed.price_book.valid_from = from.toISOString();
  });
  assert.equal(await teePence(), today);
  ctx.clock.shift(86_400_000 - 10_000);
  assert.equal(await teePence(), today);
  ctx.clock.shift(10_000);
  assert.equal(await teePence(), today + 40);
  // A process that starts later reads the same.
  prices = createPriceCache(ctx.database, ctx.clock, createCatalogueCache(ctx.database));
  assert.equal(await teePence(), today + 40);
});

test('of two price books with the same date the later import holds', async () => {
  await importFile();
  const first = (await teePence()) ?? 0;
  await importFile((changed) => dearer(changed, 10));
  await importFile((changed) => dearer(changed, 20));
  assert.equal(await teePence(), first + 20);
});

test('two imports at once follow one another, and what holds is one of them, whole', async () => {
  await importFile();
  const first = (await teePence()) ?? 0;
  await Promise.all([30, 60].map((byPence) => importFile((changed) => dearer(changed, byPence))));
  assert.deepEqual(await readVersions(ctx.database), { catalogueVersion: 3, priceBookVersion: 3 });
  assert.ok([first + 30, first + 60].includes((await teePence()) ?? 0));
});
