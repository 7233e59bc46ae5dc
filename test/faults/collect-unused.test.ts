import assert from 'node:assert/strict';
import { readdir, readFile, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { collectUnusedBlobs, startBlobCollection } from '../../src/app/collect-blobs.ts';
import { collectOrphans } from '../../src/app/collect-orphans.ts';
import { ingestArtwork } from '../../src/artwork/ingest.ts';
import { deleteBlob } from '../../src/artwork/reserve-blobs.ts';
import { signedUrl } from '../../src/artwork/signed-url.ts';
import { WrongStore } from '../../src/artwork/store/marker.ts';
import type { BlobStore } from '../../src/lib/blobs.ts';
import type { PlaceOrderItem } from '../../src/orders/schema.ts';
import type { Product } from '../../src/products/schema.ts';
import { verify } from '../../src/verify/verify.ts';
import { eventually } from '../harness/context.ts';
import { openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { openRace, second, service } from '../harness/race.ts';
import type { TestService } from '../harness/service.ts';
import { HOME, servePicture, teeItem } from '../harness/shop.ts';
import { assertSound, balancePence, rows } from '../harness/written.ts';

// Which stored bytes are deleted, when, and what becomes of those that somebody takes up in the same moment.

const DAY_MS = 86_400_000;

openRace();

/** A picture that no other test has, on the stranger's host: its address. */
async function picture(path: string, side = 400): Promise<string> {
  const colour = `#${Buffer.from(path.padEnd(3)).subarray(-3).toString('hex')}`;
  return servePicture(service, `/${path}.png`, { widthPx: side, heightPx: side, colour });
}

/** Takes a picture in for the customer, as an order does that is then not placed. Returns its hash. */
async function keep(url: string): Promise<string> {
  const { accountId } = service.customer;
  const intake = await ingestArtwork(service.ctx, accountId, [{ url, path: 'url' }], new AbortController().signal);
  try {
    await intake.keep();
    return intake.pictures.get(url)?.hash ?? assert.fail('not taken in');
  } finally {
    await intake.discard();
  }
}

/** Rounds of so many at a time until everything was looked at. Returns how many were deleted. */
async function walk(batch = 500): Promise<number> {
  let deleted = 0;
  for (let place: Parameters<typeof collectUnusedBlobs>[1]; ; ) {
    const round = await collectUnusedBlobs(service.ctx, place, batch);
    deleted += round.deleted;
    if (round.next === undefined) return deleted;
    place = round.next;
  }
}

/** All that is stored, and when it was last used. */
async function everything(): Promise<readonly { hash: string; last_used_at: Date }[]> {
  return rows(service, "select encode(hash, 'hex') as hash, last_used_at from blob order by hash");
}

type Traces = { rows: number; designs: number; deleting: boolean | null; file: boolean };

/** What there is of stored bytes. */
async function tracesOf(hash: string): Promise<Traces> {
  const [found] = await rows<Omit<Traces, 'file'>>(
    service,
    `select (select count(*) from blob where hash = decode($1, 'hex')) as rows,
       (select count(*) from design where hash = decode($1, 'hex')) as designs,
       (select deleting from blob where hash = decode($1, 'hex')) as deleting`,
    [hash],
  );
  return { ...(found ?? assert.fail()), file: await service.ctx.blobs.has(hash) };
}

const THERE: Traces = { rows: 1, designs: 1, deleting: false, file: true };
const GONE: Traces = { rows: 0, designs: 0, deleting: null, file: false };

const mark = (hash: string) => rows(service, "update blob set deleting = true where hash = decode($1, 'hex')", [hash]);

const orderOf = (url: string) =>
  placeOrder(service, {
    items: [teeItem(service, { decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] } })],
  });

