import { type Db, statement } from '../../../lib/db.ts';
import type { Uuid } from '../../../lib/ids.ts';

const COUNT = statement<{ files: number }>(
  'artwork_count_permitted_file',
  `insert into drop_use as own (account_id, permitted_at, bytes) values ($1, array[$2::timestamptz], array[$3::bigint])
   on conflict (account_id) do update set (permitted_at, bytes) = (
     select array_agg(at) || $2::timestamptz, array_agg(size) || $3::bigint
     from unnest(own.permitted_at, own.bytes) as kept (at, size) where at > $4
   )
   where (
     select count(*) < $5 and coalesce(sum(size), 0) + $3 <= $6
     from unnest(own.permitted_at, own.bytes) as kept (at, size) where at > $4
   )
   returning cardinality(permitted_at) as files`,
);

/**
 * Counts one more permitted file of an account, if its bounds allow it.
 * Those permitted until `since` count no more, and are forgotten. Of two at a moment the second sees the first.
 */
export async function countPermittedFile(
  db: Db,
  accountId: Uuid,
  file: { readonly bytes: number; readonly at: Date; readonly since: Date },
  max: { readonly files: number; readonly bytes: number },
): Promise<'counted' | 'too much'> {
  const row = await db.one(COUNT, [accountId, file.at, file.bytes, file.since, max.files, max.bytes]);
  return row === undefined ? 'too much' : 'counted';
}
