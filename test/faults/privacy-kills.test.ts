import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { createSecrets } from '../../src/lib/secrets.ts';
import { runErasures } from '../../src/privacy/erase/worker.ts';
import { orderHash } from '../../src/privacy/ledger/entry.ts';
import { beginDraft, openLedger } from '../../src/privacy/ledger/ledger-file.ts';
import { dryRun } from '../../src/privacy/retention/dry-run.ts';
import { openWalks } from '../../src/privacy/retention/progress-sql.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';
import { eventually } from '../harness/context.ts';
import { SECRET_KEY } from '../harness/database.ts';
import { type Floor, openFloor, placeOrder } from '../harness/floor.ts';
import type { PrivacyTask } from '../harness/privacy-child.ts';
import { scratchParent } from '../harness/scratch.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { HOME } from '../harness/shop.ts';
import { assertSound, rows } from '../harness/written.ts';

// A process that erases, deletes, replays the ledger or seals anew gets SIGKILL before one of its statements or
// commits. By day at a few drawn points; PLATEN_NIGHTLY=1 takes many, and a ledger of 100,000 entries.

const CHILD = fileURLToPath(new URL('../harness/privacy-child.ts', import.meta.url));
const IS_NIGHTLY = process.env.PLATEN_NIGHTLY === '1';
const POINTS = IS_NIGHTLY ? 20 : 2;
const ENTRIES = IS_NIGHTLY ? 100_000 : 3_000;
/** Orders of the restored database, and how many of them the ledger names. */
const ORDERS = 2_000;
const NAMED = 20;
/** Of a whole process of the service with its libraries; a ledger in memory would take more at night. */
const RSS_KB_MAX = 300_000;

let folder: string;
let service: TestService;
let floor: Floor;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-privacy-kills-'));
  service = await startTestService({ role: 'api', dataDir: folder });
  floor = await openFloor(service, 'admin');
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

type Ended = { readonly taken: number; readonly maxRssKb: number };

