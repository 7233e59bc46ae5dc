import type { Scope } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { OperatorRole } from '../../lib/operator.ts';

// Tokens as operators see them: never the token, and never its hash.

export type ListedTokenRow = {
  id: Uuid;
  name: string;
  scopes: Scope[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

const TOKEN_COLUMNS = 'id, name, scopes, created_at, expires_at, last_used_at, revoked_at';

const LIST_TOKENS = statement<ListedTokenRow>(
  'access_list_tokens',
  `select ${TOKEN_COLUMNS} from access_token
   where account_id = $1 and client_id is null and id < $2 order by id desc limit $3`,
);

/** A page of the personal tokens of an account, newest first, from after `before`. */
export async function listTokenRows(
  db: Db,
  page: { accountId: Uuid; before: Uuid; limit: number },
): Promise<ListedTokenRow[]> {
  return db.all(LIST_TOKENS, [page.accountId, page.before, page.limit]);
}

const FIND_TOKEN = statement<ListedTokenRow>(
  'access_find_token',
  `select ${TOKEN_COLUMNS} from access_token where id = $1`,
);

/** A token by its id. */
export async function findTokenRow(db: Db, id: Uuid): Promise<ListedTokenRow | undefined> {
  return db.one(FIND_TOKEN, [id]);
}

const REVOKE_TOKEN = statement<{ id: Uuid }>(
  'access_revoke_token',
  'update access_token set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
);

/** Revokes a token; false when there is none of that id. Idempotent. */
export async function revokeTokenRow(tx: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(REVOKE_TOKEN, [id, now])) !== undefined;
}

const REVOKE_OWN_TOKEN = statement<{ id: Uuid }>(
  'access_revoke_own_token',
  `update access_token set revoked_at = coalesce(revoked_at, $3)
   where account_id = $1 and id = $2 and client_id is null returning id`,
);

/** Revokes a personal token of an account; false when it has none of that id. Idempotent. */
export async function revokeOwnTokenRow(db: Db, of: { accountId: Uuid; id: Uuid; now: Date }): Promise<boolean> {
  return (await db.one(REVOKE_OWN_TOKEN, [of.accountId, of.id, of.now])) !== undefined;
}

export type OperatorTokenRow = {
  id: Uuid;
  operator_id: Uuid;
  email: string;
  role: OperatorRole;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
};

const OPERATOR_TOKENS = `select t.id, t.operator_id, o.email, o.role, t.created_at, t.last_used_at, t.revoked_at
   from operator_token t join operator o on o.id = t.operator_id`;

const LIST_OPERATOR_TOKENS = statement<OperatorTokenRow>(
  'access_list_operator_tokens',
  `${OPERATOR_TOKENS} where t.id < $1 order by t.id desc limit $2`,
);

const LIST_TOKENS_OF_OPERATOR = statement<OperatorTokenRow>(
  'access_list_tokens_of_operator',
  `${OPERATOR_TOKENS} where o.email = $3 and t.id < $1 order by t.id desc limit $2`,
);

/** A page of the tokens of all operators or of one, newest first, from after `before`. */
export async function listOperatorTokenRows(
  db: Db,
  page: { email: string | undefined; before: Uuid; limit: number },
): Promise<OperatorTokenRow[]> {
  const { email, before, limit } = page;
  if (email === undefined) return db.all(LIST_OPERATOR_TOKENS, [before, limit]);
  return db.all(LIST_TOKENS_OF_OPERATOR, [before, limit, email]);
}

const FIND_OPERATOR_TOKEN = statement<OperatorTokenRow>(
  'access_find_operator_token',
  `${OPERATOR_TOKENS} where t.id = $1`,
);

/** A token of an operator by its id. */
export async function findOperatorTokenRow(db: Db, id: Uuid): Promise<OperatorTokenRow | undefined> {
  return db.one(FIND_OPERATOR_TOKEN, [id]);
}

const REVOKE_OPERATOR_TOKEN = statement<{ id: Uuid }>(
  'access_revoke_operator_token',
  'update operator_token set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id',
);

/** Revokes a token of an operator; false when there is none of that id. Idempotent. */
export async function revokeOperatorTokenRow(tx: Db, id: Uuid, now: Date): Promise<boolean> {
  return (await tx.one(REVOKE_OPERATOR_TOKEN, [id, now])) !== undefined;
}

// A row that is locked by another node's note, or by its revocation, is left to the next one: nothing waits for a note.
const noteUses = (table: string) => `with used as (
     select t.id, u.at from ${table} t join unnest($1::uuid[], $2::timestamptz[]) as u(id, at) on u.id = t.id
     order by t.id for no key update of t skip locked
   )
   update ${table} t set last_used_at = greatest(t.last_used_at, used.at) from used where t.id = used.id`;

const NOTE_TOKEN_USES = statement<never>('access_note_token_uses', noteUses('access_token'));
const NOTE_OPERATOR_TOKEN_USES = statement<never>('access_note_operator_token_uses', noteUses('operator_token'));

/** Writes when some tokens were last used. */
export async function noteTokenUses(db: Db, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  await db.all(NOTE_TOKEN_USES, [[...uses.keys()], [...uses.values()]]);
}

/** As `noteTokenUses`, of operators' tokens. */
export async function noteOperatorTokenUses(db: Db, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  await db.all(NOTE_OPERATOR_TOKEN_USES, [[...uses.keys()], [...uses.values()]]);
}
