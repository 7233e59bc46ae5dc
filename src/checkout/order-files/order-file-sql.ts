import { lockAccount } from '../../accounts/lock-account.ts';
import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import type { Columns, KnownHeadings } from './columns.ts';

export type FileState = 'unmapped' | 'checking' | 'ready' | 'placing' | 'placed';
export type EntryState = 'waiting' | 'ready' | 'wrong' | 'existing' | 'placed' | 'refused' | 'others';

export type FileHead = {
  id: Uuid;
  name: string;
  columns: Columns;
  prefix: string;
  places_repeats: boolean;
  plan: number;
  row_count: number;
  state: FileState;
  created_at: Date;
  confirmed_at: Date | null;
};

const HEAD =
  'f.id, f.name, f.columns, f.prefix, f.places_repeats, f.plan, f.row_count, f.state, f.created_at, f.confirmed_at';

/** `unread`: the text of a file of before, whose headings were not kept. */
export type FileWithHeadings = FileHead & { headings: string[] | null; unread: string | null };

/** Files that an account may have at a time. */
export const FILES_MAX = 50;
/** Rows of a file, and so orders. */
export const ROWS_MAX = 1_000;

const COUNT = statement<{ count: number }>(
  'checkout_count_order_files',
  `select count(*)::integer as count from (select from order_file where account_id = $1 limit ${FILES_MAX}) as f`,
);

/**
 * Locks the account against other uploads until the transaction ends, and counts its files.
 * It counts up to the most that there may be.
 */
export async function lockAndCountFiles(tx: Db, accountId: Uuid): Promise<number> {
  await lockAccount(tx, accountId);
  return (await tx.one(COUNT, [accountId]))?.count ?? 0;
}

const INSERT = statement<never>(
  'checkout_insert_order_file',
  `insert into order_file (account_id, id, name, content, columns, prefix, plan, row_count, state, created_at, updated_at, turn_at,
     content_hash, headings)
   values ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $9, $9, sha256(convert_to($4, 'UTF8')), $10)`,
);

export type NewFile = {
  readonly accountId: Uuid;
  readonly id: Uuid;
  readonly name: string;
  readonly content: string;
  readonly headings: readonly string[];
  readonly columns: Columns;
  readonly prefix: string;
  readonly rowCount: number;
  readonly state: 'unmapped' | 'checking';
  readonly now: Date;
};

/** Writes an uploaded file. */
export async function insertFile(tx: Db, file: NewFile): Promise<void> {
  const columns = JSON.stringify(file.columns);
  const { accountId, id, name, content, prefix, rowCount, state, now } = file;
  const headings = JSON.stringify(file.headings);
  await tx.all(INSERT, [accountId, id, name, content, columns, prefix, rowCount, state, now, headings]);
}

const CLEAR = statement<never>(
  'checkout_clear_order_file',
  'delete from order_file_order where account_id = $1 and file_id = $2',
);
const REMAP = statement<never>(
  'checkout_remap_order_file',
  `update order_file set columns = $3, prefix = $4, state = $5, plan = plan + 1, updated_at = $6, turn_at = $6,
     lease_token = null, leased_until = null, places_repeats = $7
   where account_id = $1 and id = $2`,
);

/**
 * Reads a locked file by other columns.
 * Its orders go, and what a worker has of them is not written any more.
 */
export async function remapFile(
  tx: Db,
  file: Pick<NewFile, 'accountId' | 'id' | 'columns' | 'prefix' | 'state' | 'now'> & {
    readonly placesRepeats: boolean;
  },
): Promise<void> {
  await tx.all(CLEAR, [file.accountId, file.id]);
  const { accountId, id, columns, prefix, placesRepeats, state, now } = file;
  await tx.all(REMAP, [accountId, id, JSON.stringify(columns), prefix, state, now, placesRepeats]);
}

const INSERT_ENTRIES = statement<never>(
  'checkout_insert_order_file_orders',
  `insert into order_file_order (account_id, file_id, place, external_reference, shop_number, row_numbers, body, state, problems)
   select $1, $2, e.place, e.external_reference, e.shop_number, array(select jsonb_array_elements_text(e.rows)::integer), e.body,
     case when e.is_others then 'others' when e.body is null then 'wrong' else 'waiting' end, e.problems
   from jsonb_to_recordset($3::jsonb) as e(place integer, external_reference text, shop_number text, rows jsonb, body jsonb, is_others boolean, problems jsonb)`,
);

/** Writes the orders that were read from a file; one without a body is wrong, or others make it. */
export async function insertEntries(
  tx: Db,
  of: { readonly accountId: Uuid; readonly id: Uuid },
  entries: readonly {
    readonly place: number;
    readonly external_reference: string;
    readonly shop_number: string | null;
    readonly rows: readonly number[];
    readonly body: object | null;
    readonly is_others: boolean;
    readonly problems: readonly object[];
  }[],
): Promise<void> {
  await tx.all(INSERT_ENTRIES, [of.accountId, of.id, JSON.stringify(entries)]);
}

const MEMORY = statement<{ headings: KnownHeadings; prefix: string }>(
  'checkout_order_file_memory',
  'select headings, prefix from order_file_memory where account_id = $1',
);

/** Which headings an account last read its fields from, and the prefix that it last placed orders with. */
export async function readMemory(db: Db, accountId: Uuid): Promise<{ headings: KnownHeadings; prefix: string }> {
  return (await db.one(MEMORY, [accountId])) ?? { headings: {}, prefix: '' };
}

