import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { InputLayer } from './entered-inputs.ts';

/** What a file of orders needs of a product that it names. */
export type NamedProduct = {
  id: Uuid;
  name: string;
  base_product_id: Uuid;
  personalised: boolean;
  areas: { print_area: string; method: string }[];
  skus: string[];
};

/** Products that one name or one variant stands for: two show that it is not clear. */
const OF_EACH_MAX = 2;

const NAMED = statement<NamedProduct>(
  'products_named',
  `select p.id, p.name, p.base_product_id, p.personalisation is not null as personalised,
     coalesce((
       select json_agg(json_build_object('print_area', a.print_area, 'method', a.method) order by a.ordinal)
       from product_area a where a.account_id = p.account_id and a.product_id = p.id
     ), '[]') as areas,
     array(
       select v.sku from product_variant v
       where v.account_id = p.account_id and v.product_id = p.id and v.active order by v.ordinal
     ) as skus
   from product p
   where p.account_id = $1 and p.status <> 'archived' and p.id = any(array(
     select unnest($2::uuid[])
     union select f.id from unnest($3::text[]) as n(name) cross join lateral (
       select q.id from product q where q.account_id = $1 and q.name = n.name and q.status <> 'archived' limit ${OF_EACH_MAX}
     ) as f
     union select f.id from unnest($4::text[]) as s(sku) cross join lateral (
       select q.id from product_variant v join product q on q.account_id = v.account_id and q.id = v.product_id
       where v.account_id = $1 and v.sku = s.sku and v.active and q.status <> 'archived' limit ${OF_EACH_MAX}
     ) as f
   ))`,
);

/** Products of an account by their ids, their exact names, or a variant; at most two for each. */
export async function findNamed(
  db: Db,
  accountId: Uuid,
  by: { readonly ids: readonly Uuid[]; readonly names: readonly string[]; readonly skus: readonly string[] },
): Promise<NamedProduct[]> {
  return db.all(NAMED, [accountId, by.ids, by.names, by.skus]);
}

const LAYERS = statement<{ id: Uuid; layers: InputLayer[] }>(
  'products_input_layers',
  `select p.id, coalesce((
     select json_agg(json_build_object('id', l.layer->>'id', 'name', l.layer->>'name', 'type', l.layer->>'type', 'options', coalesce((
       select json_agg(json_build_object('id', o.option->>'id', 'name', o.option->>'name'))
       from jsonb_array_elements(l.layer->'options') as o(option)
     ), '[]')))
     from jsonb_array_elements(p.personalisation->'layers') as l(layer)
   ), '[]') as layers
   from product p where p.account_id = $1 and p.id = any($2::uuid[]) and p.personalisation is not null`,
);

/** What is filled in of personalised products of an account, by their ids; others have no entry. */
export async function findInputLayers(
  db: Db,
  accountId: Uuid,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, readonly InputLayer[]>> {
  const rows = await db.all(LAYERS, [accountId, ids]);
  return new Map(rows.map(({ id, layers }) => [id, layers]));
}
