import { type Db, statement } from '../../lib/db.ts';

// Which keys nodes seal with, and since when.

export type KeyUseRow = { key_id: string; first_used_at: Date; last_used_at: Date };

const NOTE_USE = statement<never>(
  'secrets_note_use',
  `insert into secret_key_use as u (key_id, first_used_at, last_used_at) values ($1, $2, $2)
   on conflict (key_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`,
);

/** Notes that a node seals with a key now. */
export async function noteKeyUse(db: Db, keyId: string, now: Date): Promise<void> {
  await db.all(NOTE_USE, [keyId, now]);
}

const KEY_USES = statement<KeyUseRow>(
  'secrets_key_uses',
  'select key_id, first_used_at, last_used_at from secret_key_use order by first_used_at desc limit 100',
);

/** The keys that nodes have sealed with, the latest first. */
export async function listKeyUses(db: Db): Promise<KeyUseRow[]> {
  return db.all(KEY_USES, []);
}
