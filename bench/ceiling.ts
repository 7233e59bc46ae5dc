import type { DatabaseAddress } from '../src/lib/db.ts';
import { listOrderRows } from '../src/orders/list-sql.ts';
import type { ApiReady } from './api.ts';
import { bareDb, openBarePool } from './bare-driver.ts';
import { copierOfLatestOrder, type OrderCopier } from './bare-order.ts';
import { placeBatch, type SentDraft } from './bare-placing.ts';
import { answer } from './service-process.ts';

/**
 * What the bare driver alone can do on the same database.
 * `rows` writes the rows of one paid order, copied from the latest, in one statement. `place` calls the placing
 * function with so many orders at once, as many calls at once as bring it to 32 orders under way. `page` runs the
 * service's own query of a page. `books` numbers the entries of the copies, which know nothing of one another, and
 * gives each account the print files of its copies, so that all can be verified.
 */
export type CeilingRound =
  | { readonly kind: 'rows'; readonly seconds: number; readonly accounts: number }
  | { readonly kind: 'place'; readonly seconds: number; readonly batch: number }
  | { readonly kind: 'page'; readonly seconds: number; readonly clients: number }
  | { readonly kind: 'prepare'; readonly drafts: readonly SentDraft[] }
  | { readonly kind: 'books' };

export type CeilingResult = { readonly done: number; readonly seconds: number };
/** What `prepare` answers: how many rows of each table an order has. */
export type Prepared = { readonly rows: Readonly<Record<string, number>> };

const CONNECTIONS = 32;

const address = JSON.parse(process.env.BENCH_DATABASE ?? '{}') as DatabaseAddress;
const api = JSON.parse(process.env.BENCH_API ?? '{}') as ApiReady;
const pool = openBarePool(address, CONNECTIONS);
const db = bareDb(pool);
let copier: OrderCopier | undefined;
let drafts: readonly SentDraft[] = [];

answer(run);
process.send?.({});

async function run(round: CeilingRound): Promise<CeilingResult | Prepared> {
  if (round.kind === 'prepare') return prepare(round.drafts);
  if (round.kind === 'rows') return repeat(round.seconds, CONNECTIONS, (lane) => writeRows(lane % round.accounts));
  if (round.kind === 'place') return place(round.seconds, round.batch);
  if (round.kind === 'page') return repeat(round.seconds, round.clients, readPage);
  return numberEntries();
}

async function prepare(sent: readonly SentDraft[]): Promise<Prepared> {
  drafts = sent;
  copier = await copierOfLatestOrder(pool);
  return { rows: copier.rows };
}

async function writeRows(account: number): Promise<number> {
  if (copier === undefined) throw new Error('rows are written before any were prepared');
  const { text, values } = copier;
  await pool.query({ name: 'ceiling', text, values: values(accountOf(account)) });
  return 1;
}

/** Each call has accounts of its own, so that none waits for the balance of another. */
async function place(seconds: number, batch: number): Promise<CeilingResult> {
  const lanes = Math.floor(Math.min(CONNECTIONS, drafts.length) / batch);
  if (lanes === 0) throw new Error(`there are ${drafts.length} drafts for batches of ${batch}`);
  return repeat(seconds, lanes, (lane) => placeBatch(db, drafts.slice(lane * batch, (lane + 1) * batch)));
}

async function readPage(lane: number): Promise<number> {
  await listOrderRows(db, accountOf(lane), { after: null, limit: 26, sort: 'newest', filter: undefined });
  return 1;
}

async function numberEntries(): Promise<CeilingResult> {
  await pool.query(`
    insert into print_file
      select j.print_file_key, j.account_id, f.recipe, f.state, f.output_hash, f.output_bytes, f.preview_hash, f.failure,
             f.created_at, f.ready_at
      from (select distinct print_file_key, account_id from print_job) j join print_file f on f.key = j.print_file_key
      on conflict do nothing;
    alter table posting disable trigger posting_is_final;
    create temporary table numbered as
      select account_id, id, row_number() over statement as entry,
             sum(case when credit_account = 'customer_balance' then amount_pence else -amount_pence end) over statement as left_over
      from posting where entry is not null window statement as (partition by account_id order by id);
    update posting p set entry = -n.entry from numbered n where p.account_id = n.account_id and p.id = n.id;
    update posting p set entry = n.entry, balance_after_pence = n.left_over from numbered n
      where p.account_id = n.account_id and p.id = n.id;
    update account_balance b set entries = (select count(*) from numbered n where n.account_id = b.account_id);
    alter table posting enable trigger posting_is_final;`);
  return { done: 0, seconds: 0 };
}

/** Does work in each lane, again and again; the work returns how much it did. */
async function repeat(seconds: number, lanes: number, work: (lane: number) => Promise<number>): Promise<CeilingResult> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      while (performance.now() < endsAt) {
        const did = await work(lane);
        done += did;
      }
    }),
  );
  return { done, seconds: (performance.now() - startedAt) / 1_000 };
}

function accountOf(lane: number): ApiReady['customers'][number]['accountId'] {
  const customer = api.customers[lane % api.customers.length];
  if (customer === undefined) throw new Error('there is no account to write for');
  return customer.accountId;
}