describe('stored bytes', () => {
  test('that no product and no order uses are kept for a day after their last use, and then deleted, file and rows', async () => {
    const url = await picture('unused');
    const hash = await keep(url);
    assert.equal(await walk(), 0);
    service.shiftMs(DAY_MS / 2);
    await keep(url);
    service.shiftMs(DAY_MS / 2 + 1_000);
    assert.equal(await walk(), 0, 'taken in again half a day ago');
    assert.deepEqual(await tracesOf(hash), THERE);
    service.shiftMs(DAY_MS / 2);
    assert.equal(await walk(), 1);
    assert.deepEqual(await tracesOf(hash), GONE);
    assert.equal(await keep(url), hash, 'and may come again');
    assert.deepEqual(await tracesOf(hash), THERE);
  });

  test('that a product or an order uses in any way are never deleted, however old', async () => {
    service.shiftMs(2 * DAY_MS);
    await walk();
    const [art, mock, photo] = [await picture('art'), await picture('mock'), await picture('photo', 600)];
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: art, mock_url: mock }];
    const order = await placeOrder(service, {
      items: [teeItem(service, { decoration: { areas } }), personalised(photo)],
    });
    await untilReady(await openFloor(service), order.id);
    const used = await everything();
    service.shiftMs(400 * DAY_MS);
    const orphan = await keep(await picture('orphan'));
    service.shiftMs(2 * DAY_MS);
    // In rounds of two, so that no page of the walk is left out.
    assert.equal(await walk(2), 1);
    assert.deepEqual(await tracesOf(orphan), GONE);
    assert.deepEqual(await everything(), used, 'none was even marked');
    for (const { hash } of used) assert.ok(await service.ctx.blobs.has(hash));
    // All the ways of being in use were among them.
    const [ways] = await rows<Record<string, number>>(
      service,
      `select (select count(*) from product where mockup_hash is not null) as mockups,
         (select count(*) from product_area) as areas,
         (select count(*) from product where personalisation is not null) as templates,
         (select count(*) from print_file where recipe ->> 'designHash' is not null) as designs,
         (select count(*) from print_file where jsonb_path_exists(recipe, '$.drawings[*].designHash')) as drawings,
         (select count(*) from print_file where preview_hash is not null) as previews,
         (select count(*) from order_line where mock_hash not in (select mockup_hash from product)) as mocks`,
    );
    for (const [way, count] of Object.entries(ways ?? {})) assert.ok(count > 0, way);
  });

  test('that a product has given up are kept for a day from then: an order that is being placed may still print them', async () => {
    const create = async (url: string) => ({
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] },
    });
    const base = (await service.ctx.prices.latest()).catalogue.bySku.get('TEE-CLASSIC-WHT-M') ?? assert.fail();
    const first = await picture('first');
    const hash = await keep(first);
    const { body: shown } = await service.customer.request<Product>('GET', `/products/${service.demo.products.fixed}`);
    const created = await service.customer.request<Product>('POST', '/products', {
      name: 'A tee',
      base_product_id: shown.base_product.id,
      variant_skus: [base.variant.entry.sku],
      ...(await create(first)),
    });
    assert.equal(created.status, 201, created.text);
    service.shiftMs(3 * DAY_MS);
    await walk();
    assert.deepEqual(await tracesOf(hash), THERE);
    const changed = await service.customer.request(
      'PATCH',
      `/products/${created.body.id}`,
      await create(await picture('next')),
    );
    assert.equal(changed.status, 200, changed.text);
    await walk();
    assert.deepEqual(await tracesOf(hash), THERE);
    service.shiftMs(DAY_MS + 1_000);
    await walk();
    assert.deepEqual(await tracesOf(hash), GONE);
  });
});

/** A piece of the demo's personalised product with a buyer's photograph and a motif of the product. */
function personalised(url: string): PlaceOrderItem {
  const inputs = { line: 'Ada', photos: JSON.stringify([url]), motif: 'star' };
  return {
    product_id: service.demo.products.personalised,
    variant_sku: 'TEE-ORGANIC-ECR-M',
    quantity: 1,
    decoration: { personalisation: { inputs } },
  };
}

describe('an order whose artwork is being deleted', () => {
  test('writes it again, whether the process that was deleting it died before the file was gone or after (N207)', async () => {
    for (const path of ['before', 'after']) {
      const url = await picture(path);
      const hash = await keep(url);
      await mark(hash);
      if (path === 'after') await service.ctx.blobs.remove(hash);
      const order = await orderOf(url);
      assert.deepEqual(await tracesOf(hash), THERE);
      await untilReady(await openFloor(service), order.id);
    }
  });

  test('waits for whoever is deleting it, and finds it gone or finishes what that one has left', async () => {
    for (const ending of ['commit', 'rollback']) {
      const url = await picture(ending);
      const hash = await keep(url);
      await mark(hash);
      await second.query('begin');
      await second.query("select from blob where hash = decode($1, 'hex') for update", [hash]);
      const placing = orderOf(url);
      await second.untilWaiting(1);
      if (ending === 'commit') {
        await second.query("delete from design where hash = decode($1, 'hex')", [hash]);
        await second.query("delete from blob where hash = decode($1, 'hex')", [hash]);
        await service.ctx.blobs.remove(hash);
      }
      await second.query(ending);
      await placing;
      assert.deepEqual(await tracesOf(hash), THERE);
    }
  });

  test('is passed over, without a wait, while somebody takes it in', async () => {
    const hash = await keep(await picture('inhand'));
    service.shiftMs(DAY_MS + 1_000);
    await second.query('begin');
    await second.query("update blob set last_used_at = $2 where hash = decode($1, 'hex')", [
      hash,
      service.ctx.clock.now().toISOString(),
    ]);
    await walk();
    await second.query('commit');
    await walk();
    assert.deepEqual(await tracesOf(hash), THERE);
  });

  test('in the very moment in which they are collected is printed from bytes that are there, fifty times over', async () => {
    const url = await picture('racing');
    for (let round = 0; round < 50; round += 1) {
      const hash = await keep(url);
      service.shiftMs(DAY_MS + 1_000);
      await Promise.all([walk(), keep(url), walk()]);
      assert.deepEqual(await tracesOf(hash), THERE, `round ${round}`);
    }
  });
});

