import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestContext, type TestContext } from '../harness/context.ts';

// What docs/decisions/0016 decided, read off the catalog of a migrated database.

/** Unique indexes of a customer's rows that do not contain the account, and why. */
const PLATFORM_WIDE: Readonly<Record<string, string>> = {
  access_token_token_hash_key: 'a token is all that a caller sends',
  account_user_email_key: 'a person signs in by the address alone',
  oauth_client_pkey: 'an app is registered by one account and used by all',
  oauth_record_pkey: 'a code, token or cookie is all that a browser sends',
  account_link_token_hash_key: 'a link is all that a browser sends',
  portal_session_token_hash_key: 'a cookie is all that a browser sends',
  order_reference_pkey: 'an external reference is unique across the platform',
  orders_reference_key: 'an order reference is unique across the platform, and operators have nothing else',
  payment_attempt_intent_id_key: 'a callback of the payment provider names nothing else',
  invoice_number_key: 'invoices are numbered in one series',
  card_top_up_page_id_key: 'a callback of the payment provider names nothing else',
  method_saving_page_id_key: 'a callback of the payment provider names nothing else',
  channel_invitation_state_digest_key: 'a state is all that a shop sends',
  card_top_up_intent_id_key: 'a callback of the payment provider names nothing else',
  job_pkey: 'a worker knows no more of a job',
  job_kind_key_key: 'a key names one piece of work, and that of a print file contains the account',
  credit_note_number_key: 'credit notes are numbered in the series of the invoices',
};

/** References between customers' rows that may cross accounts. */
const ACROSS_ACCOUNTS: Readonly<Record<string, string>> = {
  access_token_client_id_fkey: 'people of any account may allow an app to act for theirs',
  oauth_grant_client_id_fkey: 'people of any account may allow an app to act for theirs',
};

/** Tables that note an order and are the shop's own. */
const OF_THE_SHOP = ['book_entry', 'operator_action', 'stock_movement'];

/** Tables that can be partitioned by ranges of their id. */
const BY_TIME = ['event', 'order_history', 'webhook_delivery'];

let ctx: TestContext;
before(async () => {
  ctx = await openTestContext({});
});
after(() => ctx.close());

type Column = { readonly table: string; readonly name: string };
type Unique = { readonly table: string; readonly name: string; readonly columns: readonly string[] };
type Reference = { readonly table: string; readonly name: string; readonly pairs: readonly string[] };

const columns = (): Promise<Column[]> =>
  ctx.database.all<Column>(
    {
      name: 'keys_columns',
      text: `select table_name::text as table, column_name::text as name from information_schema.columns
             where table_schema = 'public'`,
    },
    [],
  );

const uniques = (): Promise<Unique[]> =>
  ctx.database.all<Unique>(
    {
      name: 'keys_uniques',
      text: `select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name,
               array(select attname::text from pg_attribute where attrelid = i.indrelid and attnum = any(i.indkey)) as columns
             from pg_index i join pg_class c on c.oid = i.indrelid
             where c.relnamespace = 'public'::regnamespace and i.indisunique`,
    },
    [],
  );

/** Foreign keys, with each pair of columns as `from=to`. */
const references = (of: readonly string[]): Promise<Reference[]> =>
  ctx.database.all<Reference>(
    {
      name: 'keys_references',
      text: `select f.conrelid::regclass::text as table, f.conname::text as name, array(
               select a.attname || '=' || b.attname from unnest(f.conkey, f.confkey) as k(mine, theirs)
               join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.mine
               join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.theirs
             ) as pairs
             from pg_constraint f
             where f.contype = 'f' and f.conrelid::regclass::text = any($1) and f.confrelid::regclass::text = any($1)`,
    },
    [of],
  );

async function ofAccounts(): Promise<readonly string[]> {
  return (await columns()).filter(({ name }) => name === 'account_id').map(({ table }) => table);
}

test('every unique index of a table that customers own contains the account, but for those that are named here', async () => {
  const owned = new Set(await ofAccounts());
  assert.ok(owned.size > 25, `${owned.size} tables`);
  const without = (await uniques()).filter(
    ({ table, columns: own }) => owned.has(table) && !own.includes('account_id'),
  );
  assert.deepEqual(without.map(({ name }) => name).toSorted(), Object.keys(PLATFORM_WIDE).toSorted());
});

test('every table that customers own has a primary key', async () => {
  const keyed = new Set((await uniques()).filter(({ name }) => name.endsWith('_pkey')).map(({ table }) => table));
  assert.deepEqual(
    (await ofAccounts()).filter((table) => !keyed.has(table)),
    [],
  );
});

test('every reference between two of them is by the account as well', async () => {
  const found = await references(await ofAccounts());
  assert.ok(found.length > 15, `${found.length} references`);
  const crossing = found.filter(({ pairs }) => !pairs.includes('account_id=account_id'));
  assert.deepEqual(crossing.map(({ name }) => name).toSorted(), Object.keys(ACROSS_ACCOUNTS).toSorted());
});

test('what belongs to an order belongs to its account', async () => {
  const owned = new Set(await ofAccounts());
  const noting = (await columns()).filter(({ name }) => name === 'order_id').map(({ table }) => table);
  assert.deepEqual(noting.filter((table) => !owned.has(table)).toSorted(), OF_THE_SHOP);
});

test('events, deliveries and the history of orders have the id in every unique index', async () => {
  const found = (await uniques()).filter(({ table }) => BY_TIME.includes(table));
  assert.deepEqual([...new Set(found.map(({ table }) => table))].toSorted(), BY_TIME);
  assert.deepEqual(
    found.filter(({ columns: own }) => !own.includes('id')),
    [],
  );
});
