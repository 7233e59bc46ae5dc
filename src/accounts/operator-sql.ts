import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { OperatorRole } from '../lib/operator.ts';

// Operators, their tokens, and the audit log.

const INSERT_OPERATOR = statement<{ id: Uuid }>(
  'accounts_insert_operator',
  `insert into operator (id, email, password_hash, role, created_at) values ($1, $2, $3, $4, $5)
   on conflict (email) do nothing returning id`,
);

/** Writes an operator; false when the address is taken. */
export async function insertOperatorUnlessKnown(
  db: Db,
  operator: { id: Uuid; email: string; passwordHash: string; role: OperatorRole; createdAt: Date },
): Promise<boolean> {
  const values = [operator.id, operator.email, operator.passwordHash, operator.role, operator.createdAt];
  return (await db.one(INSERT_OPERATOR, values)) !== undefined;
}

// The lock orders minting against disabling: a token minted meanwhile is either refused or revoked with the others.
const LOCK_OPERATOR = statement<{ id: Uuid; disabled_at: Date | null }>(
  'accounts_lock_operator',
  'select id, disabled_at from operator where email = $1 for update',
);

/** Locks the operator of an address. */
export async function lockOperator(db: Db, email: string): Promise<{ id: Uuid; disabled_at: Date | null } | undefined> {
  return db.one(LOCK_OPERATOR, [email]);
}

const OPERATOR_BY_EMAIL = statement<{ id: Uuid }>(
  'accounts_operator_by_email',
  'select id from operator where email = $1',
);

/** The operator of an address, disabled or not. */
export async function findOperatorByEmail(db: Db, email: string): Promise<Uuid | undefined> {
  return (await db.one(OPERATOR_BY_EMAIL, [email]))?.id;
}

const INSERT_OPERATOR_TOKEN = statement<never>(
  'accounts_insert_operator_token',
  'insert into operator_token (id, operator_id, token_hash, created_at) values ($1, $2, $3, $4)',
);

/** Writes a token of an operator by its hash. */
export async function insertOperatorToken(
  db: Db,
  token: { id: Uuid; operatorId: Uuid; hash: Buffer; createdAt: Date },
): Promise<void> {
  await db.all(INSERT_OPERATOR_TOKEN, [token.id, token.operatorId, token.hash, token.createdAt]);
}

const DISABLE_OPERATOR = statement<never>(
  'accounts_disable_operator',
  `with disabled as (
     update operator set disabled_at = coalesce(disabled_at, $2) where id = $1
   )
   update operator_token set revoked_at = $2 where operator_id = $1 and revoked_at is null`,
);

/** Disables a locked operator and revokes all of their tokens. Idempotent. */
export async function disableOperatorRow(db: Db, id: Uuid, now: Date): Promise<void> {
  await db.all(DISABLE_OPERATOR, [id, now]);
}

const ENABLE_OPERATOR = statement<never>(
  'accounts_enable_operator',
  'update operator set disabled_at = null where id = $1 and disabled_at is not null',
);

/** Enables a locked operator again; their revoked tokens stay revoked. Idempotent. */
export async function enableOperatorRow(db: Db, id: Uuid): Promise<void> {
  await db.all(ENABLE_OPERATOR, [id]);
}

export type OperatorRow = { id: Uuid; email: string; role: OperatorRole; created_at: Date; disabled_at: Date | null };

const LIST_OPERATORS = statement<OperatorRow>(
  'accounts_list_operators',
  'select id, email, role, created_at, disabled_at from operator where id < $1 order by id desc limit $2',
);

/** A page of the operators, disabled ones too, newest first, from after `before`. */
export async function listOperatorRows(db: Db, page: { before: Uuid; limit: number }): Promise<OperatorRow[]> {
  return db.all(LIST_OPERATORS, [page.before, page.limit]);
}

// A disabling of the same operator comes wholly before or wholly after what holds this lock.
const SHARE_OPERATOR = statement<{ disabled_at: Date | null }>(
  'accounts_share_operator',
  'select disabled_at from operator where id = $1 for share',
);

/** Whether an operator may still act; one that is enabled stays so until the transaction ends. */
export async function isEnabledOperator(tx: Db, id: Uuid): Promise<boolean> {
  return (await tx.one(SHARE_OPERATOR, [id]))?.disabled_at === null;
}

const OTHER_OPERATORS = statement<{ id: Uuid }>(
  'accounts_other_operators',
  'select id from operator where disabled_at is null and role = any($1::text[]) and id is distinct from $2 limit 1',
);

/** Whether another operator than one, or any for null, is enabled and has one of some roles. */
export async function hasOtherOperator(tx: Db, roles: readonly OperatorRole[], than: Uuid | null): Promise<boolean> {
  return (await tx.one(OTHER_OPERATORS, [roles, than])) !== undefined;
}

