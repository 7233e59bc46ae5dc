import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

export type SignUpRow = {
  id: Uuid;
  email: string;
  name: string;
  company: string;
  country_code: string;
  created_at: Date;
  confirmed_at: Date | null;
  password_hash: string | null;
};

const COLUMNS = 'id, email, name, company, country_code, created_at, confirmed_at, password_hash';

type OpenSignUps = { unconfirmed: number; waiting: number };

const COUNT = statement<OpenSignUps>(
  'joining_count_sign_ups',
  `select
     (select count(*)::integer from (
       select from sign_up where ends_at > $1 and confirmed_at is null order by ends_at limit $2) as u) as unconfirmed,
     (select count(*)::integer from (
       select from sign_up where ends_at > $1 and confirmed_at is not null order by id limit $2) as w) as waiting`,
);

/** How many sign-ups are not confirmed, and how many wait for an operator, each up to a bound. */
export async function countSignUps(db: Db, now: Date, max: number): Promise<OpenSignUps> {
  const row = await db.one(COUNT, [now, max]);
  if (row === undefined) throw new Error('a select without a row');
  return row;
}

const INSERT = statement<never>(
  'joining_insert_sign_up',
  `with earlier as (delete from sign_up where email = $2 and confirmed_at is null)
   insert into sign_up (id, email, name, company, country_code, created_at, ends_at) values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Writes a sign-up in place of earlier ones of the address that were not confirmed. */
export async function insertSignUp(
  tx: Db,
  row: Omit<SignUpRow, 'confirmed_at' | 'password_hash'> & { readonly endsAt: Date },
): Promise<void> {
  const { id, email, name, company, country_code: country, created_at: createdAt, endsAt } = row;
  await tx.all(INSERT, [id, email, name, company, country, createdAt, endsAt]);
}

export type SignUpToMail = { email: string; token_hash: Buffer | null };

const TO_MAIL = statement<SignUpToMail>(
  'joining_sign_up_to_mail',
  'select email, token_hash from sign_up where id = $1 and confirmed_at is null and ends_at > $2',
);

/** A sign-up whose address is to be confirmed; undefined when it is over or confirmed. */
export async function findSignUpToMail(db: Db, id: Uuid, now: Date): Promise<SignUpToMail | undefined> {
  return db.one(TO_MAIL, [id, now]);
}

const SET_TOKEN = statement<{ id: Uuid }>(
  'joining_set_sign_up_token',
  'update sign_up set token_hash = $2 where id = $1 and confirmed_at is null and ends_at > $3 returning id',
);

/** Gives a sign-up its token; false when it is over or confirmed. */
export async function setSignUpToken(db: Db, id: Uuid, hash: Buffer, now: Date): Promise<boolean> {
  return (await db.one(SET_TOKEN, [id, hash, now])) !== undefined;
}

const FIND = statement<SignUpRow>(
  'joining_find_sign_up',
  `select ${COLUMNS} from sign_up where token_hash = $1 and ends_at > $2 and confirmed_at is null`,
);
const LOCK = statement<SignUpRow>('joining_lock_sign_up', `${FIND.text} for update`);

/** The sign-up of a token, while it can be confirmed. */
export async function findSignUp(db: Db, hash: Buffer, now: Date): Promise<SignUpRow | undefined> {
  return db.one(FIND, [hash, now]);
}

/** As `findSignUp`, locked. */
export async function lockSignUp(tx: Db, hash: Buffer, now: Date): Promise<SignUpRow | undefined> {
  return tx.one(LOCK, [hash, now]);
}

const CONFIRM = statement<never>(
  'joining_confirm_sign_up',
  'update sign_up set confirmed_at = $2, password_hash = $3, ends_at = $4, token_hash = null where id = $1',
);

/** Makes a locked sign-up wait for an operator. */
export async function confirmSignUpRow(
  tx: Db,
  id: Uuid,
  of: { readonly now: Date; readonly passwordHash: string; readonly endsAt: Date },
): Promise<void> {
  await tx.all(CONFIRM, [id, of.now, of.passwordHash, of.endsAt]);
}

const DROP = statement<never>('joining_drop_sign_up', 'delete from sign_up where id = $1');

/** Deletes a sign-up. */
export async function dropSignUp(db: Db, id: Uuid): Promise<void> {
  await db.all(DROP, [id]);
}

const TAKE = statement<SignUpRow>(
  'joining_take_sign_up',
  `delete from sign_up where id = $1 and confirmed_at is not null returning ${COLUMNS}`,
);

/** Takes a sign-up that waits for an operator, whatever becomes of it. */
export async function takeSignUp(tx: Db, id: Uuid): Promise<SignUpRow | undefined> {
  return tx.one(TAKE, [id]);
}

const LIST = statement<SignUpRow>(
  'joining_list_sign_ups',
  `select ${COLUMNS} from sign_up where confirmed_at is not null and id < $1 order by id desc limit $2`,
);

/** A page of the sign-ups that wait for an operator, newest first. */
export async function listSignUpRows(db: Db, page: { before: Uuid; limit: number }): Promise<SignUpRow[]> {
  return db.all(LIST, [page.before, page.limit]);
}
