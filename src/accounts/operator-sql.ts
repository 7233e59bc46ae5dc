import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { OperatorRole } from '../lib/operator.ts';

// Operators, their tokens, and the log of what they did.

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

// Locked, so that a token that is minted while its operator is being disabled is either refused or revoked with the others.
const LOCK_OPERATOR = statement<{ id: Uuid; disabled_at: Date | null }>(
  'accounts_lock_operator',
  'select id, disabled_at from operator where email = $1 for update',
);

/** Locks the operator of an address. */
export async function lockOperator(db: Db, email: string): Promise<{ id: Uuid; disabled_at: Date | null } | undefined> {
  return db.one(LOCK_OPERATOR, [email]);
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

/** Ends a locked operator and all of his tokens. Repeating it changes nothing. */
export async function disableOperatorRow(db: Db, id: Uuid, now: Date): Promise<void> {
  await db.all(DISABLE_OPERATOR, [id, now]);
}

export type LiveOperatorRow = { id: Uuid; token_id: Uuid; email: string; role: OperatorRole };

const LIVE_OPERATOR = statement<LiveOperatorRow>(
  'accounts_live_operator',
  `select o.id, t.id as token_id, o.email, o.role
   from operator_token t join operator o on o.id = t.operator_id
   where t.token_hash = $1 and t.revoked_at is null and o.disabled_at is null`,
);

/** The operator of a token's hash, unless the token is revoked or the operator disabled. */
export async function findLiveOperator(db: Db, hash: Buffer): Promise<LiveOperatorRow | undefined> {
  return db.one(LIVE_OPERATOR, [hash]);
}

export type ActionRow = {
  id: Uuid;
  operator_email: string;
  action: string;
  order_id: Uuid | null;
  detail: Record<string, unknown>;
  idempotency_key: string | null;
  created_at: Date;
};

const ACTION_COLUMNS = `a.id, o.email as operator_email, a.action, a.order_id, a.detail, a.idempotency_key, a.created_at
   from operator_action a join operator o on o.id = a.operator_id`;

const LIST_ACTIONS = statement<ActionRow>(
  'accounts_list_operator_actions',
  `select ${ACTION_COLUMNS} where a.id < $1 order by a.id desc limit $2`,
);

const LIST_ACTIONS_OF_ORDER = statement<ActionRow>(
  'accounts_list_operator_actions_of_order',
  `select ${ACTION_COLUMNS} where a.order_id = $3 and a.id < $1 order by a.id desc limit $2`,
);

/** A page of what operators did, with all orders or with one; the newest first, from after `before`. */
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
