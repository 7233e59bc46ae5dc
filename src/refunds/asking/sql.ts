import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';
import type { AskingReason, RequestState } from '../../orders/asking/request-schema.ts';
import type { RequestRow } from '../../orders/asking/request-sql.ts';

/** A request as it is stored, with the order that it is about. */
export type AskedRow = Omit<RequestRow, 'asked' | 'asked_at' | 'answer_due_at' | 'ended_at'> & {
  account_id: Uuid;
  order_id: Uuid;
  order_reference: string;
  task_id: Uuid;
  asked_at: Date;
  answer_due_at: Date;
  ended_at: Date | null;
};

const SHOWN = `r.account_id, r.id, r.order_id, r.state, r.reason, r.text, r.task_id, r.asked_at, r.answer_due_at, r.ended_at,
  r.answer, r.answered_by,
  (select o.reference from orders o where o.account_id = r.account_id and o.id = r.order_id) as order_reference`;

const LATEST = statement<AskedRow & { asked: number }>(
  'asking_latest',
  `select ${SHOWN}, (
     select count(*)::integer from cancellation_request n where n.order_id = r.order_id and n.account_id = r.account_id
   ) as asked
   from cancellation_request r where r.order_id = $2 and r.account_id = $1 order by r.id desc limit 1`,
);

/** The latest request about an order of an account, and how many there are. */
export async function findLatestRequest(
  db: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<(AskedRow & { asked: number }) | undefined> {
  return db.one(LATEST, [accountId, orderId]);
}

const ANY = statement<AskedRow>('asking_ops_one', `select ${SHOWN} from cancellation_request r where r.id = $1`);

/** A request of any account: for operators. */
export async function findAnyRequest(db: Db, id: Uuid): Promise<AskedRow | undefined> {
  return db.one(ANY, [id]);
}

// The page begins after the deadline of its cursor, whatever has become of that request since.
const OPS_PAGE = statement<AskedRow>(
  'asking_ops_page',
  `with begin as (select answer_due_at, id from cancellation_request where id = $2)
   select ${SHOWN} from (
     select * from (
       select * from cancellation_request where state = $1 and (answer_due_at, id) > (
         coalesce((select answer_due_at from begin), '-infinity'), coalesce((select id from begin), '${FIRST_ID}'::uuid))
       order by answer_due_at, id limit ${PAGE_ROWS_MAX}
     ) as first order by answer_due_at, id limit $3
   ) as r order by r.answer_due_at, r.id`,
);

/** A page of the requests of all accounts in a state, by their deadlines. */
export async function listRequestsByDeadline(
  db: Db,
  page: { readonly state: RequestState; readonly after: Uuid | undefined; readonly limit: number },
): Promise<AskedRow[]> {
  return db.all(OPS_PAGE, [page.state, page.after ?? null, page.limit]);
}

const OLDEST_DUE = statement<{ due_at: Date }>(
  'asking_oldest_due',
  `select answer_due_at as due_at from cancellation_request where state = 'open' order by answer_due_at, id limit 1`,
);

/** The deadline of the open request whose deadline is the first. */
export async function findFirstRequestDeadline(db: Db): Promise<Date | undefined> {
  return (await db.one(OLDEST_DUE, []))?.due_at;
}

const INSERT = statement<never>(
  'asking_insert',
  `insert into cancellation_request (account_id, id, order_id, state, reason, text, task_id, asked_at, answer_due_at)
   values ($1, $2, $3, 'open', $4, $5, $6, $7, $8)`,
);

/** Writes an open request about a locked order. */
export async function insertRequest(
  tx: Db,
  made: {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly orderId: Uuid;
    readonly reason: AskingReason;
    readonly text: string;
    readonly taskId: Uuid;
    readonly now: Date;
    readonly dueAt: Date;
  },
): Promise<void> {
  const { accountId, id, orderId, reason, text, taskId, now, dueAt } = made;
  await tx.all(INSERT, [accountId, id, orderId, reason, text, taskId, now, dueAt]);
}

const END = statement<{ id: Uuid }>(
  'asking_end',
  `update cancellation_request set state = $3, answer = $4, answered_by = $5, ended_at = greatest($6::timestamptz, asked_at)
   where account_id = $1 and id = $2 and state = 'open' returning id`,
);

/** Ends an open request; false when it is not open. */
export async function endRequest(
  tx: Db,
  end: {
    readonly accountId: Uuid;
    readonly id: Uuid;
    readonly state: 'accepted' | 'refused' | 'withdrawn';
    readonly answer: string;
    readonly answeredBy: string | null;
    readonly now: Date;
  },
): Promise<boolean> {
  const { accountId, id, state, answer, answeredBy, now } = end;
  return (await tx.one(END, [accountId, id, state, answer, answeredBy, now])) !== undefined;
}
