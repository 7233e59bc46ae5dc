import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

const FIND = statement<{ service: string }>(
  'pricing_find_shipping_preference',
  'select service from shipping_preference where account_id = $1',
);

/** The shipping service that an account prefers; undefined for none. */
export async function findPreferredService(db: Db, accountId: Uuid): Promise<string | undefined> {
  return (await db.one(FIND, [accountId]))?.service;
}

const SAVE = statement<never>(
  'pricing_save_shipping_preference',
  `insert into shipping_preference (account_id, service) values ($1, $2)
   on conflict (account_id) do update set service = excluded.service`,
);

/** Writes which service an account prefers. */
export async function savePreferredService(db: Db, accountId: Uuid, service: string): Promise<void> {
  await db.all(SAVE, [accountId, service]);
}

const DROP = statement<never>(
  'pricing_drop_shipping_preference',
  'delete from shipping_preference where account_id = $1',
);

/** Forgets which service an account prefers. */
export async function dropPreferredService(db: Db, accountId: Uuid): Promise<void> {
  await db.all(DROP, [accountId]);
}
