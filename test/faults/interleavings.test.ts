import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { importCatalogue } from '../../src/pricing/import-catalogue.ts';
import { flat } from '../harness/pictures.ts';
import { openRace, second, service } from '../harness/race.ts';
import { body, decorated, newReference, openShop, servePicture, statusesOf } from '../harness/shop.ts';
import { booksOf, holdBalance, rows } from '../harness/written.ts';

// Each test brings about one exact order of events: it holds the lock that the other parties must wait for, or acts
// from within the artwork's download, which lies between the reading of prices and the writing of the order.

openRace();

type CatalogueFile = { price_book: { blanks: { breaks: { unit_pence: number }[] }[] } };

/** Imports the demo catalogue with every blank dearer by so many pence. */
async function importDearer(byPence: number): Promise<void> {
  const text = await readFile(new URL('../../data/demo/catalogue.json', import.meta.url), 'utf8');
  const file = JSON.parse(text) as CatalogueFile;
  for (const blank of file.price_book.blanks) {
    for (const step of blank.breaks) step.unit_pence += byPence;
  }
  await importCatalogue(service.ctx, file);
}

test('4.1.5 the loser of a reference gets the winner’s order, and another account 409, though all were under way at once (F95, F102)', async () => {
  const shop = await openShop(service, 5);
  const stranger = await openShop(service, 5);
  const external_reference = newReference();
  await holdBalance(second, shop);
  const first = shop.order({ external_reference });
  await second.untilWaiting(1);
  const losers = [shop.order({ external_reference }), shop.order({ external_reference })];
  const other = stranger.order({ external_reference });
  await second.untilWaiting(4);
  await second.query('rollback');
  const winner = await first;
  assert.equal(winner.status, 201, winner.text);
  for (const loser of await Promise.all(losers)) {
    assert.equal(loser.status, 200, loser.text);
    assert.equal(loser.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual([loser.body.id, loser.body.payment_status], [winner.body.id, 'paid']);
  }
  const refusal = await other;
  assert.deepEqual([refusal.status, refusal.body.code], [409, 'duplicate_external_reference']);
  assert.equal(refusal.text.includes(winner.body.reference), false);
  const books = await booksOf(service, shop.customer);
  assert.deepEqual([books.orders, books.charges, books.balance_pence], [1, 1, 4 * shop.totalPence]);
  assert.deepEqual(await booksOf(service, stranger.customer), {
    orders: 0,
    paid: 0,
    charges: 0,
    charged_pence: 0,
    balance_pence: 5 * stranger.totalPence,
  });
});

test('4.1.5 when the first of a reference fails while others wait for it, one of them places the order', async () => {
  const shop = await openShop(service, 5);
  const external_reference = newReference();
  await holdBalance(second, shop);
  const all = [shop.order({ external_reference })];
  await second.untilWaiting(1);
  const [holder] = await second.query(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  all.push(shop.order({ external_reference }), shop.order({ external_reference }));
  await second.untilWaiting(3);
  await second.query('select pg_terminate_backend($1, 5000)', [holder?.pid]);
  await second.query('rollback');
  const answers = await Promise.all(all);
  // Whoever was cut off finds the order of its twin, or is told to come back; nobody else is told anything but the
  // order.
  assert.deepEqual(statusesOf(answers.slice(1)), [200, 201]);
  assert.ok([200, 503].includes(answers[0]?.status ?? 0));
  const again = await shop.order({ external_reference });
  assert.equal(again.status, 200);
  const books = await booksOf(service, shop.customer);
  assert.deepEqual([books.orders, books.charges, books.balance_pence], [1, 1, 4 * shop.totalPence]);
});

test('a known order always wins: a twin whose artwork address is spent gets the order and no refusal', async () => {
  const shop = await openShop(service, 5, 5_000);
  const external_reference = newReference();
  const picture = await flat(600, 600, '#112233').png().toBuffer();
  let fetches = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  // Good once. The second visit waits until the first order stands, and is told that the address is spent.
  service.stranger.serve('/one-shot.png', async (_hit, response) => {
    fetches += 1;
    if (fetches === 1) {
      response.end(picture);
      return;
    }
    await released;
    response.writeHead(410).end();
  });
  const items = [decorated(shop, service.stranger.url('/one-shot.png'))];
  const [one, two] = [shop.order({ external_reference, items }), shop.order({ external_reference, items })];
  const placed = await Promise.race([one, two]);
  release();
  const answers = await Promise.all([one, two]);
  assert.equal(placed.status, 201, placed.text);
  assert.deepEqual(statusesOf(answers), [200, 201]);
  assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1);
  const retry = await shop.order({ external_reference, items });
  assert.equal(retry.status, 200, retry.text);
});

test('D57 prices that change while an order is on its way: it is charged the new ones, whole, or it is not charged', async () => {
  const shop = await openShop(service, 3, 5_000);
  let imports = 0;
  const url = await servePicture(service, '/price-change.png', { colour: '#223344' }, async () => {
    imports += 1;
    await importDearer(100 * imports);
  });
  const basket = { ...body(shop), items: [decorated(shop, url)] };
  const answer = await shop.order(basket);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(imports, 1, 'the artwork was fetched once, however often the basket was priced');
  await servePicture(service, '/price-change.png', { colour: '#223344' });
  const estimate = await shop.customer.request<{ total: number }>('POST', '/orders/estimate', basket);
  assert.equal(answer.body.charged.total, estimate.body.total);
  const [versions] = await rows<{ order_version: number; current: number }>(
    service,
    `select o.price_book_version as order_version, s.price_book_version as current
     from orders o, catalogue_state s where o.account_id = $1`,
    [shop.customer.accountId],
  );
  assert.equal(versions?.order_version, versions?.current);
  const books = await booksOf(service, shop.customer);
  assert.equal(books.charged_pence, Math.round(estimate.body.total * 100));
  assert.ok(books.charged_pence >= shop.totalPence + 120, 'dearer by a pound and its VAT');
});

test('prices that change at every try: 503 with nothing written, and the reference stays free', async () => {
  const shop = await openShop(service, 3);
  const external_reference = newReference();
  // Every statement that would place it finds that the versions have moved on.
  const { placing } = service.ctx;
  const late: typeof placing = (own, order) => placing(own, { ...order, priceBookVersion: order.priceBookVersion - 1 });
  Object.assign(service.ctx, { placing: late });
  const refused = await shop.order({ external_reference });
  assert.deepEqual([refused.status, refused.body.code], [503, 'unavailable']);
  assert.ok(refused.headers.get('retry-after'));
  assert.equal((await booksOf(service, shop.customer)).orders, 0);
  Object.assign(service.ctx, { placing });
  assert.equal((await shop.order({ external_reference })).status, 201);
});

test('two first orders of one design at once: its setup is charged exactly once', async () => {
  const shop = await openShop(service, 2, 10_000);
  const url = await servePicture(service, '/badge.png', { colour: '#445566' });
  const items = [decorated(shop, url, 'embroidery', 'left_sleeve')];
  await holdBalance(second, shop);
  // The first holds the new right and waits for the balance; the second has been quoted a setup too, and waits for
  // the first.
  const first = shop.order({ items });
  await second.untilWaiting(1);
  const other = shop.order({ items });
  await second.untilWaiting(2);
  await second.query('rollback');
  const answers = await Promise.all([first, other]);
  const setups = answers.map((answer) => answer.body.charged.setup_total);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201],
  );
  assert.deepEqual(setups, [18, 0]);
  const [right] = await rows<{ rights: number; reliances: number; paid: number }>(
    service,
    `select (select count(*) from setup_right where account_id = $1) as rights,
            (select count(*) from setup_reliance where account_id = $1) as reliances,
            (select sum(amount_pence)::bigint from posting where account_id = $1 and credit_account = 'setup_fees') as paid`,
    [shop.customer.accountId],
  );
  assert.deepEqual(right, { rights: 1, reliances: 2, paid: 1_800 });
});

test('a setup right that vanishes while an order relies on it: the order is quoted again and pays the setup itself', async () => {
  const shop = await openShop(service, 2, 20_000);
  const badge = await servePicture(service, '/vanishing-badge.png', { colour: '#556677' });
  const items = [decorated(shop, badge, 'embroidery', 'left_sleeve')];
  assert.equal((await shop.order({ items })).body.charged.setup_total, 18);
  // The right goes while the placing function that relies on it waits for it.
  const { accountId } = shop.customer;
  await second.query('begin');
  await second.query('delete from setup_reliance where account_id = $1', [accountId]);
  await second.query('delete from setup_right where account_id = $1', [accountId]);
  const relying = shop.order({ items });
  await second.untilWaiting(1);
  await second.query('commit');
  const answer = await relying;
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.charged.setup_total, 18);
  const [right] = await rows<{ paid_by: string }>(
    service,
    'select o.reference as paid_by from setup_right r join orders o on o.id = r.paid_by_order where r.account_id = $1',
    [accountId],
  );
  assert.equal(right?.paid_by, answer.body.reference);
});
