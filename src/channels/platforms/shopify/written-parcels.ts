import { arrayOf, type Members, textOf } from '../members.ts';
import type { ReportedParcel, Shop } from '../port.ts';
import { change, membersOf } from './ask.ts';
import { claimedIn, isBlank, type KnownFulfilment, type Written } from './reported-parcels.ts';

// Two metafields of an order, in a namespace that is ours alone, say which of its fulfilments are which of our parcels,
// and which parcels were begun to be reported. An addition is an order of its own here, and the same one in Shopify:
// the parcels of both stand in them.

/** What is read of an order, so that `writtenIn` reads what is written in it. */
export const WRITTEN_FIELDS = `made: metafield(namespace: "$app", key: "parcels") { jsonValue }
    begun: metafield(namespace: "$app", key: "begun") { jsonValue }`;

const KEEP = `mutation Keep($metafields: [MetafieldsSetInput!]!) {
  metafieldsSet(metafields: $metafields) { metafields { id } userErrors { field } }
}`;

/** What is written in an order of its parcels. Pure. */
export function writtenIn({ made, begun }: Members): Written {
  return {
    made: Object.fromEntries(entriesOf(made).map(([parcel, ids]) => [parcel, arrayOf(ids).map(textOf)])),
    begun: Object.fromEntries(
      entriesOf(begun).map(([parcel, as]) => {
        const { numbers, others } = membersOf(as);
        return [parcel, { numbers: arrayOf(numbers).map(textOf), others: arrayOf(others).map(textOf) }];
      }),
    ),
  };
}

function entriesOf(metafield: unknown): [string, unknown][] {
  return Object.entries(membersOf(membersOf(metafield).jsonValue));
}

/** Writes what has changed of what is written; nothing is asked of the shop where that is nothing. */
export async function keepWritten(shop: Shop, ownerId: string, before: Written, after: Written): Promise<void> {
  const fields = [
    { key: 'parcels', before: before.made, value: after.made },
    { key: 'begun', before: before.begun, value: after.begun },
  ];
  const metafields = fields
    .map(({ key, before: was, value }) => ({ key, was: JSON.stringify(was), value: JSON.stringify(value) }))
    .filter(({ was, value }) => was !== value)
    .map(({ key, value }) => ({ ownerId, namespace: '$app', key, type: 'json', value }));
  if (metafields.length > 0) await change(shop, 'metafieldsSet', KEEP, { metafields });
}

/** What is written as begun once these parcels are, with what was before. Pure. */
export function begunWith(
  { made, begun }: Written,
  parcels: readonly ReportedParcel[],
  known: readonly KnownFulfilment[],
): Written['begun'] {
  const claimed = claimedIn(made);
  const blank = known.filter(({ id, numbers }) => isBlank(numbers) && !claimed.has(id)).map(({ id }) => id);
  const begins = parcels.map(({ id, number }): [string, Written['begun'][string]] => {
    const { numbers, others } = begun[id] ?? { numbers: [], others: number === '' ? blank : [] };
    return [id, { numbers: [...new Set([...numbers, number])], others }];
  });
  return { ...begun, ...Object.fromEntries(begins) };
}
