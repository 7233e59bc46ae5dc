import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { DemoReport } from '../../../src/bin/seed-demo.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { environment } from '../../harness/environment.ts';
import { freePort, runPlaten } from '../../harness/process.ts';
import { scratchParent } from '../../harness/scratch.ts';
import { openSecondConnection, type SecondConnection } from '../../harness/second-connection.ts';

/** A whole month more, which is made once by day. */
const isNightly = process.env.PLATEN_NIGHTLY === '1';
const NIGHTLY = { skip: isNightly ? false : 'a whole month more: PLATEN_NIGHTLY=1' };

/** On a machine with nothing else to do it takes a tenth of this. */
const MONTH_WITHIN_MS = 400_000;

type Report = DemoReport & {
  readonly user: { readonly email: string; readonly password: string } | null;
  readonly month_account_id: string;
  readonly month: string;
};

type Shop = {
  readonly env: Readonly<Record<string, string>>;
  readonly query: SecondConnection['query'];
  readonly close: () => Promise<void>;
};

/** An installation whose database is empty, with its own folder. */
async function openEmpty(): Promise<Shop> {
  const folder = await mkdtemp(join(scratchParent(), 'platen-month-'));
  const database: TestDatabase = await createTestDatabase();
  const second = await openSecondConnection(database);
  return {
    env: {
      DATABASE_URL: database.url,
      SECRET_KEY: 'the key of a demo that nobody reaches',
      DATA_DIR: join(folder, 'data'),
    },
    query: second.query,
    close: async () => {
      await second.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const START = new URL('../../../src/bin/start.js', import.meta.url);
/** By night the month that everyone has; by day one with fewer orders on its first days. */
const SEED: readonly [URL, readonly string[]] = isNightly
  ? [new URL('../../../src/bin/platen.js', import.meta.url), ['seed', 'demo', '--json']]
  : [new URL('../../harness/thin-month.ts', import.meta.url), []];
const LEAST = isNightly ? { orders: 190, dispatched: 130, cancelled: 5 } : { orders: 65, dispatched: 25, cancelled: 3 };

function startProgram(file: URL, args: readonly string[], env: Readonly<Record<string, string>>) {
  const program = fileURLToPath(file);
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MONTH_WITHIN_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([status]) => status as number | null);
  return {
    child,
    said: () => said,
    ended,
    /** Once it has written these words; fails when it ends before. */
    until: (words: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!said.includes(words)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`it ended without "${words}": ${said}`)));
      }),
  };
}

async function seed(env: Shop['env'], ...more: string[]): Promise<Report> {
  const { status, stdout, stderr } = await runPlaten(['seed', 'demo', '--json', ...more], env, '', MONTH_WITHIN_MS);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Report;
}

/** Goes on with the month that was begun. */
async function goOn(env: Shop['env']): Promise<Report> {
  const run = startProgram(...SEED, env);
  assert.equal(await run.ended, 0, run.said());
  return JSON.parse(run.said().slice(run.said().lastIndexOf('\n{') + 1)) as Report;
}

async function assertVerified(env: Shop['env']): Promise<void> {
  const { status, stdout, stderr } = await runPlaten(['verify', '--json'], env);
  assert.equal(status, 0, `${stdout}${stderr}`);
}

async function statesOf({ query }: Shop): Promise<Record<string, number>> {
  const rows = await query('select state, count(*)::int as n from orders group by state order by state');
  return Object.fromEntries(rows.map(({ state, n }) => [String(state), Number(n)]));
}

const ORDERS = `select o.* from orders o join account a on a.id = o.account_id where a.name = 'Harbour & Pine'`;

