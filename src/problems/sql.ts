import { type Db, statement } from '../lib/db.ts';
import { FIRST_ID, LAST_ID, type Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import type { ProblemKind, ProblemStatus } from './schema.ts';

/** An order has no more problems than this, withdrawn ones among them. */
export const PROBLEMS_OF_ORDER_MAX = 50;

export type ProblemRow = {
  account_id: Uuid;
  id: Uuid;
  order_id: Uuid;
  order_reference: string;
  kind: ProblemKind;
  status: ProblemStatus;
  text: string;
  external_reference: string | null;
  task_id: Uuid;
  reported_at: Date;
  answer_due_at: Date;
  ended_at: Date | null;
  answer: string;
  answered_by: string | null;
  replacement_id: Uuid | null;
  replacement_reference: string | null;
  refund_pence: number | null;
  lines: { line_id: Uuid; sku: string; name: string; quantity: number }[];
  /** Hashes in hex. */
  photos: string[];
};

// Of a problem `p`. By look-ups of its own rows, so that a page costs the same at any number of problems.
const SHOWN = `p.account_id, p.id, p.order_id, p.kind, p.status, p.text, p.external_reference, p.task_id,
  p.reported_at, p.answer_due_at, p.ended_at, p.answer, p.answered_by, p.replacement_id, p.refund_pence,
  (select o.reference from orders o where o.account_id = p.account_id and o.id = p.order_id) as order_reference,
  (select o.reference from orders o where o.account_id = p.account_id and o.id = p.replacement_id) as replacement_reference,
  (select coalesce(json_agg(json_build_object('line_id', i.line_id, 'sku', l.sku, 'name', l.name, 'quantity', i.quantity)
     order by l.ordinal), '[]')
   from problem_line i join order_line l on l.account_id = i.account_id and l.order_id = i.order_id and l.id = i.line_id
   where i.account_id = p.account_id and i.problem_id = p.id) as lines,
  array(select encode(f.hash, 'hex') from problem_photo f where f.problem_id = p.id and f.account_id = p.account_id
    order by f.id) as photos`;

const PROBLEM = statement<ProblemRow>(
  'problems_one',
  `select ${SHOWN} from problem p where p.account_id = $1 and p.id = $2`,
);

/** A problem of an account. */
export async function findProblem(db: Db, accountId: Uuid, id: Uuid): Promise<ProblemRow | undefined> {
  return db.one(PROBLEM, [accountId, id]);
}

const OPS_PROBLEM = statement<ProblemRow>('problems_ops_one', `select ${SHOWN} from problem p where p.id = $1`);

/** A problem of any account: for operators. */
export async function findAnyProblem(db: Db, id: Uuid): Promise<ProblemRow | undefined> {
  return db.one(OPS_PROBLEM, [id]);
}

const BY_REFERENCE = statement<ProblemRow>(
  'problems_by_external_reference',
  `select ${SHOWN} from problem p where p.account_id = $1 and p.external_reference = $2`,
);

/** The problem that an account has reported under an external reference. */
export async function findByReference(db: Db, accountId: Uuid, reference: string): Promise<ProblemRow | undefined> {
  return db.one(BY_REFERENCE, [accountId, reference]);
}

const OF_ORDER = statement<ProblemRow>(
  'problems_of_order',
  `select ${SHOWN} from problem p where p.order_id = $2 and p.account_id = $1 order by p.id desc limit ${PROBLEMS_OF_ORDER_MAX}`,
);

/** The problems of an order, the newest first. */
export async function listProblemsOfOrder(db: Db, accountId: Uuid, orderId: Uuid): Promise<ProblemRow[]> {
  return db.all(OF_ORDER, [accountId, orderId]);
}

type PageOf = { readonly before: Uuid | undefined; readonly limit: number };

// What was answered in a span is read whole, by its index, and sorted: the fence keeps the planner from walking all
// problems of the account in the hope of finding a page of them soon.
const ANSWERED = statement<ProblemRow>(
  'problems_answered',
  `select ${SHOWN} from (
     select * from (
       select * from problem where account_id = $1 and answered_by is not null and ended_at >= $2 offset 0
     ) as answered order by ended_at desc, id desc limit $3
   ) as p order by p.ended_at desc, p.id desc`,
);

/** The problems of an account that the shop has answered since a time, the latest answer first. */
export async function listAnsweredProblems(
  db: Db,
  accountId: Uuid,
  { since, limit }: { readonly since: Date; readonly limit: number },
): Promise<ProblemRow[]> {
  return db.all(ANSWERED, [accountId, since, limit]);
}

const pageOf = (name: string, where: string) =>
  statement<ProblemRow>(
    name,
    `select ${SHOWN} from (
       select * from (
         select * from problem where account_id = $1 and id < $2 ${where} order by id desc limit ${PAGE_ROWS_MAX}
       ) as newest order by id desc limit $3
     ) as p order by p.id desc`,
  );

const PAGE = pageOf('problems_page', '');
const PAGE_OF_STATUS = pageOf('problems_page_of_status', 'and status = $4');

/** A page of the problems of an account, the newest first. */
export async function listProblemRows(
  db: Db,
  accountId: Uuid,
  { before = LAST_ID as Uuid, limit, status }: PageOf & { readonly status: ProblemStatus | undefined },
): Promise<ProblemRow[]> {
  if (status === undefined) return db.all(PAGE, [accountId, before, limit]);
  return db.all(PAGE_OF_STATUS, [accountId, before, limit, status]);
}

// The page begins after the deadline of its cursor, whatever has become of that problem since.
const OPS_PAGE = statement<ProblemRow>(
  'problems_ops_page',
  `with begin as (select answer_due_at, id from problem where id = $2)
   select ${SHOWN} from (
     select * from (
       select * from problem where status = $1 and (answer_due_at, id) > (
         coalesce((select answer_due_at from begin), '-infinity'), coalesce((select id from begin), '${FIRST_ID}'::uuid))
       order by answer_due_at, id limit ${PAGE_ROWS_MAX}
     ) as first order by answer_due_at, id limit $3
   ) as p order by p.answer_due_at, p.id`,
);

/** A page of the problems of all accounts in a status, by their deadlines. */
export async function listProblemsByDeadline(
  db: Db,
  page: { readonly status: ProblemStatus; readonly after: Uuid | undefined; readonly limit: number },
): Promise<ProblemRow[]> {
  return db.all(OPS_PAGE, [page.status, page.after ?? null, page.limit]);
}

const OLDEST_DUE = statement<{ due_at: Date }>(
  'problems_oldest_due',
  `select answer_due_at as due_at from problem where status = 'open' order by answer_due_at, id limit 1`,
);

/** The deadline of the open problem whose deadline is the first. */
export async function findFirstDeadline(db: Db): Promise<Date | undefined> {
  return (await db.one(OLDEST_DUE, []))?.due_at;
}

const ORDER_OF = statement<{ reference: string; erased_at: Date | null }>(
  'problems_order',
  'select reference, erased_at from orders where account_id = $1 and id = $2',
);

/** The reference of an order of an account, and when its personal data was erased. */
export async function findOrderErasure(
  db: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ reference: string; erased_at: Date | null } | undefined> {
  return db.one(ORDER_OF, [accountId, orderId]);
}

export type ReportableRow = { line_id: Uuid; sku: string; name: string; shipped: number; reported: number };

const REPORTABLE = statement<ReportableRow>(
  'problems_reportable',
  `select l.id as line_id, l.sku, l.name, l.quantity_shipped as shipped, coalesce((
     select sum(i.quantity) from problem_line i join problem p on p.account_id = i.account_id and p.id = i.problem_id
     where i.order_id = l.order_id and i.account_id = l.account_id and i.line_id = l.id and p.status <> 'withdrawn'
   ), 0)::integer as reported
   from order_line l where l.order_id = $2 and l.account_id = $1 order by l.ordinal`,
);

/** The shipped pieces of each line of an order, and how many of them are in problems. */
export async function readReportable(db: Db, accountId: Uuid, orderId: Uuid): Promise<ReportableRow[]> {
  return db.all(REPORTABLE, [accountId, orderId]);
}

export type ShippedRow = { last_shipped_at: Date | null; problems: number };

const SHIPPED = statement<ShippedRow>(
  'problems_shipped',
  `select (select max(s.shipped_at) from shipment s where s.account_id = $1 and s.order_id = $2) as last_shipped_at,
     (select count(*)::integer from problem p where p.order_id = $2 and p.account_id = $1) as problems`,
);

/** When the latest parcel of an order left, and how many problems it has. */
export async function readShipped(db: Db, accountId: Uuid, orderId: Uuid): Promise<ShippedRow> {
  const row = await db.one(SHIPPED, [accountId, orderId]);
  if (row === undefined) throw new Error('a select without a row');
  return row;
}

export type NewProblem = {
  readonly accountId: Uuid;
  readonly id: Uuid;
  readonly orderId: Uuid;
  readonly kind: ProblemKind;
  readonly text: string;
  readonly externalReference: string | null;
  readonly taskId: Uuid;
  readonly lines: readonly { readonly lineId: Uuid; readonly quantity: number }[];
  readonly photos: readonly { readonly id: Uuid; readonly hash: string }[];
  readonly dueAt: Date;
  readonly now: Date;
};

// Every branch hangs on the row: a reference that is taken writes nothing.
const INSERT = statement<{ id: Uuid }>(
  'problems_insert',
  `with made as (
     insert into problem (account_id, id, order_id, kind, status, text, external_reference, task_id,
       reported_at, answer_due_at)
     values ($1, $2, $3, $4, 'open', $5, $6, $7, $8, $9)
     on conflict (account_id, external_reference) where external_reference is not null do nothing
     returning account_id, id, order_id
   ),
   lines as (
     insert into problem_line (account_id, problem_id, order_id, line_id, quantity)
     select m.account_id, m.id, m.order_id, l.id, l.quantity from made m, unnest($10::uuid[], $11::integer[]) as l(id, quantity)
   ),
   photos as (
     insert into problem_photo (account_id, id, problem_id, order_id, hash, created_at)
     select m.account_id, f.id, m.id, m.order_id, decode(f.hash, 'hex'), $8
     from made m, unnest($12::uuid[], $13::text[]) as f(id, hash)
   )
   select id from made`,
);

/** Writes an open problem of a locked order; false when its external reference is taken. */
export async function insertProblem(tx: Db, problem: NewProblem): Promise<boolean> {
  const { lines, photos } = problem;
  const made = await tx.one(INSERT, [
    problem.accountId,
    problem.id,
    problem.orderId,
    problem.kind,
    problem.text,
    problem.externalReference,
    problem.taskId,
    problem.now,
    problem.dueAt,
    lines.map(({ lineId }) => lineId),
    lines.map(({ quantity }) => quantity),
    photos.map(({ id }) => id),
    photos.map(({ hash }) => hash),
  ]);
  return made !== undefined;
}

export type ProblemEnd = {
  readonly accountId: Uuid;
  readonly id: Uuid;
  readonly status: Exclude<ProblemStatus, 'open'>;
  readonly answer: string;
  readonly answeredBy: string | null;
  readonly replacementId: Uuid | null;
  readonly refundPence: number | null;
  readonly now: Date;
};

const END = statement<{ id: Uuid }>(
  'problems_end',
  `with ended as (
     update problem set status = $3, answer = $4, answered_by = $5, replacement_id = $6, refund_pence = $7,
       ended_at = greatest($8::timestamptz, reported_at)
     where account_id = $1 and id = $2 and status = 'open'
     returning account_id, id, ended_at
   ),
   photos as (
     update problem_photo f set ended_at = e.ended_at from ended e
     where f.problem_id = e.id and f.account_id = e.account_id
   )
   select id from ended`,
);

/** Ends an open problem; false when it is not open. */
export async function endProblem(tx: Db, end: ProblemEnd): Promise<boolean> {
  const { accountId, id, status, answer, answeredBy, replacementId, refundPence, now } = end;
  return (
    (await tx.one(END, [accountId, id, status, answer, answeredBy, replacementId, refundPence, now])) !== undefined
  );
}
