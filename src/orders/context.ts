import type { ArtworkContext } from '../artwork/context.ts';
import type { PaymentProvider } from '../payments/provider.ts';
import type { PriceCache } from '../pricing/price-cache.ts';

/** What the order use cases take: the ways out, the pictures and the prices in memory. */
export type OrdersContext = ArtworkContext & {
  readonly prices: PriceCache;
  /** Who charges cards and direct debits; undefined: the balance pays or nobody does. */
  readonly payments: PaymentProvider | undefined;
  /** Tells the deliveries of this process that an event was recorded; a hint only. */
  readonly wakeDeliveries: () => void;
};
