import { type Database, sqlStateOf } from '../lib/db.ts';
import { parseId, type Uuid } from '../lib/ids.ts';
import { createTogether } from '../lib/turns/together.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import { productIdsOf } from './basket.ts';
import { type GatheredBasket, type GatheredRow, gatherForBaskets } from './place-sql.ts';
import { TOGETHER } from './place-together.ts';

/** Reads what a basket depends on. `own` is the database for the caller, where it is read alone. */
export type Gathering = (own: Database, basket: GatheredBasket) => Promise<GatheredRow>;

const AT_ONCE_MAX = 4;
/** A few times what a batch takes. */
const PATIENCE_MS = 20;
const BASKETS_MAX = 16;
/** Products and variants of one statement. */
const NAMES_MAX = 128;

/**
 * Opens the gathering of one process: baskets of one moment are read by one statement.
 * A large basket is read alone, and so is each one of a batch that has failed.
 */
export function openGathering(database: Database): Gathering {
  const shared = database.of({ owner: TOGETHER });
  const weightOf = ({ productIds, skus }: GatheredBasket): number => productIds.length + skus.length;
  const together = createTogether<GatheredBasket, GatheredRow>({
    atOnceMax: AT_ONCE_MAX,
    patienceMs: PATIENCE_MS,
    sizeMax: BASKETS_MAX,
    weightMax: NAMES_MAX,
    weightOf,
    ownerOf: ({ accountId }) => accountId,
    keyOf: () => null,
    run: (baskets) => gatherForBaskets(shared, baskets),
  });
  return async (own, basket) => {
    if (weightOf(basket) <= NAMES_MAX) {
      try {
        return await together(basket);
      } catch (error) {
        // What the server reports may be about another basket; without its answer another try has none either.
        if (sqlStateOf(error) === undefined) throw error;
      }
    }
    const [row] = await gatherForBaskets(own, [basket]);
    if (row === undefined) throw new Error('the calling account has no row');
    return row;
  };
}

/**
 * Reads everything that the basket depends on, the external reference included, in one round trip.
 * A product that is unknown, or of another account, is not among the products of the answer.
 */
export async function gather(
  ctx: { readonly database: Database; readonly gathering: Gathering },
  accountId: Uuid,
  body: PlaceOrderBody,
): Promise<GatheredRow> {
  return ctx.gathering(ctx.database, {
    accountId,
    externalReference: body.external_reference ?? null,
    brand: brandOf(body),
    productIds: productIdsOf(body.items),
    skus: [...new Set(body.items.map((item) => item.variant_sku))],
  });
}

/** The brand to look up: what is no id at all is looked up as none, and then missed. */
function brandOf({ brand }: PlaceOrderBody): GatheredBasket['brand'] {
  if (brand === undefined) return 'default';
  return brand === null ? null : (parseId('brand', brand) ?? null);
}
