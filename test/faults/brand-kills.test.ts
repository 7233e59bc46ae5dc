import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { collectUnusedBlobs } from '../../src/app/collect-blobs.ts';
import { collectOrphans } from '../../src/app/collect-orphans.ts';
import type { AppContext } from '../../src/app/context.ts';
import { createBrand, updateBrand } from '../../src/brands/save-brand.ts';
import type { Caller } from '../../src/lib/caller.ts';
import type { Database } from '../../src/lib/db.ts';
import { type Customer, startTestService, type TestService } from '../harness/service.ts';
import { servePicture } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';

let service: TestService;
let customer: Customer;
let caller: Caller;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
  caller = { accountId: customer.accountId, limitedAs: 'test', scopes: new Set() };
});
after(() => service.stop());

class Killed extends Error {}

/** A context whose process ends before the statement or transaction with this number, or after its commit. */
function dyingAt(ctx: AppContext, step: number, when: 'before' | 'after'): { ctx: AppContext; steps: () => number } {
  let taken = 0;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    const at = taken;
    taken += 1;
    if (at > step || (at === step && when === 'before')) throw new Killed('killed');
    const result = await work();
    if (at === step) throw new Killed('killed');
    return result;
  };
  const database: Database = {
    ...ctx.database,
    all: (what, values) => run(() => ctx.database.all(what, values)),
    one: (what, values) => run(() => ctx.database.one(what, values)),
    transaction: (work) => run(() => ctx.database.transaction(work)),
  };
  return { ctx: { ...ctx, database }, steps: () => taken };
}

/** A logo that no other test has: its address. */
const logoOf = (name: string): Promise<string> => {
  const colour = `#${Buffer.from(name.padStart(3)).subarray(-3).toString('hex')}`;
  return servePicture(service, `/${name}.png`, { widthPx: 90, heightPx: 30, colour });
};

const request = <Body>(body: Body) => ({ body, unknownFields: [], signal: new AbortController().signal });

type Written = { name: string; revisions: number; present: number; logo: string };

const written = (): Promise<readonly Written[]> =>
  rows<Written>(
    service,
    `select max(r.name) as name, count(r.id)::integer as revisions,
       count(r.id) filter (where r.superseded_at is null)::integer as present, max(encode(r.logo_hash, 'hex')) as logo
     from brand b left join brand_revision r on r.brand_id = b.id where b.account_id = $1 group by b.id order by 1`,
    [customer.accountId],
  );

const DAY_MS = 86_400_000;

/** Every stored file, by its hash. */
async function stored(): Promise<{ hash: string; path: string }[]> {
  const hashes: string[] = [];
  for (let folder: string | undefined = ''; folder !== undefined; ) {
    const { files, next }: Awaited<ReturnType<AppContext['blobs']['listFiles']>> =
      await service.ctx.blobs.listFiles(folder);
    hashes.push(...files.map(({ hash }) => hash));
    folder = next;
  }
  return Promise.all(hashes.map(async (hash) => ({ hash, path: await service.ctx.blobs.path(hash) })));
}

test('a brand that is killed at any step is there as a whole or not at all; the retry ends it, and bytes without a use are collected', async () => {
  const whole = dyingAt(service.ctx, Number.POSITIVE_INFINITY, 'before');
  await createBrand(whole.ctx, caller, request({ name: 'Whole', logo_url: await logoOf('whole') }));
  const steps = whole.steps();
  assert.ok(steps >= 5, `${steps} steps`);
  let [made, left] = [0, 0];
  for (let step = 0; step < steps; step += 1) {
    for (const when of ['before', 'after'] as const) {
      const name = `${when.slice(0, 1)}${String(step).padStart(2, '0')}`;
      const body = { name, logo_url: await logoOf(name) };
      await assert.rejects(createBrand(dyingAt(service.ctx, step, when).ctx, caller, request(body)));
      const found = (await written()).find((one) => one.name === name);
      if (found === undefined) left += 1;
      else {
        made += 1;
        assert.deepEqual([found.revisions, found.present, found.logo === null], [1, 1, false], name);
      }
    }
  }
  assert.ok(made > 0 && left > 5, `${made} made, ${left} not`);
  assert.ok((await written()).every(({ present, revisions }) => present === 1 && revisions === 1));

  const before = await stored();
  const old = new Date(Date.now() - 2 * DAY_MS);
  for (const { path } of before) await utimes(path, old, old);
  service.shiftMs(2 * DAY_MS);
  await collectUnusedBlobs(service.ctx, undefined);
  let folder: string | undefined = '';
  while (folder !== undefined) folder = (await collectOrphans(service.ctx, folder)).next;
  const used = new Set((await written()).map(({ logo }) => logo));
  const kept = new Set((await stored()).map(({ hash }) => hash));
  for (const hash of used) assert.ok(kept.has(hash), 'a logo in use is kept');
  const recorded = await rows<{ hash: string }>(service, "select encode(hash, 'hex') as hash from blob");
  assert.deepEqual([...kept].toSorted(), recorded.map(({ hash }) => hash).toSorted(), 'no file is without a row');
  assert.ok(kept.size < before.length, 'bytes without a use were there, and are gone');

  // Sent again, each is there once.
  for (let step = 0; step < steps; step += 1) {
    const name = `b${String(step).padStart(2, '0')}`;
    const answer = await customer.request('POST', '/brands', { name, logo_url: await logoOf(name) });
    assert.ok([201, 422].includes(answer.status), answer.text);
    assert.equal((await written()).filter((one) => one.name === name).length, 1);
  }
});

test('a change that is killed at any step leaves the brand as it was or as it is to be', async () => {
  const { id } = await createBrand(service.ctx, caller, request({ name: 'Before' }));
  const whole = dyingAt(service.ctx, Number.POSITIVE_INFINITY, 'before');
  await updateBrand(whole.ctx, caller, id, request({ message: 'step', logo_url: await logoOf('step') }));
  for (let step = 0; step < whole.steps(); step += 1) {
    for (const when of ['before', 'after'] as const) {
      const message = `${when} ${step}`;
      const was = await messageOf(id);
      const body = { message, logo_url: await logoOf(`u${when}${step}`), is_default: step % 2 === 0 };
      await assert.rejects(updateBrand(dyingAt(service.ctx, step, when).ctx, caller, id, request(body)));
      assert.ok([was, message].includes(await messageOf(id)), message);
      await updateBrand(service.ctx, caller, id, request(body));
      assert.equal(await messageOf(id), message);
    }
  }
  assert.ok((await written()).every(({ present }) => present === 1));
});

async function messageOf(id: string): Promise<string> {
  const answer = await customer.request<{ message: string }>('GET', `/brands/${id}`);
  return answer.body.message;
}