export type LiveOperatorRow = {
  id: Uuid;
  token_id: Uuid;
  email: string;
  role: OperatorRole;
  last_used_at: Date | null;
};

const LIVE_OPERATOR = statement<LiveOperatorRow>(
  'accounts_live_operator',
  `select o.id, t.id as token_id, o.email, o.role, t.last_used_at
   from operator_token t join operator o on o.id = t.operator_id
   where t.token_hash = $1 and t.revoked_at is null and o.disabled_at is null`,
);

/** The operator of a token's hash, unless the token is revoked or the operator disabled. */
export async function findLiveOperator(db: Db, hash: Buffer): Promise<LiveOperatorRow | undefined> {
  return db.one(LIVE_OPERATOR, [hash]);
}

const LIVE_TOKEN = statement<{ id: Uuid }>(
  'accounts_live_operator_token',
  `select t.id from operator_token t join operator o on o.id = t.operator_id
   where t.id = $1 and t.revoked_at is null and o.disabled_at is null`,
);

/** Whether a token of an operator can still be used. */
export async function isLiveOperatorToken(db: Db, id: Uuid): Promise<boolean> {
  return (await db.one(LIVE_TOKEN, [id])) !== undefined;
}

export type ActionRow = {
  id: Uuid;
  /** Null for a command. */
  operator_email: string | null;
  action: string;
  order_id: Uuid | null;
  detail: Record<string, unknown>;
  idempotency_key: string | null;
  created_at: Date;
};

const ACTION_COLUMNS = `a.id, o.email as operator_email, a.action, a.order_id, a.detail, a.idempotency_key, a.created_at
   from operator_action a left join operator o on o.id = a.operator_id`;

const LIST_ACTIONS = statement<ActionRow>(
  'accounts_list_operator_actions',
  `select ${ACTION_COLUMNS} where a.id < $1 order by a.id desc limit $2`,
);

const LIST_ACTIONS_OF_ORDER = statement<ActionRow>(
  'accounts_list_operator_actions_of_order',
  `select ${ACTION_COLUMNS} where a.order_id = $3 and a.id < $1 order by a.id desc limit $2`,
);

/** A page of the audit log, of all orders or of one, newest first, from after `before`. */
export async function listOperatorActions(
  db: Db,
  page: { before: Uuid; limit: number; orderId: Uuid | undefined },
): Promise<ActionRow[]> {
  const { before, limit, orderId } = page;
  if (orderId === undefined) return db.all(LIST_ACTIONS, [before, limit]);
  return db.all(LIST_ACTIONS_OF_ORDER, [before, limit, orderId]);
}

const ORDER_OF_REFERENCE = statement<{ id: Uuid }>(
  'accounts_order_of_reference',
  'select id from orders where reference = $1',
);

/** The id of an order of any account by its reference in canonical form. */
export async function findOrderOfReference(db: Db, reference: string): Promise<Uuid | undefined> {
  return (await db.one(ORDER_OF_REFERENCE, [reference]))?.id;
}

const INSERT_ACTION = statement<{ id: Uuid }>(
  'accounts_insert_operator_action',
  `insert into operator_action (id, operator_id, action, order_id, subject_id, detail, idempotency_key, request_hash, created_at)
   values ($1, $2, $3, $4, $5, $6::json, $7, $8, $9)
   on conflict (operator_id, idempotency_key) where idempotency_key is not null do nothing
   returning id`,
);

/**
 * Records an operator's action; false when the key is taken.
 * Waits for a request of the same key that is in progress.
 */
export async function insertOperatorAction(
  db: Db,
  action: {
    id: Uuid;
    /** Null for a command. */
    operatorId: Uuid | null;
    action: string;
    orderId: Uuid | null;
    subjectId: Uuid | null;
    detail: object;
    key: string | null;
    requestHash: Buffer;
    now: Date;
  },
): Promise<boolean> {
  const { id, operatorId, orderId, subjectId, detail, key, requestHash, now } = action;
  const values = [id, operatorId, action.action, orderId, subjectId, JSON.stringify(detail), key, requestHash, now];
  return (await db.one(INSERT_ACTION, values)) !== undefined;
}

const FIND_ACTION = statement<{ request_hash: Buffer; subject_id: Uuid | null }>(
  'accounts_find_operator_action',
  'select request_hash, subject_id from operator_action where operator_id = $1 and idempotency_key = $2',
);

/**
 * The action recorded under a key.
 * A statement of its own: the loser of a race for a key does not see the winner's row in its own snapshot.
 */
export async function findOperatorAction(
  db: Db,
  operatorId: Uuid,
  key: string,
): Promise<{ request_hash: Buffer; subject_id: Uuid | null } | undefined> {
  return db.one(FIND_ACTION, [operatorId, key]);
}
