import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoReport } from '../../../src/bin/seed-demo.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { Event } from '../../../src/webhooks/event-schema.ts';
import { createAuthority } from '../../harness/authority.ts';
import { runManyCommands } from '../../harness/command-line.ts';
import { eventually } from '../../harness/context.ts';
import { installDemo } from '../../harness/database.ts';
import type { CommandResult } from '../../harness/environment.ts';
import { openCommandShell } from '../../harness/open-shell.ts';
import { flat } from '../../harness/pictures.ts';
import { freePort, platenJson, runPlaten, type ServiceProcess, startServiceProcess } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { HOME, newReference } from '../../harness/shop.ts';
import { type Stranger, startStranger } from '../../harness/stranger.ts';

type BackupResult = {
  readonly backup: string;
  readonly folder: string;
  readonly taken_at: string;
  readonly blobs: number;
  readonly new_blobs: number;
  readonly secret_key: string;
  readonly removed_backups: readonly string[];
  readonly doubted_backups: readonly string[];
  readonly dated_later: readonly string[];
};
type RestoreResult = { readonly backup: string; readonly ok: boolean; readonly checks: number; readonly blobs: number };
type DrillResult = RestoreResult & {
  readonly orders: number;
  readonly age_seconds: number;
  readonly checked: readonly { readonly name: string; readonly violations: number }[];
};

let folder: string;
let dir: string;
let env: Record<string, string>;
let demo: DemoReport;
let stranger: Stranger;
let service: ServiceProcess;

before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-backups-'));
  dir = join(folder, 'backups');
  const authority = createAuthority();
  stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  stranger.serve('/badge.png', { body: await flat(400, 400, '#336699').png().toBuffer() });
  env = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
    WEBHOOK_FLUSH_SECONDS: '0',
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
    LOG_LEVEL: 'error',
  };
  demo = await installDemo(env);
  await platenJson(['account', 'credit', '--account', demo.account_id, '--amount', '100000'], env);
  await platenJson(['stock', 'set', '--sku', 'TEE-CLASSIC-WHT-M', '--on-hand', '50000'], env);
  service = await startServiceProcess(env);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  await stranger?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