/** Runs a task in a process; undefined when it was killed. */
async function run(task: Partial<PrivacyTask> & Pick<PrivacyTask, 'work'>): Promise<Ended | undefined> {
  const whole: PrivacyTask = {
    ...{ address: service.database.address, dataDir: folder, secretKey: SECRET_KEY, formerKeys: [] },
    ...{ shiftMs: shiftedMs, killAt: Number.MAX_SAFE_INTEGER },
    ...task,
  };
  const child = spawn(process.execPath, [CHILD, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `${code} ${signal}`);
  return signal === null ? (JSON.parse(await said) as Ended) : undefined;
}

let shiftedMs = 0;
function shift(ms: number): void {
  shiftedMs += ms;
  service.shiftMs(ms);
}

/** Some of the statements from the first to a last one, spread over all of them. */
function points(last: number): number[] {
  const part = last / POINTS;
  return Array.from({ length: Math.min(POINTS, last) }, (_, at) => 1 + Math.floor((at + Math.random()) * part));
}

/** Kills it at points of all that it has to do, again and again, and lets it end. */
async function killedOnItsWay(t: TestContext, task: Parameters<typeof run>[0], first: number): Promise<Ended> {
  let kills = 0;
  for (const killAt of points(first)) {
    if ((await run({ ...task, killAt })) === undefined) kills += 1;
  }
  const ended = await run(task);
  assert.ok(ended !== undefined && kills > 0, `${kills} kills`);
  t.diagnostic(`${task.work}: ${kills} kills, ${ended.taken} statements left, ${ended.maxRssKb} KB`);
  return ended;
}

async function personWith(mark: string): Promise<void> {
  for (let at = 0; at < 2; at += 1) {
    const shipping_address = { ...HOME, contact_name: `Ada ${mark}`, postcode: 'LS9 9ZZ' };
    const order = await placeOrder(service, { shipping_address, notes: `for ${mark}` });
    await floor.post(`/orders/${order.id}/cancel`, { reason: `${mark} asked` });
  }
}

const namedBy = async (mark: string): Promise<number> =>
  (
    await rows<{ count: number }>(
      service,
      `select count(*)::integer as count from orders where shipping_address::text like '%Ada ${mark}"%'`,
    )
  )[0]?.count ?? 0;
const entries = async (): Promise<number> =>
  (await rows<{ count: number }>(service, 'select count(*)::integer as count from erasure_ledger'))[0]?.count ?? 0;

test('an erasure that gets SIGKILL is carried out once the ledger has it, and else nothing is erased', async (t) => {
  const { accountId } = service.customer;
  const erase = (mark: string, killAt = Number.MAX_SAFE_INTEGER) =>
    run({ work: 'erase', accountId, killAt, recipient: { kind: 'name', name: `Ada ${mark}`, postcode: 'LS9 9ZZ' } });
  await personWith('whole');
  const whole = await erase('whole');
  assert.ok(whole !== undefined && whole.taken > 20);
  for (const [index, killAt] of points(whole.taken).entries()) {
    const mark = `mark${index}`;
    await personWith(mark);
    const known = await entries();
    assert.equal(await erase(mark, killAt), undefined, `killed at ${killAt}`);
    await runErasures(service.ctx);
    const isCarriedOut = (await entries()) > known;
    assert.equal(await namedBy(mark), isCarriedOut ? 0 : 2, `killed at ${killAt}`);
    t.diagnostic(`killed at ${killAt}: ${isCarriedOut ? 'carried out' : 'not begun'}`);
    await erase(mark);
    assert.equal(await namedBy(mark), 0, 'the repeat');
  }
  await assertSound(service);
});

test('a sweep that gets SIGKILL again and again deletes what it should, and counts each once', async (t) => {
  const OLD = 7;
  await openWalks(
    service.ctx.database,
    WALKS.map(({ name }) => name),
    service.ctx.clock.now(),
  );
  for (const table of ['job', 'task']) {
    await rows(
      service,
      table === 'job'
        ? `insert into job (id, kind, key, payload, run_at, failed_at, created_at)
           select gen_random_uuid(), 'test', n::text, '{}', now(), now(), now() from generate_series(1, ${OLD}) as n`
        : `insert into ops_task (id, account_id, kind, note, opened_at, closed_at)
           select gen_random_uuid(), (select id from account limit 1), 'test', 'old', now(), now() from generate_series(1, ${OLD}) as n`,
    );
  }
  shift(800 * 86_400_000);
  const would = (await dryRun(service.ctx, 1_000)).reduce((sum, row) => sum + row.count, 0);
  assert.ok(would > 2 * OLD, `${would}`);
  await killedOnItsWay(t, { work: 'sweep' }, 60);
  assert.ok((await dryRun(service.ctx, 1_000)).every((row) => row.count === 0));
  const [counted] = await rows<{ dropped: number }>(
    service,
    'select sum(dropped)::bigint as dropped from retention_walk',
  );
  assert.equal(counted?.dropped, would, 'each counted once');
  await assertSound(service);
});

test('secrets that are sealed anew by a process that gets SIGKILL stay readable, each of them', async (t) => {
  const next = 'the next key '.repeat(4);
  const [earlier, present] = [createSecrets(SECRET_KEY), createSecrets(next, [SECRET_KEY])];
  for (let at = 0; at < 250; at += 1) {
    const { bytes, keyId } = earlier.seal(`secret ${at}`);
    await rows(
      service,
      `insert into webhook_subscription (id, account_id, url, description, secret_sealed, secret_sealed_with, active, created_at, updated_at)
       values ($1, $2, 'https://example.com', $3, $4, $5, false, now(), now())`,
      [newId(), service.customer.accountId, `secret ${at}`, bytes as never, keyId],
    );
  }
  await killedOnItsWay(t, { work: 'reseal', secretKey: next, formerKeys: [SECRET_KEY] }, 8);
  // What a killed process had locked is left alone until the server has noticed its end.
  await eventually('all are sealed anew', async () => {
    await run({ work: 'reseal', secretKey: next, formerKeys: [SECRET_KEY] });
    const [left] = await rows<{ count: number }>(
      service,
      `select count(*)::integer as count from webhook_subscription where description like 'secret %' and secret_sealed_with = $1`,
      [earlier.keyIds[0] ?? ''],
    );
    return left?.count === 0;
  });
  const stored = await rows<{ description: string; secret_sealed: Buffer; secret_sealed_with: string }>(
    service,
    `select description, secret_sealed, secret_sealed_with from webhook_subscription where description like 'secret %'`,
  );
  assert.equal(stored.length, 250);
  for (const row of stored) {
    assert.equal(present.unseal({ bytes: row.secret_sealed, keyId: row.secret_sealed_with }), row.description);
    assert.equal(row.secret_sealed_with, present.keyIds[0]);
  }
  await rows(service, `delete from webhook_subscription where description like 'secret %'`);
});

test(`a ledger of ${ENTRIES} entries is replayed in a restored database, in bounded memory and past SIGKILL`, async (t) => {
  // As after the restore of a backup from before all of them: the file has what the table does not know.
  await rows(
    service,
    `insert into orders
     select r.* from (select * from orders where state = 'cancelled' limit 1) s, generate_series(1, ${ORDERS}) as n,
       lateral jsonb_populate_record(null::orders, to_jsonb(s) || jsonb_build_object('id', uuid_v7(s.created_at - make_interval(mins => n)),
         'reference', 'PF-COPY' || n, 'erased_at', null, 'paid_at', null)) as r`,
  );
  const copies = await rows<{ id: Uuid; account_id: Uuid }>(
    service,
    `select id, account_id from orders where reference like 'PF-COPY%' order by id`,
  );
  const named = copies.filter((_, at) => at % (ORDERS / NAMED) === 0);
  const ledgerFolder = join(folder, 'erasures');
  const known = await (await openLedger(ledgerFolder)).read(1, 10_000);
  const draft = await beginDraft(ledgerFolder);
  const entry = (hash: string) => ({ scope: 'order' as const, at: new Date(), erasureId: newId(), hash });
  for (let at = 0; at < ENTRIES; at += 1_000) {
    await draft.append(Array.from({ length: 1_000 }, (_, n) => entry((at + n).toString(16).padStart(64, '0'))));
  }
  await draft.append(named.map(({ id, account_id: accountId }) => entry(orderHash(draft.key, accountId, id))));
  await draft.finish();
  await draft.install(new Date());
  await rows(
    service,
    `with a as (select set_config('platen.ledger_anew', 'on', false)) delete from erasure_ledger using a`,
  );
  assert.ok(known.length > 0);

  const ended = await killedOnItsWay(t, { work: 'replay' }, IS_NIGHTLY ? 500 : 60);
  assert.ok(ended.maxRssKb < RSS_KB_MAX, `${ended.maxRssKb} KB`);
  const [state] = await rows(
    service,
    `select (select count(*)::integer from erasure_ledger where is_replayed) as replayed,
       (select count(*)::integer from orders where reference like 'PF-COPY%' and erased_at is not null) as erased,
       (select up_to_position::integer from erasure_replay) as up_to`,
  );
  assert.deepEqual(state, { replayed: ENTRIES + NAMED, erased: NAMED, up_to: 0 });

  // Lost after all: begun anew past kills, from the orders that are erased.
  await rm(join(ledgerFolder, 'erasures.log'));
  await killedOnItsWay(t, { work: 'begin' }, 20);
  const erased = await rows(service, 'select id from orders where erased_at is not null');
  const begun = await openLedger(ledgerFolder);
  assert.equal(await begun.length(), erased.length);
  assert.equal(await entries(), erased.length);
  assert.deepEqual(
    await run({ work: 'replay' }).then((one) => one !== undefined),
    true,
    'and agrees with the database',
  );
});