describe('a deletion that is cut short', () => {
  const diesAfter = (step: 'nothing' | 'file'): Pick<TestService['ctx'], 'database' | 'blobs'> => {
    const setAside: BlobStore['setAside'] = async (hash) => {
      if (step === 'file') await service.ctx.blobs.setAside(hash);
      throw new Error('the process died');
    };
    return { database: service.ctx.database, blobs: { ...service.ctx.blobs, setAside } };
  };

  test('before or after the file is gone leaves the mark and is finished by the next round, whoever does it', async () => {
    for (const step of ['nothing', 'file'] as const) {
      const hash = await keep(await picture(`cut${step}`));
      await mark(hash);
      await assert.rejects(deleteBlob(diesAfter(step), hash), /died/);
      assert.deepEqual(await tracesOf(hash), { rows: 1, designs: 1, deleting: true, file: true });
      await assertSound(service);
      assert.equal(await walk(), 1);
      assert.deepEqual(await tracesOf(hash), GONE);
    }
  });

  test('by a pause in which its session ends and the same bytes come in anew takes nothing away', async () => {
    for (const moment of ['before the file was touched', 'after'] as const) {
      const url = await picture(`paused${moment.length}`);
      const hash = await keep(url);
      await mark(hash);
      const reached = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      const setAside: BlobStore['setAside'] = async (wanted) => {
        if (moment === 'after') {
          const aside = await service.ctx.blobs.setAside(wanted);
          reached.resolve();
          await goOn.promise;
          return aside;
        }
        reached.resolve();
        await goOn.promise;
        return service.ctx.blobs.setAside(wanted);
      };
      const paused = { database: service.ctx.database, blobs: { ...service.ctx.blobs, setAside } };
      const deletion = deleteBlob(paused, hash).catch(() => 'failed');
      await reached.promise;
      await second.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`,
      );
      assert.equal(await keep(url), hash);
      assert.deepEqual(await tracesOf(hash), THERE);
      goOn.resolve();
      assert.equal(await deletion, 'failed');
      assert.deepEqual(await tracesOf(hash), THERE, moment);
      await service.ctx.blobs.path(hash);
      await assertSound(service);
    }
  });

  test('by a product that took the bytes up in between leaves them all: file, row and design', async () => {
    const [held] = await rows<{ hash: string }>(
      service,
      "select encode(design_hash, 'hex') as hash from product_area limit 1",
    );
    const hash = held?.hash ?? assert.fail();
    await mark(hash);
    assert.equal(await walk(), 0);
    assert.deepEqual(await tracesOf(hash), THERE);
  });

  test('two at once delete once', async () => {
    const hash = await keep(await picture('twice'));
    await mark(hash);
    const done = await Promise.all([deleteBlob(service.ctx, hash), deleteBlob(service.ctx, hash)]);
    assert.deepEqual(done.toSorted(), [false, true]);
    assert.deepEqual(await tracesOf(hash), GONE);
  });
});

describe('a file that no row records', () => {
  const LONG_AGO = Date.now() / 1_000 - 2 * 86_400;
  const orphans = async (): Promise<number> => {
    let found = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const round = await collectOrphans(service.ctx, after);
      found += round.found;
      after = round.next;
    }
    return found;
  };
  /** Dates what was set aside an hour back: its name says since when. */
  const hourLater = async (): Promise<void> => {
    const folder = join(dirname(dirname(service.ctx.blobs.scratchPath())), 'leaving');
    for (const name of await readdir(folder)) {
      const [hash, since, id] = name.split('.');
      await rename(join(folder, name), join(folder, `${hash}.${Number(since) - 3_700_000}.${id}`));
    }
  };
  const stored = async (text: string, seconds = LONG_AGO): Promise<string> => {
    const hash = await service.ctx.blobs.put(Buffer.from(text));
    await utimes(await service.ctx.blobs.path(hash), seconds, seconds);
    return hash;
  };

  test('goes after a day, and what came later or is recorded stays', async () => {
    const old = await stored('old');
    const young = await stored('young', Date.now() / 1_000 - 3_600);
    const recorded = await keep(await picture('recorded'));
    await utimes(await service.ctx.blobs.path(recorded), LONG_AGO, LONG_AGO);
    assert.equal(await orphans(), 1);
    assert.equal(await service.ctx.blobs.has(old), true, 'set aside for an hour');
    await orphans();
    await hourLater();
    await orphans();
    assert.deepEqual([await service.ctx.blobs.has(old), await service.ctx.blobs.has(young)], [false, true]);
    assert.deepEqual(await tracesOf(recorded), THERE);
    await service.ctx.blobs.remove(young);
  });

  test('is put back when an order takes it up after all', async () => {
    const hash = await stored('taken up late');
    assert.equal(await orphans(), 1);
    await rows(
      service,
      `insert into blob (hash, bytes, mime, created_at, last_used_at) values (decode($1, 'hex'), $2, 'image/png', $3, $3)`,
      [hash, 'taken up late'.length, service.ctx.clock.now()],
    );
    await orphans();
    await hourLater();
    await orphans();
    assert.deepEqual(await service.ctx.blobs.listAside(), []);
    assert.equal(await service.ctx.blobs.has(hash), true);
  });
});

describe('while the store is away', () => {
  test('nothing is deleted, marked or set aside, and downloads and orders are 503 without a charge', async () => {
    const root = dirname(dirname(service.ctx.blobs.scratchPath()));
    const url = await picture('away');
    const hash = await keep(url);
    await mark(hash);
    const signed = await orderOf(await picture('away2'));
    const [file] = await rows<{ hash: string }>(
      service,
      "select encode(hash, 'hex') as hash from blob where not deleting order by created_at desc limit 1",
    );
    const link = signedUrl(service.ctx.secrets, service.url, file?.hash ?? assert.fail(), service.ctx.clock.now());
    const before = await everything();
    await rename(root, `${root}-away`);
    try {
      await assert.rejects(walk(), WrongStore);
      await assert.rejects(collectOrphans(service.ctx, ''), WrongStore);
      assert.deepEqual(await everything(), before);
      assert.equal((await fetch(link)).status, 503);
      const items = [
        teeItem(service, { decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] } }),
      ];
      const placed = (): Promise<unknown> => rows(service, 'select count(*) from orders', []);
      const [orders, balance] = [await placed(), await balancePence(service, service.customer)];
      const answer = await service.customer.request('POST', '/orders', { items, shipping_address: HOME });
      assert.equal(answer.status, 503, answer.text);
      assert.deepEqual([await placed(), await balancePence(service, service.customer)], [orders, balance]);
    } finally {
      await rm(root, { recursive: true, force: true });
      await rename(`${root}-away`, root);
    }
    assert.equal((await fetch(link)).status, 200);
    assert.ok(signed.id !== '');
    assert.equal(await walk(), 1, 'the marked one');
    assert.deepEqual(await tracesOf(hash), GONE);
  });
});

test('a running service does it by itself, and ends at once when it is told to', async () => {
  const hash = await keep(await picture('byitself'));
  service.shiftMs(DAY_MS + 1_000);
  const collection = startBlobCollection(service.ctx, 0);
  await eventually('it is gone', async () => (await tracesOf(hash)).rows === 0 && !(await service.ctx.blobs.has(hash)));
  const before = performance.now();
  await collection.stop(60_000);
  assert.ok(performance.now() - before < 30_000);
});

test('platen verify misses a stored file that is in use, and not one that nothing uses, as after a restored dump', async () => {
  const [used] = await rows<{ hash: string }>(
    service,
    "select encode(mockup_hash, 'hex') as hash from product where mockup_hash is not null limit 1",
  );
  const unused = await keep(await picture('restored'));
  const hash = used?.hash ?? assert.fail();
  const bytes = await readFile(await service.ctx.blobs.path(hash));
  await service.ctx.blobs.remove(unused);
  await service.ctx.blobs.remove(hash);
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.flatMap(({ violations }) => violations),
    [`blob ${hash} has no file`],
  );
  assert.equal(await service.ctx.blobs.put(bytes), hash);
  assert.equal(await keep(service.stranger.url('/restored.png')), unused);
  assert.deepEqual(await tracesOf(unused), THERE);
});

test('bytes that are being deleted are served to nobody', async () => {
  const hash = await keep(await picture('served'));
  const url = signedUrl(service.ctx.secrets, service.url, hash, service.ctx.clock.now());
  assert.equal((await fetch(url)).status, 200);
  await mark(hash);
  assert.equal((await fetch(url)).status, 404);
});
