import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { generate } from '../../bench/size/generate.ts';
import { makeModel } from '../../bench/size/model.ts';
import { namedStatements } from '../../src/lib/db.ts';
import { verify } from '../../src/verify/verify.ts';
import { untilAwaitingCounted } from '../harness/awaiting.ts';
import { growForPlanner, plannedCost } from '../harness/plan-costs.ts';
import { startProvider } from '../harness/provider.ts';
import { startTestService, type TestService } from '../harness/service.ts';

// Every statement of the service costs at ten million orders what it costs at a few thousand, by the planner's own
// account of it: a walk over a table, or a sort of all that an account has, costs a thousand times as much and stands
// out. What a statement really touches is counted in the other files of this folder.

const ORDERS = 4_000;
/** Each has more orders than a page. */
const ACCOUNTS = 16;
const LARGE = 10_000_000;
const MODEL_DONE = 6;
/** A tree of an index is a level deeper, and its rows lie farther apart. */
const RATIO_MAX = 3;
/** A few dozen rows, whatever they were before. */
const COST_MIN = 150;

const PERIOD = 'a report, which costs by what is in its period (books-plans)';
const SINCE_CLOSED =
  'sums what was posted since the last closed day, which the planner takes for a share of all (books-plans)';
const WAITS = 'costs by what waits, which the planner takes for a share of all';
const BEHIND = 'reads a bounded number behind a place that is near the end, which the planner takes for a third of all';
const SHORT = 'costs by the lines that are short, which the planner takes for a share of all (ops-plans)';
const PICTURE =
  'costs by the print files of one picture, which the planner takes for a share of all (erasure-plans, retention-plans)';
const DRAFT =
  'costs by the drafts that have one picture, of which there are few: the planner takes them for a share of all products';
const LOOKED_UP = 'looks up an order for each row of a page, which a small database does not fill (retention-plans)';
const DDL = 'makes a table, so it has no plan';

/** `platen verify` compares everything with everything, by hand or at night. */
const OF_VERIFY = /^verify_\d+$/;