describe('platen seed demo', () => {
  let shop: Shop;
  before(async () => {
    shop = await openEmpty();
  });
  after(() => shop.close());

  test('--small makes no customer with a past', async () => {
    const other = await openEmpty();
    try {
      const report = await seed(other.env, '--small');
      assert.deepEqual(Object.keys(report), ['account_id', 'token', 'products']);
      assert.deepEqual(await other.query('select name from account'), [{ name: 'Demo Print Club' }]);
      assert.deepEqual(await other.query('select id from account_user union all select id from operator'), []);
    } finally {
      await other.close();
    }
  });

  test('a month that was killed in the middle is completed by the next run, and nothing of it is there twice', async () => {
    const first = startProgram(...SEED, shop.env);
    await first.until('steps');
    first.child.kill('SIGKILL');
    await first.ended;
    const [before] = await shop.query(`select count(*)::int as n from (${ORDERS}) as o`);
    assert.ok(Number(before?.n) > 5 && Number(before?.n) < 150, `${String(before?.n)} orders before the kill`);
    await assertVerified(shop.env);

    const report = await goOn(shop.env);
    assert.deepEqual([report.month, report.user], ['done', null], 'its person was added by the run before');
    await assertVerified(shop.env);
    const [whole] = await shop.query(
      `select count(*)::int as n, count(distinct external_reference)::int as own from (${ORDERS}) as o where replaces is null`,
    );
    assert.ok(Number(whole?.n) > LEAST.orders && whole?.n === whole?.own, JSON.stringify(whole));
  });

  test('there are orders in every state, and every kind of trouble', async () => {
    const states = await statesOf(shop);
    for (const [state, least] of Object.entries({
      awaiting_payment: 1,
      placed: 9,
      on_hold: 3,
      released: 5,
      in_production: 10,
      dispatched: LEAST.dispatched,
      cancelled: LEAST.cancelled,
    })) {
      assert.ok((states[state] ?? 0) >= least, `${state}: ${states[state]}`);
    }
    const actions = (await shop.query('select distinct action from order_history')).map(({ action }) => String(action));
    const wanted = ['hold', 'resume', 'spoil', 'cancel', 'refund', 'pause_line', 'correct_shipment', 'change_address'];
    assert.deepEqual(
      wanted.filter((action) => !actions.includes(action)),
      [],
      actions.join(', '),
    );
    const [trouble] = await shop.query(`select
      (select count(*)::int from orders where replaces is not null and state = 'dispatched') as replaced,
      (select count(distinct order_id)::int from shipment_item i join orders o on o.id = i.order_id
       where o.state = 'in_production') as in_part,
      (select count(*)::int from allocation where short > 0) as short,
      (select count(*)::int from ops_task where closed_at is null) as tasks,
      (select count(*)::int from problem where status = 'open') as problems,
      (select count(distinct status)::int from problem where status in ('refunded', 'refused')) as answers,
      (select count(*)::int from cancellation_request where state = 'open') as asked,
      (select count(distinct state)::int from cancellation_request where state in ('accepted', 'refused')) as ended,
      (select count(*)::int from credit_note) as credit_notes,
      (select count(distinct shipping_address ->> 'country_code')::int from orders) as countries`);
    for (const [what, count] of Object.entries(trouble ?? {})) assert.ok(Number(count) > 0, what);
    assert.ok(Number(trouble?.countries) >= 6);
  });

  test('orders stand in the sequence in which they were placed, replacements too', async () => {
    const [found] = await shop.query(`select count(*)::int as out_of_sequence from (
      select placed_at, lag(placed_at) over (partition by account_id order by id) as before from orders) as o
      where placed_at < before - interval '1 second'`);
    assert.equal(found?.out_of_sequence, 0);
  });

  test('all of it lies in the past: a paid order has its invoice of that time, and nothing is to be sent', async () => {
    const [times] = await shop.query(`select
      (select count(*)::int from orders where placed_at > now()) as to_come,
      (select count(*)::int from orders o where paid_at is not null and replaces is null
         and not exists (select from invoice i where i.order_id = o.id and i.issued_at - o.paid_at < interval '1 hour')) as late_invoices,
      (select count(*)::int from event e join orders o on o.id = e.order_id
         where e.created_at > o.placed_at + interval '8 days') as late_events,
      (select count(*)::int from webhook_delivery) as deliveries,
      (select count(distinct placed_at::date)::int from orders) as days`);
    const { days, ...wrong } = times ?? {};
    assert.deepEqual(wrong, { to_come: 0, late_invoices: 0, late_events: 0, deliveries: 0 });
    assert.ok(Number(days) >= 25, `${String(days)} days`);
    const unpaid = await shop.query(
      `select external_reference from orders where paid_at is null and state <> 'cancelled'`,
    );
    assert.equal(unpaid.length, 1, 'the balance covers all but the one that waits');
  });

  test('operators find its orders by their recipients, replacements too', async () => {
    const hidden = await shop.query(
      `select o.reference from (${ORDERS}) as o where not exists (select from order_search s where s.order_id = o.id)`,
    );
    assert.deepEqual(hidden, []);
  });

  test('it has a brand with a logo, the default, which is on all of its orders but the samples', async () => {
    const brands =
      await shop.query(`select r.name, r.logo_hash is not null as has_logo, a.default_brand_id = b.id as is_default
      from brand b join account a on a.id = b.account_id
      join brand_revision r on r.account_id = b.account_id and r.brand_id = b.id`);
    assert.deepEqual(brands, [{ name: 'Harbour & Pine', has_logo: true, is_default: true }]);
    const [of] = await shop.query(`select
      count(*) filter (where brand ->> 'name' = 'Harbour & Pine' and type <> 'sample')::int as branded,
      count(*) filter (where (brand is null) <> (type = 'sample'))::int as wrong
      from (${ORDERS}) as o where replaces is null`);
    assert.deepEqual([Number(of?.branded) > 20, of?.wrong], [true, 0], JSON.stringify(of));
  });

  test('the operators who worked in it can do nothing more', async () => {
    const operators = await shop.query('select disabled_at from operator');
    assert.equal(operators.length, 2);
    assert.ok(operators.every(({ disabled_at: at }) => at !== null));
  });

  test('another run makes another token and no second month', async () => {
    const before = await statesOf(shop);
    const [one, two] = [await seed(shop.env), await seed(shop.env)];
    assert.deepEqual([one.month, two.month], ['there', 'there']);
    assert.notEqual(one.token, two.token);
    assert.equal(one.account_id, two.account_id);
    assert.deepEqual(await statesOf(shop), before);
  });
});

