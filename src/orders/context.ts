import type { ArtworkContext } from '../artwork/context.ts';
import type { PriceCache } from '../pricing/price-cache.ts';

/** What the order use cases take: outbound calls, the image pool and the prices in memory. */
export type OrdersContext = ArtworkContext & {
  readonly prices: PriceCache;
  /** Tells the deliveries of this process that an event was recorded; a hint only. */
  readonly wakeDeliveries: () => void;
};