async function call<Body>(at: ServiceProcess, method: string, path: string, body?: object) {
  const response = await fetch(`${at.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demo.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** The smallest of the product's print areas: its file is soon made. */
const SLEEVE = { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] };

const place = (at: ServiceProcess, external_reference: string, changes: object = {}) =>
  call<CreatedOrder>(at, 'POST', '/orders', {
    items: [{ ...SLEEVE, product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, ...changes }],
    shipping_address: HOME,
    external_reference,
  });

const printed = () => ({
  print_jobs: undefined,
  decoration: { areas: [{ print_area: 'left_sleeve', method: 'dtf', artwork_url: stranger.url('/badge.png') }] },
});

/** Reads an account's log from a cursor to its end. */
async function readLog(at: ServiceProcess, cursor?: string): Promise<Event[]> {
  const { body } = await call<Page<Event>>(
    at,
    'GET',
    `/events?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`,
  );
  return body.has_more ? [...body.data, ...(await readLog(at, body.data.at(-1)?.id))] : [...body.data];
}

/** Ended with this status and one line that holds these words; on a busy machine lines of progress come before it. */
function assertOneLine(result: CommandResult, status: number, ...words: string[]): void {
  assert.equal(result.status, status, result.stderr);
  assert.match(result.stderr, /(^|\n)platen: [^\n]+\n$/);
  for (const word of words) assert.ok(result.stderr.includes(word), `${word} in: ${result.stderr}`);
  assert.equal(result.stdout, '');
}

/** Between the orders of a lane: what is asked is that some come at every moment, not how many. */
const PAUSE_MS = 20;
/** So many orders are placed side by side. */
const LANES = 3;

/** Places orders until it is stopped; returns what was acknowledged, and when. */
function keepPlacing(): {
  readonly acknowledged: { id: string; reference: string; atMs: number }[];
  stop: () => Promise<void>;
} {
  const acknowledged: { id: string; reference: string; atMs: number }[] = [];
  const stopping = new AbortController();
  const lane = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const reference = newReference();
      const { status, body } = await place(service, reference);
      assert.equal(status, 201);
      acknowledged.push({ id: body.id, reference, atMs: performance.now() });
      await sleep(PAUSE_MS);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  return {
    acknowledged,
    stop: async () => {
      stopping.abort();
      await Promise.all(lanes);
    },
  };
}

test('a backup while orders are placed holds every order acknowledged before it, and its restore goes on from there', async () => {
  const withPicture = await place(service, newReference(), printed());
  assert.equal(withPicture.status, 201);
  const placing = keepPlacing();
  await eventually('some orders', async () => placing.acknowledged.length > 20);
  const beganMs = performance.now();
  const taken = await platenJson<BackupResult>(['backup', dir], env);
  const endedMs = performance.now();
  await eventually('orders after the backup', async () => (placing.acknowledged.at(-1)?.atMs ?? 0) > endedMs);
  await placing.stop();
  const { acknowledged } = placing;
  const during = acknowledged.filter(({ atMs }) => atMs > beganMs && atMs < endedMs);
  assert.ok(during.length > 0, 'orders were placed while it was taken');
  assert.deepEqual([taken.secret_key, taken.new_blobs], ['in the backup', taken.blobs]);
  assert.ok(taken.blobs > 8, 'the artwork of an order is among the stored files');
  const lost = await place(service, newReference());
  const seen = await eventuallyLog(service, lost.body.reference);

  const dataDir = join(folder, 'restored');
  const restored = await platenJson<RestoreResult>(['restore', dir, '--to', dataDir], env);
  assert.deepEqual([restored.backup, restored.ok, restored.blobs], [taken.backup, true, taken.blobs]);
  assert.ok(restored.checks > 30);
  const there = await startServiceProcess({ ...env, DATA_DIR: dataDir, PORT: String(await freePort()) });
  try {
    const ids = new Set(await listOrders(there));
    const earlier = acknowledged.filter(({ atMs }) => atMs < beganMs);
    assert.deepEqual(
      earlier.filter(({ id }) => !ids.has(id)),
      [],
    );
    const last = earlier.at(-1);
    const again = await place(there, last?.reference ?? '');
    assert.deepEqual([again.status, again.body.id], [200, last?.id], 'and is known by its reference');
    assert.equal((await call(there, 'GET', `/orders/${lost.body.id}`)).status, 404, 'a later order is gone');
    assert.equal((await call(there, 'GET', `/orders/${withPicture.body.id}`)).status, 200);

    // A subscriber that has read on in what is lost: it goes on behind it, and misses nothing that is new.
    const anew = [await place(there, newReference()), await place(there, newReference())];
    await eventuallyLog(there, anew[1]?.body.reference ?? '');
    const known = new Set(seen.map(({ id }) => id));
    // Of the last ones that were placed side by side, some may be shown again, under their ids.
    const next = (await readLog(there, seen.at(-1)?.id)).filter(({ id }) => !known.has(id));
    assert.deepEqual(
      next.map(({ data }) => data.reference),
      anew.map(({ body }) => body.reference),
    );
    const all = (await readLog(there)).map(({ id }) => id);
    assert.equal(new Set(all).size, all.length);
    const kept = all.slice(0, -anew.length);
    const before = seen.map(({ id }) => id);
    assert.deepEqual(
      kept,
      before.filter((id) => kept.includes(id)),
      'in the order of before',
    );
    // What the other lanes were writing when the backup ended is missing, although its place is before the last.
    const missing = before.indexOf(kept.at(-1) ?? '') + 1 - kept.length;
    assert.ok(missing >= 0 && missing < LANES, `${missing} events are missing`);
    const verified = await runPlaten(['verify'], { ...env, DATA_DIR: dataDir });
    assert.equal(verified.status, 0, verified.stdout);
  } finally {
    await there.stop();
  }
});

/** The ids of all orders of the account. */
async function listOrders(at: ServiceProcess, cursor?: string): Promise<string[]> {
  const path = `/orders?limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`;
  const { body } = await call<Page<{ id: string }>>(at, 'GET', path);
  const ids = body.data.map(({ id }) => id);
  return body.next_cursor === null ? ids : [...ids, ...(await listOrders(at, body.next_cursor))];
}

/** Reads the log until it has the event of an order. */
async function eventuallyLog(at: ServiceProcess, reference: string): Promise<Event[]> {
  let read: Event[] = [];
  await eventually('the last event is shown', async () => {
    read = await readLog(at);
    return read.some(({ data }) => data.reference === reference);
  });
  return read;
}

describe('with a backup', () => {
  let taken: BackupResult;
  before(async () => {
    taken = await platenJson<BackupResult>(['backup', dir], env);
  });

  test('the next one copies no stored file again, and all is for its owner alone', async () => {
    assert.ok(taken.new_blobs < 5 && taken.blobs > 8, 'at most what was printed since');
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      assert.equal(mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, join(entry.parentPath, entry.name));
    }
    assert.deepEqual((await readdir(taken.folder)).toSorted(), [
      'BLOBS.sha256',
      'FILES.sha256',
      'backup.json',
      'data',
      'database',
    ]);
    assert.deepEqual((await readdir(join(taken.folder, 'data'))).toSorted(), ['postgres-password', 'secret.key']);
    assert.ok(!(await readdir(join(taken.folder, 'database'))).includes('postmaster.pid'));
  });

  test('a drill proves it beside the service, and leaves nothing', async () => {
    const scratch = join(folder, 'scratch');
    await mkdir(scratch);
    const drilled = await platenJson<DrillResult>(['drill', dir, '--scratch', scratch], env);
    assert.deepEqual([drilled.backup, drilled.ok, drilled.blobs], [taken.backup, true, taken.blobs]);
    assert.ok(drilled.orders > 20 && drilled.age_seconds >= 0);
    assert.deepEqual(await readdir(scratch), []);
    const spoken = await runPlaten(['drill', dir, '--at', taken.backup, '--scratch', scratch], env);
    assert.equal(spoken.status, 0, spoken.stderr);
    assert.match(spoken.stdout, /can be restored: proved in \d+ s/);
    assert.match(spoken.stdout, new RegExp(`Checks: ${drilled.checks}, passed: ${drilled.checks}, broken: 0\\.`));
    assert.equal(drilled.checked.length, drilled.checks);
    assert.ok(drilled.checked.some(({ name }) => name === 'no stored file is missing'));
    for (const { name, violations } of drilled.checked) {
      assert.equal(violations, 0, name);
      assert.ok(spoken.stdout.includes(`ok      ${name}\n`), name);
    }
  });

  test('a changed byte of a file of it ends a drill and a restore, which name the file, before a server starts', async () => {
    const table =
      /database\/base\/\d+\/\d+$/m.exec(await readFile(join(taken.folder, 'FILES.sha256'), 'utf8'))?.[0] ?? '';
    const whole = await readFile(join(taken.folder, table));
    const bytes = Buffer.from(whole);
    bytes[100] = (bytes[100] ?? 0) ^ 64;
    await writeFile(join(taken.folder, table), bytes);
    assertOneLine(await runPlaten(['drill', dir], env), 1, 'damaged', `${table} has changed`, '--at');
    await writeFile(join(taken.folder, table), whole);
    const blob = (await readFile(join(taken.folder, 'BLOBS.sha256'), 'utf8')).split('\n')[0]?.slice(69) ?? '';
    const sound = await readFile(join(dir, blob));
    await writeFile(join(dir, blob), sound.subarray(1));
    const to = join(folder, 'never');
    assertOneLine(await runPlaten(['restore', dir, '--to', to], env), 1, 'damaged', blob);
    assertOneLine(await runPlaten(['serve'], { ...env, DATA_DIR: to, PORT: '0' }), 1, 'has not finished', 'restore');
    await writeFile(join(dir, blob), sound);
    assert.equal(
      (await platenJson<RestoreResult>(['restore', dir, '--to', to], env)).ok,
      true,
      'a sound one replaces it',
    );
  });

  test('one of another major version of PostgreSQL is refused before a file is copied', async () => {
    const path = join(taken.folder, 'backup.json');
    const facts = await readFile(path, 'utf8');
    await writeFile(path, facts.replace(/"postgres": "[^"]+"/, '"postgres": "17.10"'));
    const to = join(folder, 'other-version');
    assertOneLine(
      await runPlaten(['restore', dir, '--to', to], env),
      1,
      'PostgreSQL 17.10',
      '18',
      'version that took it',
    );
    assert.ok(!existsSync(to));
    await writeFile(path, facts);
  });

  test('one that is too old goes with the next, unless the clock alone says that it is too old', async () => {
    const list = async () => (await readdir(dir)).filter((name) => name.startsWith('20')).toSorted();
    const redate = async (backup: string, daysAgo: number) => {
      const path = join(dir, backup, 'backup.json');
      const facts = JSON.parse(await readFile(path, 'utf8')) as BackupResult;
      const taken_at = new Date(Date.parse(taken.taken_at) - daysAgo * 86_400_000).toISOString();
      await writeFile(path, JSON.stringify({ ...facts, taken_at }));
    };
    const [first = '', ...others] = await list();
    assert.deepEqual(others, [taken.backup]);
    await redate(taken.backup, -365);
    const ahead = await platenJson<BackupResult>(['backup', dir], env);
    assert.deepEqual([ahead.removed_backups, ahead.doubted_backups, ahead.dated_later], [[], [], [taken.backup]]);
    await redate(first, 36);
    await redate(taken.backup, 36);
    const spoken = await runPlaten(['backup', dir], env);
    assert.equal(spoken.status, 0, spoken.stderr);
    assert.match(spoken.stdout, new RegExp(`Kept although too old by the clock: ${first}, ${taken.backup}\\.`));
    await redate(first, 81);
    await redate(taken.backup, 40);
    const next = await platenJson<BackupResult>(['backup', dir], env);
    assert.deepEqual([next.removed_backups, next.doubted_backups], [[first, taken.backup], []]);
    assert.equal((await list()).length, 3);
  });
});

describe('refused in one line', () => {
  const shell = openCommandShell();
  after(() => shell.close());
  test('a restore over anything that is there, and beside a running service', async () => {
    const { DATA_DIR = '' } = env;
    assertOneLine(
      await shell.run(['restore', dir], env),
      1,
      'a service or a restore runs',
      `process ${service.pid}`,
      '--to',
    );
    assertOneLine(await shell.run(['restore', dir, '--to', DATA_DIR], env), 1, `process ${service.pid}`);
    const stopped = join(folder, 'restored');
    const before = await readdir(stopped);
    assertOneLine(await shell.run(['restore', dir, '--to', stopped], env), 1, 'not empty', 'move it away');
    assert.deepEqual(await readdir(stopped), before);
    for (const inside of [join(DATA_DIR, 'sub'), join(dir, 'sub'), join(dir, 'deep', 'sub')]) {
      assertOneLine(await shell.run(['restore', dir, '--to', inside], env), 1, 'lies in', 'outside of it');
      assert.ok(!existsSync(inside));
    }
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(other, 'a-file'), 'mine');
    assertOneLine(await shell.run(['restore', dir, '--to', other], env), 1, 'not empty');
    assertOneLine(await shell.run(['backup', other], env), 2, 'no backup made');
    assert.deepEqual(await readdir(other), ['a-file']);
  });

  test('wrong arguments', async () => {
    const { DATA_DIR = '' } = env;
    const cases: [args: string[], ...words: string[]][] = [
      [['backup'], 'dir'],
      [['backup', dir, '--keep-days', '0'], '0', 'days'],
      [['backup', dir, '--keep-days', 'all'], 'all', 'days'],
      [['restore'], 'dir'],
      [['restore', join(folder, 'nowhere')], 'nowhere', 'platen-backups'],
      [['restore', dir, '--at', 'yesterday', '--to', join(folder, 'x')], 'yesterday'],
      [['restore', dir, '--at', '2001-01-01', '--to', join(folder, 'x')], 'no backup of 2001-01-01'],
      [['drill', folder], 'platen-backups'],
      [['drill', dir, '--scratch', join(folder, 'nowhere')], '--scratch'],
    ];
    for (const [at, result] of (
      await runManyCommands(
        cases.map(([args]) => args),
        env,
      )
    ).entries()) {
      const [, ...words] = cases[at] ?? [];
      assertOneLine(result, 2, ...words);
    }
    assertOneLine(await shell.run(['backup', join(DATA_DIR, 'backups')], env), 2, 'lies in', 'another disk');
  });

  test('a database that is not the embedded one', async () => {
    const external = { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', SECRET_KEY: 'k'.repeat(32) };
    assertOneLine(await shell.run(['backup', dir], external), 2, 'DATABASE_URL', 'runbook');
    assertOneLine(await shell.run(['restore', dir], external), 2, 'DATABASE_URL', 'runbook');
  });

  test('a backup without its key, and with another key it is said', async () => {
    const keyed = { DATA_DIR: join(folder, 'keyed'), SECRET_KEY: 'k'.repeat(32), LOG_LEVEL: 'error', PORT: '0' };
    await platenJson(['migrate'], keyed);
    const own = join(folder, 'keyed-backups');
    assert.equal((await platenJson<BackupResult>(['backup', own], keyed)).secret_key, 'in SECRET_KEY');
    const to = join(folder, 'keyed-restored');
    const { SECRET_KEY: _, ...without } = keyed;
    assertOneLine(await shell.run(['restore', own, '--to', to], without), 2, 'SECRET_KEY');
    const other = await platenJson<{ secret_key: string }>(['restore', own, '--to', to], {
      ...keyed,
      SECRET_KEY: 'x'.repeat(32),
    });
    assert.equal(other.secret_key, 'differs');
  });
});
