import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { InputLayer } from './entered-inputs.ts';
import { findInputLayers, findNamed, type NamedProduct } from './named-sql.ts';

/** Looks up the products of an account that a file names; archived ones are not among them. */
export async function findNamedProducts(
  ctx: { readonly database: Db },
  accountId: Uuid,
  by: { readonly ids: readonly Uuid[]; readonly names: readonly string[]; readonly skus: readonly string[] },
): Promise<NamedProduct[]> {
  return findNamed(ctx.database, accountId, by);
}

/** What is filled in of those products that are personalised, by their ids. */
export async function readInputLayers(
  ctx: { readonly database: Db },
  accountId: Uuid,
  products: readonly NamedProduct[],
): Promise<ReadonlyMap<Uuid, readonly InputLayer[]>> {
  const ids = products.filter(({ personalised }) => personalised).map(({ id }) => id);
  return ids.length === 0 ? new Map() : findInputLayers(ctx.database, accountId, ids);
}
