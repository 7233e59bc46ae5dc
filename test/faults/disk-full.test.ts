import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { flat, noise } from '../harness/pictures.ts';
import { openPremises, type Premises, pictureOrder, teeOrder, written } from '../harness/premises.ts';
import { type Hardship, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { newReference } from '../harness/shop.ts';

/**
 * Whether an ordinary user may have a disk of its own here; where not, the bound on the size of a file stands for it.
 */
const HAS_OWN_DISKS = ((): boolean => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const SMALL_BYTES_MAX = 10_000;
const LARGE_BYTES_MIN = 300_000;

let premises: Premises;
let proxy: DatabaseProxy;
before(async () => {
  // Who has a disk of his own has a user of his own too, who may not open the database's socket.
  premises = await openPremises({}, async (database) => {
    proxy = await startDatabaseProxy(database);
    return proxy.url;
  });
  const small = await flat(400, 400, '#336699').png().toBuffer();
  const large = await noise(400, 400).png().toBuffer();
  assert.ok(small.length < SMALL_BYTES_MAX && large.length > LARGE_BYTES_MIN);
  premises.stranger.serve('/small.png', { body: small });
  premises.stranger.serve('/large.png', { body: large });
});
after(async () => {
  await proxy.close();
  await premises.close();
});

/** The marker of the store of this database, so that a service takes the folder for it. */
const marked = (blobs: string): string =>
  `mkdir -p '${blobs}' && cp '${join(premises.env.DATA_DIR ?? '', 'blobs', 'store.id')}' '${blobs}'`;

/** Ways in which a file really cannot be written any further. */
const DISKS: readonly { name: string; hardship: (blobs: string) => Hardship; skip: boolean }[] = [
  // In units of 512 bytes.
  {
    name: 'no file may grow beyond 50 kB',
    hardship: (blobs) => ({ before: `${marked(blobs)} && ulimit -f 100` }),
    skip: false,
  },
  {
    name: 'the disk has 100 kB in all',
    hardship: (blobs) => ({
      under: ['unshare', '-rm'],
      before: `mkdir -p '${blobs}' && mount -t tmpfs -o size=100k none '${blobs}' && ${marked(blobs)}`,
    }),
    skip: !HAS_OWN_DISKS,
  },
];

for (const { name, hardship, skip } of DISKS) {
  describe(`where ${name}`, { skip }, () => {
    let service: ServiceProcess;
    let blobs: string;
    before(async () => {
      const dataDir = join(premises.folder, name.replaceAll(' ', '-'));
      blobs = join(dataDir, 'blobs');
      // The API alone: print files would be made on the same disk.
      service = await startServiceProcess({ ...premises.env, DATA_DIR: dataDir }, ['--role', 'api'], hardship(blobs));
    });
    after(async () => {
      if (service?.isRunning()) await service.kill();
    });

    /** The files that the service sees in its store, whatever disk lies there for it. */
    function files(folder: 'staging' | 'files'): string[] {
      const seen = join(`/proc/${service.pid}/root`, blobs, folder);
      const there = existsSync(seen) ? seen : join(blobs, folder);
      return readdirSync(there, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [entry.name] : [],
      );
    }

    async function recorded(): Promise<object[]> {
      return premises.query(
        `select (select count(*) from design) as designs, (select count(*) from blob) as blobs,
                (select count(*) from posting) as postings, (select count(*) from orders) as orders,
                (select count(*) from order_reference) as refs, (select count(*) from event) as events,
                (select count(*) from job) as jobs, (select sum(balance_pence) from account_balance) as balance`,
      );
    }

    test('N207 an order whose artwork cannot be stored is told to come back: no order, no charge, no file left behind', async () => {
      const external_reference = newReference();
      const [before, filesBefore] = [await recorded(), files('files')];
      const refused = await premises.call(
        'POST',
        '/orders',
        pictureOrder(premises, '/large.png', { external_reference }),
      );
      assert.equal(refused?.status, 503, refused?.text);
      assert.ok(refused.headers.get('retry-after'));
      assert.equal((JSON.parse(refused.text) as { code: string }).code, 'unavailable');
      assert.deepEqual(await recorded(), before);
      assert.deepEqual([files('staging'), files('files')], [[], filesBefore]);

      // The disk has room for this one, and the reference was never used.
      const placed = await premises.call(
        'POST',
        '/orders',
        pictureOrder(premises, '/small.png', { external_reference }),
      );
      assert.equal(placed?.status, 201, placed?.text);
      assert.deepEqual(await written(premises, external_reference), { orders: 1, charges: 1 });
      assert.deepEqual([files('staging').length, files('files').length], [0, filesBefore.length + 1]);
    });

    test('N207 products and the check of an address are refused in the same way, and what needs no disk goes on', async () => {
      const [before, filesBefore] = [await recorded(), files('files')];
      const url = premises.stranger.url('/large.png');
      const checked = await premises.call('POST', '/uploads/validate', { url });
      assert.equal(checked?.status, 503, checked?.text);
      const product = await premises.call('POST', '/products', {
        base_product_id: await baseProductId(),
        name: 'Too large for the disk',
        variant_skus: ['TEE-CLASSIC-WHT-M'],
        decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] },
      });
      assert.equal(product?.status, 503, product?.text);
      assert.deepEqual(await recorded(), before);
      assert.deepEqual([files('staging'), files('files')], [[], filesBefore]);
      const plain = await premises.call('POST', '/orders', teeOrder(premises));
      assert.equal(plain?.status, 201, plain?.text);
      assert.equal((JSON.parse(plain.text) as CreatedOrder).payment_status, 'paid');
    });
  });
}

async function baseProductId(): Promise<string> {
  const page = await premises.call('GET', '/catalog/products?limit=100');
  const { data } = JSON.parse(page?.text ?? '{}') as { data: { id: string; master_sku: string }[] };
  return data.find(({ master_sku }) => master_sku === 'TEE-CLASSIC')?.id ?? '';
}
