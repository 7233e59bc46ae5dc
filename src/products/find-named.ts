import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { findNamed, type NamedProduct } from './named-sql.ts';

/** Looks up the products of an account that a file names; archived ones are not among them. */
export async function findNamedProducts(
  ctx: { readonly database: Db },
  accountId: Uuid,
  by: { readonly ids: readonly Uuid[]; readonly names: readonly string[]; readonly skus: readonly string[] },
): Promise<NamedProduct[]> {
  return findNamed(ctx.database, accountId, by);
}
