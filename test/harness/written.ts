import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SqlValue } from '../../src/lib/db.ts';
import { verify } from '../../src/verify/verify.ts';
import type { SecondConnection } from './second-connection.ts';
import type { Customer, TestService } from './service.ts';

// What the service has written, read past its API: rows, files, balances, events and stock.

/** Rows of a query of a test. Counts come as numbers. */
export async function rows<Row>(
  service: TestService,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<readonly Row[]> {
  const name = `test_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  return service.ctx.database.all<Row>({ name, text }, values);
}

const WRITTEN_BY_AN_ORDER = [
  'orders',
  'order_line',
  'print_job',
  'order_reference',
  'order_history',
  'posting',
  'event',
  'webhook_delivery',
  'setup_right',
  'setup_reliance',
  'blob',
  'design',
  'print_file',
  'job',
] as const;

/** How much there is of all that placing an order can write: a row count for each table, and the files in the store. */
export async function everythingWritten(service: TestService): Promise<Record<string, number>> {
  const counts = WRITTEN_BY_AN_ORDER.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [found] = await rows<Record<string, number>>(
    service,
    `select ${counts.join(', ')}, (select sum(balance_pence)::bigint from account_balance) as balances`,
  );
  return { ...found, files: await countFiles(service, 'files'), staged: await countFiles(service, 'staging') };
}

async function countFiles(service: TestService, part: 'files' | 'staging'): Promise<number> {
  const folder = join(service.ctx.config.dataDir, 'blobs', part);
  if (!existsSync(folder)) return 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

/** The balance of an account, in pence. */
export async function balancePence(service: TestService, customer: Customer): Promise<number> {
  const [row] = await rows<{ balance_pence: number }>(
    service,
    'select balance_pence from account_balance where account_id = $1',
    [customer.accountId],
  );
  return row?.balance_pence ?? Number.NaN;
}

export type Books = { orders: number; paid: number; charges: number; charged_pence: number; balance_pence: number };

/** What an account has: orders, how many of them are paid, orders that were charged, all charges, and the balance. */
export async function booksOf(service: TestService, customer: Customer): Promise<Books> {
  const [books] = await rows<Books>(
    service,
    `select (select count(*) from orders where account_id = $1) as orders,
            (select count(*) from orders where account_id = $1 and state <> 'awaiting_payment') as paid,
            (select count(distinct order_id) from posting where account_id = $1 and kind = 'charge') as charges,
            (select coalesce(sum(amount_pence), 0)::bigint from posting where account_id = $1 and kind = 'charge') as charged_pence,
            (select balance_pence from account_balance where account_id = $1) as balance_pence`,
    [customer.accountId],
  );
  assert.ok(books);
  return books;
}

/** Holds the balances of accounts, so that whoever charges them waits. */
export async function holdBalance(second: SecondConnection, ...shops: { customer: Customer }[]): Promise<void> {
  await second.query('begin');
  for (const { customer } of shops) {
    await second.query('select 1 from account_balance where account_id = $1 for update', [customer.accountId]);
  }
}

export type Level = { on_hand: number; allocated: number };

/** What the stock row of a variant says. */
export async function levelOf(service: TestService, sku: string): Promise<Level> {
  const [level] = await rows<Level>(service, 'select on_hand, allocated from stock where sku = $1', [sku]);
  assert.ok(level);
  return level;
}

/** The names of an order's events, in their order. */
export async function eventsOf(service: TestService, order: { reference: string }): Promise<readonly string[]> {
  const found = await rows<{ event: string }>(
    service,
    `select e.event from event e join orders o on o.id = e.order_id where o.reference = $1 order by e.sequence`,
    [order.reference],
  );
  return found.map(({ event }) => event);
}

/** The names of an account's events, the oldest first. */
export async function eventNames(service: TestService, { customer }: { customer: Customer }): Promise<string[]> {
  const found = await rows<{ event: string }>(service, 'select event from event where account_id = $1 order by id', [
    customer.accountId,
  ]);
  return found.map(({ event }) => event);
}

/** `platen verify` finds nothing wrong. */
export async function assertSound(service: TestService): Promise<void> {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.flatMap(({ name, violations }) => violations.map((violation) => `${name}: ${violation}`)),
    [],
  );
}