const REMEMBER_HEADINGS = statement<never>(
  'checkout_remember_headings',
  `insert into order_file_memory (account_id, headings, prefix) values ($1, $2, '')
   on conflict (account_id) do update set headings = order_file_memory.headings || excluded.headings`,
);
const REMEMBER_PREFIX = statement<never>(
  'checkout_remember_prefix',
  `insert into order_file_memory (account_id, headings, prefix) values ($1, '{}', $2)
   on conflict (account_id) do update set prefix = excluded.prefix`,
);

/** Remembers the headings that an account has chosen beside those it chose before. */
export async function rememberHeadings(tx: Db, accountId: Uuid, headings: KnownHeadings): Promise<void> {
  await tx.all(REMEMBER_HEADINGS, [accountId, JSON.stringify(headings)]);
}

/** Remembers the prefix that an account places orders with. */
export async function rememberPrefix(tx: Db, accountId: Uuid, prefix: string): Promise<void> {
  await tx.all(REMEMBER_PREFIX, [accountId, prefix]);
}

const FIND = statement<FileWithHeadings>(
  'checkout_find_order_file',
  `select ${HEAD}, f.headings, case when f.headings is null then f.content end as unread from order_file f where account_id = $1 and id = $2`,
);
const CONTENT = statement<{ content: string }>(
  'checkout_read_order_file',
  'select content from order_file where account_id = $1 and id = $2',
);
const LOCK = statement<FileHead>(
  'checkout_lock_order_file',
  `select ${HEAD} from order_file f where account_id = $1 and id = $2 for update`,
);

/** A file of an account. */
export async function findFile(db: Db, accountId: Uuid, id: Uuid): Promise<FileWithHeadings | undefined> {
  return db.one(FIND, [accountId, id]);
}

/** The text of a file of an account. */
export async function readContent(db: Db, accountId: Uuid, id: Uuid): Promise<string | undefined> {
  return (await db.one(CONTENT, [accountId, id]))?.content;
}

/** A file of an account; keeps every change from it until the transaction ends. */
export async function lockFile(tx: Db, accountId: Uuid, id: Uuid): Promise<FileHead | undefined> {
  return tx.one(LOCK, [accountId, id]);
}

export type FileCount = { file_id: Uuid; state: EntryState; count: number; total_pence: number; unpaid: number };

const COUNTS = statement<FileCount>(
  'checkout_count_order_file_orders',
  `select f.id as file_id, c.state, c.count, c.total_pence, c.unpaid from unnest($2::uuid[]) as f(id) cross join lateral (
     select state, count(*)::integer as count, coalesce(sum(total_pence), 0)::bigint as total_pence,
       count(*) filter (where is_unpaid)::integer as unpaid
     from order_file_order where account_id = $1 and file_id = f.id group by state
   ) as c`,
);

/** How many orders of some files are in each state, and what they cost. */
export async function countEntries(db: Db, accountId: Uuid, ids: readonly Uuid[]): Promise<FileCount[]> {
  return db.all(COUNTS, [accountId, ids]);
}

const LIST = statement<FileHead>(
  'checkout_list_order_files',
  `select ${HEAD} from order_file f where account_id = $1 and id < coalesce($2::uuid, '${LAST_ID}') order by id desc limit $3`,
);

/** Files of an account, newest first, from after `after`. */
export async function listFileHeads(
  db: Db,
  accountId: Uuid,
  after: Uuid | undefined,
  limit: number,
): Promise<FileHead[]> {
  return db.all(LIST, [accountId, after ?? null, limit]);
}

export type FileEntryRow = {
  place: number;
  external_reference: string;
  row_numbers: number[];
  state: EntryState;
  total_pence: number | null;
  problems: { row: number; field: string | null; message: string }[];
  warnings: string[];
  order_id: Uuid | null;
  reference: string | null;
};

const ENTRY = 'place, external_reference, row_numbers, state, total_pence, problems, warnings, order_id, reference';

const ENTRIES = statement<FileEntryRow>(
  'checkout_list_order_file_orders',
  `select ${ENTRY} from order_file_order
   where account_id = $1 and file_id = $2 and place > $3 and ($4::text is null or state = $4) order by place limit $5`,
);

/** Orders of a file by their place in it, from after one, of a state or of all. */
export async function listFileEntries(
  db: Db,
  of: { readonly accountId: Uuid; readonly id: Uuid },
  page: { readonly after: number; readonly state: EntryState | undefined; readonly limit: number },
): Promise<FileEntryRow[]> {
  return db.all(ENTRIES, [of.accountId, of.id, page.after, page.state ?? null, page.limit]);
}

const CONFIRM = statement<never>(
  'checkout_confirm_order_file',
  `update order_file set state = 'placing', confirmed_at = $3, updated_at = $3, turn_at = $3 where account_id = $1 and id = $2`,
);

/** Lets the orders of a locked file be placed. */
export async function confirmFile(tx: Db, accountId: Uuid, id: Uuid, now: Date): Promise<void> {
  await tx.all(CONFIRM, [accountId, id, now]);
}

const REMOVE = statement<never>(
  'checkout_remove_order_file',
  'delete from order_file where account_id = $1 and id = $2',
);

/** Removes a locked file and its orders; what was placed stays. */
export async function removeFile(tx: Db, accountId: Uuid, id: Uuid): Promise<void> {
  await tx.all(REMOVE, [accountId, id]);
}
