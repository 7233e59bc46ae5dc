import type { ArtworkContext } from '../artwork/context.ts';
import type { PriceCache } from '../pricing/price-cache.ts';
import type { Reading } from './reading/read-together.ts';

/** The context of the order use cases: outbound calls, the image pool and the prices in memory. */
export type OrdersContext = ArtworkContext & {
  readonly prices: PriceCache;
  /** Reads single orders for their owners, those of one moment together. */
  readonly reading: Reading;
  /** Wakes the deliveries of this process after an event was recorded; a hint only. */
  readonly wakeDeliveries: () => void;
};