test(
  'where days of the books are closed already the month happens after them, and they stay as they are',
  NIGHTLY,
  async () => {
    const shop = await openEmpty();
    try {
      await seed(shop.env, '--small');
      const [day] = await shop.query(
        `update seller_day set closed_until = date_trunc('day', now()) returning closed_until`,
      );
      const { month } = await seed(shop.env);
      assert.equal(month, 'done');
      await assertVerified(shop.env);
      const [past] = await shop.query(
        `select (select count(*)::int from posting where created_at < $1) as postings,
         (select count(*)::int from orders where state = 'dispatched') > 130 as is_whole`,
        [day?.closed_until],
      );
      assert.deepEqual(past, { postings: 0, is_whole: true });
    } finally {
      await shop.close();
    }
  },
);

describe('npm start', () => {
  test('shows the demo user once, is stopped in the middle of the month, and goes on with it later', async () => {
    const shop = await openEmpty();
    try {
      const env = { ...shop.env, PORT: String(await freePort()) };
      const first = startProgram(START, [], env);
      await first.until('A month of orders is being added');
      assert.match(first.said(), /Demo user {2}demo@platen\.example, password \S{16} \(shown once\)/);
      while (Number((await shop.query(`select count(*) as n from (${ORDERS}) as o`))[0]?.n) < 5) {
        assert.equal(first.child.exitCode, null, first.said());
      }
      first.child.kill('SIGINT');
      assert.equal(await first.ended, 0, first.said());
      assert.doesNotMatch(first.said(), /is complete/);
      await assertVerified(env);

      const second = startProgram(START, [], env);
      await second.until(isNightly ? 'The demo month is complete' : 'A month of orders is being added');
      assert.doesNotMatch(second.said(), /password/);
      second.child.kill('SIGINT');
      assert.equal(await second.ended, 0, second.said());
      await assertVerified(env);
      if (!isNightly) return;

      const third = startProgram(START, [], env);
      await third.until('Place an order');
      third.child.kill('SIGINT');
      assert.equal(await third.ended, 0, third.said());
      assert.doesNotMatch(third.said(), /month/);
      // A month that was going on kept the days open; they are closed now.
      const [closing] = await shop.query("select closed_until > now() - interval '3 days' as closed from seller_day");
      assert.deepEqual(closing, { closed: true });
    } finally {
      await shop.close();
    }
  });
});