/** Statements that seem to grow, or have no plan, each with the reason why it may. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  migration_create_table: DDL,
  migration_create_steps: DDL,
  billing_balance_at: 'finds an entry by halving: the planner does not know how often (books-plans)',
  billing_last_entry_until: 'as billing_balance_at',
  billing_entries_between: 'reads a page of the entries between two: the planner does not know the page (books-plans)',
  billing_sums_of_entries: 'sums the entries of one account in a day, of a statement with more than a thousand',
  billing_books: SINCE_CLOSED,
  billing_books_of: SINCE_CLOSED,
  billing_close_day: SINCE_CLOSED,
  books_sale_sums: PERIOD,
  books_credit_sums: PERIOD,
  books_posted_after_boundary: PERIOD,
  billing_insert_credit_notes:
    'writes one credit note for each that it is given, which the planner takes for a hundred',
  orders_due_for_invoice_by_id: BEHIND,
  orders_unsearched: BEHIND,
  orders_unsearched_unlocked: BEHIND,
  orders_list_changed_since: `${BEHIND}: since the last week, and of those that changed later (plans)`,
  orders_list_changed_since_oldest: 'as orders_list_changed_since',
  privacy_paid_exports: BEHIND,
  production_stock_page:
    'adds the orders that changed since they were counted, which the planner takes for a third of all (stock-overview)',
  production_stock_of: 'as production_stock_page',
  production_count_awaiting: 'counts a hundred of the orders that changed since (stock-overview)',
  webhooks_log_newest_of_names: `${BEHIND}: a page of each name`,
  webhooks_release_first_attempts: WAITS,
  webhooks_page_of_deliveries: `${BEHIND}: a page of each event and state (large-account)`,
  webhooks_count_replayed: 'counts the events of a span, up to a hundred thousand, when a customer asks (replay-kills)',
  webhooks_step_replay: `${BEHIND}: three events`,
  webhooks_depth: `${WAITS}, up to a bound (sampled-plans)`,
  webhooks_claim_due: `${WAITS}, up to a bound (delivery-claims, even-backlog)`,
  payments_lock_setups: 'costs by the setups of one order, which the planner takes for a hundred',
  payments_orders_sharing_setups: `${WAITS}: the unpaid orders of one account`,
  orders_waiting: `${WAITS}: the unpaid orders of one account`,
  payments_money_of_account: `${WAITS}: a thousand orders of one account at most`,
  orders_list_blocked_by_payment: `${WAITS}, up to a page (order-list-plans)`,
  orders_list_blocked_by_payment_oldest: 'as orders_list_blocked_by_payment',
  problems_answered: 'reads what was answered to one account in a week, which the planner takes for a third of all',
  orders_ops_paused_newest: `${WAITS}, up to a page (ops-plans)`,
  orders_ops_paused_oldest: `${WAITS}, up to a page (ops-plans)`,
  catalogue_supply_short: SHORT,
  catalogue_short_of: SHORT,
  catalogue_promised_short: SHORT,
  production_short_lines: SHORT,
  production_short_lines_of_sku: SHORT,
  production_short_lines_of_account: SHORT,
  production_short_pieces: SHORT,
  privacy_order_family:
    'follows an order to its replacements: the planner does not know how few there are (erasure-plans)',
  privacy_held_of_account: 'everything that is held of one account, once, before it is erased (erasure-plans)',
  privacy_lock_blob: PICTURE,
  privacy_drop_design: PICTURE,
  privacy_unused_designs: PICTURE,
  privacy_drop_designs: PICTURE,
  app_mark_unused: DRAFT,
  app_blob_in_use: DRAFT,
  privacy_mark_blob: DRAFT,
  privacy_find_superseded_brands: LOOKED_UP,
  privacy_find_archived_brands: LOOKED_UP,
  webhooks_count_sealed:
    'counts subscriptions by key, of which there are as many as customers want, when a key is exchanged (sealed-plans)',
  backup_counts: 'counts what a restored copy has, once, in a drill',
};

// A statement is known once its file is loaded.
const files = globSync('src/**/*.ts', { exclude: ['**/*.test.ts', 'src/bin/**'] });
const withStatements = files.filter((path) => /\bstatement[<(]/.test(readFileSync(path, 'utf8')));
await Promise.all(withStatements.map((path) => import(`../../${path}`)));

let service: TestService;
before(async () => {
  const provider = await startProvider();
  service = await startTestService({ env: provider.env });
  try {
    await makeModel(service, MODEL_DONE);
  } finally {
    await provider.close();
  }
  const client = new pg.Client(service.database.address);
  await client.connect();
  try {
    await generate([client], { orders: ORDERS, perDay: 1_000, accounts: ACCOUNTS }, () => {});
    // The worker that counts what waits may have run between the copies of orders and those of its own tables.
    await client.query(`begin; select from stock_awaiting_progress for update; delete from stock_awaiting_order;
      delete from stock_awaiting; update stock_awaiting_progress set counted_before = '0'; commit`);
    await untilAwaitingCounted(service);
  } finally {
    await client.end();
  }
});
after(() => service.stop());

test('copies of orders are orders: platen verify finds nothing in a database of them', async () => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.flatMap(({ name, violations }) => violations.map((text) => `${name}: ${text}`)),
    [],
  );
});

test('no statement costs more at ten million orders than at a few thousand, by its plan', async () => {
  const known = [...namedStatements()].filter(([name]) => !isExcepted(name));
  assert.ok(known.length > 430, `${known.length} statements`);
  assert.deepEqual(await grown(known, ''), []);
});

test('a statement that has lost its index is noticed', async () => {
  const known = [...namedStatements()].filter(([name]) => !isExcepted(name));
  const without = await grown(known, 'drop index shipment_tracking, event_order, orders_to_promote');
  const names = without.map((line) => line.slice(0, line.indexOf(':')));
  for (const name of ['orders_ops_of_tracking_newest', 'webhooks_log_of_order', 'production_next_due']) {
    assert.ok(names.includes(name), `${name} is not among ${names.join(', ')}`);
  }
});

/** The statements that cost more in a large database, after a change of the database that is undone. */
async function grown(
  statements: readonly (readonly [name: string, text: string])[],
  change: string,
): Promise<string[]> {
  const lines: string[] = [];
  await service.ctx.database
    .transaction(async (tx) => {
      if (change !== '') await tx.all({ name: '', text: change }, []);
      const before = new Map<string, number>();
      for (const [name, text] of statements) before.set(name, await plannedCost(tx, text));
      await growForPlanner(tx, LARGE / ORDERS);
      for (const [name, text] of statements) {
        const [small, large] = [before.get(name) ?? 0, await plannedCost(tx, text)];
        if (large > RATIO_MAX * small && large > COST_MIN)
          lines.push(`${name}: ${Math.round(small)} → ${Math.round(large)}`);
      }
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  return lines;
}

test('every exception is of a statement that there is', () => {
  assert.deepEqual(
    Object.keys(EXCEPTIONS).filter((name) => !namedStatements().has(name)),
    [],
  );
});

const isExcepted = (name: string): boolean => EXCEPTIONS[name] !== undefined || OF_VERIFY.test(name);

class Undone extends Error {}
